import type { CodeSymbol } from "../code-index.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { isCode, type Look } from "./literals.ts";
import { isCallable } from "./pieces.ts";

/** A function, by the position of its file; `symbol` is null for one without a name. */
export interface Callee {
  position: number;
  symbol: CodeSymbol | null;
  from: number;
  to: number;
}

/** A name in more files is too common to tell which one is meant. */
const MOST_DEFINING = 24;
/** What more files use is a helper. */
const MOST_USING = 6;
const MOST_CALLS = 24;
const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
const CALL = /(?<![\w$])([A-Za-z_$][\w$]*)[!?]?\s*\(/g;
/** What only looks something up, tells the caller something or answers for it. */
const ASIDE =
  /^(?:find|get|load|fetch|read|list|lookup|is|has|to|parse|valid|check|require|assert|json|render|respond|reply|write|send(?:json|error|status)|log|new|error|fail)/i;

/** The function that a name on a line means; null where that is not clear. */
export async function calleeOf(name: string, line: string, from: number, look: Look): Promise<Callee | null> {
  const [defining = []] = look.defining([name]);
  if (defining.length === 0 || defining.length > MOST_DEFINING) return null;
  const imported = await look.imported(from);
  const at = line.search(new RegExp(String.raw`(?<![\w$])${escapeRegExp(name)}(?![\w$])`));
  const owners = [...line.slice(0, Math.max(0, at)).matchAll(IDENTIFIER)].map(([owner]) => plainName(owner));
  const ranked = defining
    .map((position) => ({ position, worth: worthOf(position) }))
    .toSorted((a, b) => b.worth - a.worth);
  const [best, next] = ranked;
  if (best === undefined || best.worth === next?.worth) return null;
  const outline = await look.outline(best.position);
  const named = outline.filter((one) => one.name === name && isCallable(one));
  const symbol = named.find(({ container }) => container !== null && owners.includes(plainName(container))) ?? named[0];
  return symbol === undefined ? null : { position: best.position, symbol, from: symbol.start, to: symbol.end };

  function worthOf(position: number): number {
    const file = plainName((look.pathOf(position).split("/").at(-1) ?? "").replace(/\.\w+$/, ""));
    const isOwned = owners.some((owner) => owner.length > 2 && (file.startsWith(owner) || owner.startsWith(file)));
    return (imported.has(position) ? 2 : 0) + (isOwned ? 2 : 0) + (position === from ? 1 : 0);
  }
}

/**
 * The function of another file that does the work of a function, with the line that calls it: the last one, but for
 * helpers.
 */
export async function workOf(
  { position, symbol, from, to }: Callee,
  look: Look,
): Promise<{ callee: Callee; calledAt: number } | null> {
  const lines = [...(await look.lines(position)).slice(from - 1, to).entries()];
  const calls = lines.flatMap(([at, line]) =>
    isCode(line) ? [...line.matchAll(CALL)].map(([, name = ""]) => ({ name, line, calledAt: from + at })) : [],
  );
  const others = calls.filter(({ name }) => name !== symbol?.name).slice(-MOST_CALLS);
  const told = [...others.filter(({ name }) => ASIDE.test(name)), ...others.filter(({ name }) => !ASIDE.test(name))];
  look.defining(told.map(({ name }) => name));
  look.searchAll(told.map(({ name }) => name));
  for (const { name, line, calledAt } of told.toReversed()) {
    const callee = await calleeOf(name, line, position, look);
    if (callee === null || callee.position === position) continue;
    // `Refund.new(order).call`: many are called so.
    if (look.sourcesWith(name).length <= MOST_USING || isNamedOn(line, look.pathOf(callee.position)))
      return { callee, calledAt };
  }
  return null;
}

function isNamedOn(line: string, path: string): boolean {
  const file = plainName((path.split("/").at(-1) ?? "").replace(/\.\w+$/, ""));
  return [...line.matchAll(IDENTIFIER)].some(([word]) => plainName(word) === file);
}

/** `OrdersController`, `orders_controller` and `orders-controller` are one name. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

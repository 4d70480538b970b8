import type { CodeSymbol } from "../code-index.ts";
import type { Found } from "../languages/language.ts";
import { languageNamed } from "../languages/registry.ts";
import { foundByGrammar } from "./grammar.ts";
import { foundByLines } from "./line-definitions.ts";
import { LineMap } from "./line-map.ts";

/**
 * The symbols of one file, by start line, the longer first. A range covers the whole definition, with decorators
 * and `export`, without the comment before it. No text makes it throw: what cannot be parsed is read line by line,
 * and what is not understood is left out (R-EXP-1).
 *
 * @param language as `classify` names it
 */
export async function outlineOf(path: string, language: string | null, text: string): Promise<CodeSymbol[]> {
  const written = language ?? interpreterOf(text);
  return written === null ? [] : settle(text, await foundIn(path, written, text));
}

/** The innermost symbol that a line, from 1, stands in. */
export function symbolAt(symbols: readonly CodeSymbol[], line: number): CodeSymbol | null {
  let inner: CodeSymbol | null = null;
  for (const one of symbols) {
    if (one.start > line || one.end < line) continue;
    if (!inner || one.end - one.start <= inner.end - inner.start) inner = one;
  }
  return inner;
}

const INTERPRETERS: readonly [RegExp, string][] = [
  [/^(?:node|deno|bun|tsx)/, "javascript"],
  [/^(?:ba|z|da|k)?sh$/, "shell"],
  [/^python/, "python"],
  [/^ruby/, "ruby"],
  [/^php/, "php"],
];

/** A program without an extension names its language in its first line. */
function interpreterOf(text: string): string | null {
  const program = /^#!\s*(?:\S{0,200}\/)?(?:env\s+(?:-S\s+)?)?([\w.-]{1,50})/.exec(text.slice(0, 500))?.[1] ?? "";
  return INTERPRETERS.find(([pattern]) => pattern.test(program))?.[1] ?? null;
}

/** What a text of a language defines, read by what knows that language best. */
async function foundIn(path: string, name: string, text: string): Promise<Found[]> {
  const language = languageNamed(name);
  const { scripts, elements } = language?.markup?.(text) ?? { scripts: [], elements: null };
  if (elements === null) return (await language?.definitions?.(text, path)) ?? (await foundInCode(path, name, text));
  const found = [...elements];
  for (const script of scripts) {
    for (const one of await foundInCode("", script.language, script.text)) {
      found.push({ ...one, from: one.from + script.from, to: one.to + script.from });
    }
  }
  return found;
}

async function foundInCode(path: string, name: string, text: string): Promise<Found[]> {
  const grammar = languageNamed(name)?.grammar?.(path);
  return (grammar && (await foundByGrammar(grammar, text))) ?? foundByLines(name, text);
}

/** Symbols of one file; later ones are left out. */
const MOST_SYMBOLS = 5_000;
/** UTF-16 units of a name; the rest is cut off. */
const LONGEST_NAME = 200;
/** White space at the end of a definition that is looked at, in UTF-16 units. */
const LONGEST_TAIL = 1_000;

interface Around extends Found {
  /** In a function. */
  local: boolean;
}

/** Makes symbols of what was found: who stands in whom, lines for offsets, the limits, the order (R-EXP-1). */
function settle(text: string, found: readonly Found[]): CodeSymbol[] {
  const lines = new LineMap(text);
  const around: Around[] = [];
  const settled: CodeSymbol[] = [];
  for (const one of [...found].toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (settled.length === MOST_SYMBOLS) break;
    let outer = around.at(-1);
    while (outer && !contains(outer, one)) {
      around.pop();
      outer = around.at(-1);
    }
    const local = outer !== undefined && (outer.local || isCallable(outer));
    around.push({ ...one, local });
    if (local && one.outside === true) continue;
    const name = nameOf(one.name);
    if (one.kind === "scope" || name === "") continue;
    const start = lines.lineAt(one.from);
    const container = nameOf(one.owner ?? outer?.name ?? "");
    settled.push({
      name,
      kind: one.kind,
      start,
      end: Math.max(start, lines.lineAt(lastOf(text, one))),
      container: container === "" ? null : container,
    });
  }
  return settled.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

function isCallable({ kind }: Found): boolean {
  return kind === "function" || kind === "method" || kind === "constructor";
}

function contains(outer: Found, inner: Found): boolean {
  return outer.from <= inner.from && inner.to <= outer.to && outer.to - outer.from > inner.to - inner.from;
}

/** Offset of its last character that is no white space: some grammars count the line break to the definition. */
function lastOf(text: string, { from, to }: Found): number {
  let last = Math.min(to, text.length) - 1;
  const least = Math.max(from, last - LONGEST_TAIL);
  while (last > least && /\s/.test(text.charAt(last))) last -= 1;
  return Math.max(last, from);
}

function nameOf(written: string): string {
  return written
    .slice(0, LONGEST_NAME * 4)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_NAME);
}

import type { OpenIndex } from "../../code/index/explorer.ts";
import type { Located } from "../../code/search/rank-files.ts";
import type { ConversationMessage } from "../../domain/conversation.ts";
import { codeFactsOf } from "../../domain/issue-text/code-facts.ts";
import { blocksOf } from "../../domain/issue-text/markdown.ts";
import { anyOf } from "../../domain/issue-text/phrases.ts";
import { proseSentences } from "../../domain/issue-text/prose-sentences.ts";
import { isQuestion } from "../../domain/issue-text/sentences.ts";
import { isNamed } from "../../domain/statements/file-names.ts";
import { placesMeant } from "../../domain/statements/places-meant.ts";
import { isTestOf, placeOfTest, stemOf } from "./test-of.ts";

/** Names that decisions give to files and symbols, those of the newest decision first, as written: `Cart.total`, `docs/a.md`. */
export type Decided = readonly string[];

/** A place where decisions say that the work is, and the symbols in it that they name. */
export interface DecidedPlace {
  place: Located;
  symbols: readonly string[];
}

const MOST_PLACES = 3;
/** Such sentences tell of a place that it is another one. */
const NOT_THERE = anyOf(
  "innocent|not (?:to blame|at fault|the (?:cause|culprit|problem|bug|place))|(?:is|are|was|works?) (?:fine|right|correct|ok(?:ay)?|as intended)|unschuldig|nicht schuld|liegt nicht an|kann nichts dafür|(?:ist|sind) (?:richtig|korrekt|in ordnung)|no tiene(?:n)? (?:la )?culpa|no es (?:la causa|el problema|culpable)|est(?:á|án) bien|n['’]y est pour rien|n['’]est pas (?:en cause|coupable|le problème)|est correcte?|não tem culpa|não é (?:a causa|o problema|culpad[oa])|está (?:certo|correto)|(?:не|ни) (?:виноват\\p{L}*|при ?ч[её]м)",
  "没有问题|没问题|不是(?:原因|问题)|是对的|問題(?:ない|ありません)|悪くない|原因ではな|原因ではあり",
);

/**
 * What those who decide name when they decide, but for what they spare or only refer to. A message that asks something is
 * still looking for the fault; what the reporter names is the report.
 */
export function decidedIn(messages: readonly ConversationMessage[], deciders: ReadonlySet<string>): Decided {
  const names: string[] = [];
  for (const { content, role, author } of messages.toReversed()) {
    if (role === "reporter" || !deciders.has(author.toLowerCase())) continue;
    const sentences = proseSentences(blocksOf(content)).map(({ text }) => text);
    if (sentences.some(isQuestion)) continue;
    const kept = sentences.filter((text) => !NOT_THERE.test(text)).join("\n");
    const { text } = placesMeant(kept);
    const written = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);
    names.push(...written, ...codeFactsOf("", text, blocksOf(text)).symbols);
  }
  return [...new Set(names)];
}

/** The files among those found that decisions name, by path or by what they define; then those whose tests they name. */
export function decidedPlaces(
  names: Decided,
  located: readonly Located[],
  index: Pick<OpenIndex, "files">,
): DecidedPlace[] {
  const found = new Map<string, { place: Located; symbols: string[] }>();
  const add = (place: Located | undefined, symbol: string | null) => {
    if (place === undefined) return;
    const known = found.get(place.path) ?? { place, symbols: [] };
    if (symbol !== null) known.symbols.push(symbol);
    found.set(place.path, known);
  };
  for (const name of names) {
    const path = located.find((one) => one.role !== "test" && isPathOf(one, name));
    if (path === undefined) for (const { place, symbol } of definingOf(name, located)) add(place, symbol);
    else add(path, null);
  }
  for (const test of decidedTests(names, index)) {
    const tested = located.filter((one) => one.role === "source" && isTestOf(test, one));
    add(
      tested.find((one) => stemOf(one.path) === stemOf(test.path)),
      null,
    );
  }
  return [...found.values()].slice(0, MOST_PLACES);
}

/** The tests that decisions name, by path or as the class that they are. */
export function decidedTests(names: Decided, index: Pick<OpenIndex, "files">): Located[] {
  const tests = index.files.filter(({ role, language }) => role === "test" && language !== null);
  return names.flatMap((name) => {
    const test = tests.find(({ path }) => isNamed(path, [name]) || baseOf(path) === name);
    return test === undefined ? [] : [placeOfTest(test)];
  });
}

/** By a name with an ending, as folders have none. */
function isPathOf({ path }: Located, name: string): boolean {
  return /\.\w+$/.test(name) && isNamed(path, [name]);
}

/** The only file that defines a name; of `Importer.parse`, the one of `Importer`, else none. */
function definingOf(name: string, located: readonly Located[]): { place: Located; symbol: string }[] {
  const parts = name.replace(/\(.*$/s, "").split(/[.:#>-]+/);
  const symbol = parts.at(-1) ?? "";
  const owner = parts.at(-2)?.toLowerCase();
  const defining = located.filter(
    ({ role, reasons }) =>
      role === "source" && reasons.some((reason) => reason.kind === "defines" && reason.symbol === symbol),
  );
  const own = owner === undefined ? [] : defining.filter(({ path }) => baseOf(path).toLowerCase() === owner);
  const [place, ...others] = own.length > 0 ? own : defining;
  return place === undefined || others.length > 0 ? [] : [{ place, symbol }];
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
}

import type { CodeSymbol } from "../code-index.ts";
import type { FoundDefinition } from "../languages/language.ts";
import { languageNamed } from "../languages/registry.ts";
import { foundByGrammar } from "./grammar.ts";
import { foundByLines } from "./line-definitions.ts";
import { LineMap } from "./line-map.ts";

/**
 * The symbols of one file by start line, outer ones first. A range covers the whole definition with decorators and
 * `export`, without the comment before it. Never throws: text that cannot be parsed is read line by line, and anything
 * unknown is left out (R-EXP-1).
 *
 * @param language as `classify` names it
 */
export async function outlineOf(path: string, language: string | null, text: string): Promise<CodeSymbol[]> {
  const written = language ?? interpreterOf(text);
  return written === null ? [] : settle(text, await foundIn(path, written, text));
}

/** The innermost symbol around a line (from 1). */
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

/** The language of a script without an extension, by its first line. */
function interpreterOf(text: string): string | null {
  const program = /^#!\s*(?:\S{0,200}\/)?(?:env\s+(?:-S\s+)?)?([\w.-]{1,50})/.exec(text.slice(0, 500))?.[1] ?? "";
  return INTERPRETERS.find(([pattern]) => pattern.test(program))?.[1] ?? null;
}

/** Definitions by the best available reader of the language. */
async function foundIn(path: string, name: string, text: string): Promise<FoundDefinition[]> {
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

async function foundInCode(path: string, name: string, text: string): Promise<FoundDefinition[]> {
  const grammar = languageNamed(name)?.grammar?.(path);
  return (grammar && (await foundByGrammar(grammar, text))) ?? foundByLines(name, text);
}

/** Symbols of one file; later ones are left out. */
const MOST_SYMBOLS = 5_000;
/** UTF-16 units of a name; the rest is cut off. */
const LONGEST_NAME = 200;
/** Trailing white space of a definition that is trimmed, in UTF-16 units. */
const LONGEST_TAIL = 1_000;

interface Around extends FoundDefinition {
  /** In a function. */
  local: boolean;
}

/** Converts definitions to symbols: nesting, line numbers, limits, order (R-EXP-1). */
function settle(text: string, found: readonly FoundDefinition[]): CodeSymbol[] {
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

function isCallable({ kind }: FoundDefinition): boolean {
  return kind === "function" || kind === "method" || kind === "constructor";
}

function contains(outer: FoundDefinition, inner: FoundDefinition): boolean {
  return outer.from <= inner.from && inner.to <= outer.to && outer.to - outer.from > inner.to - inner.from;
}

/** Offset of the last non-blank character: some grammars include the line break in the definition. */
function lastOf(text: string, { from, to }: FoundDefinition): number {
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

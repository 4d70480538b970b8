import type { CodeSymbol } from "../code-index.ts";
import { foundIn } from "./by-language.ts";
import { settle } from "./settle.ts";

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

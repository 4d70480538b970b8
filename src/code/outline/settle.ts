import type { CodeSymbol } from "../code-index.ts";
import type { Found } from "./found.ts";
import { LineMap } from "./line-map.ts";

/** Symbols of one file; later ones are left out. */
export const MOST_SYMBOLS = 5_000;
/** UTF-16 units of a name; the rest is cut off. */
export const LONGEST_NAME = 200;
/** White space at the end of a definition that is looked at, in UTF-16 units. */
const LONGEST_TAIL = 1_000;

interface Around extends Found {
  /** In a function. */
  local: boolean;
}

/** Makes symbols of what was found: who stands in whom, lines for offsets, the limits, the order (R-EXP-1). */
export function settle(text: string, found: readonly Found[]): CodeSymbol[] {
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

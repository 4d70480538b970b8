import type { Corpus } from "../index/corpus.ts";

/**
 * A folder whose name contains the area's, such as `button-group` for "button", says less than one with exactly that
 * name.
 */
const PART_OF_FOLDER = 0.5;
/** Shorter names are part of too many folders. */
const SHORTEST_PART = 4;

/**
 * How well the path of each file fits an area that the issue names, by position: 1 for a file or folder of that name,
 * 0.5 for a folder whose name contains it, else 0.
 */
export function matchAreas(corpus: Corpus, areas: readonly string[]): Float64Array {
  const match = new Float64Array(corpus.files.length);
  for (const name of areas.flatMap(namesIn)) {
    const spelled = spellings(name);
    const exact = new RegExp(`(?:^|/)${spelled}(?:/|\\.[^/]*$)`, "i");
    const part = name.length < SHORTEST_PART ? null : new RegExp(`${spelled}[^/]*/`, "i");
    for (const [position, { path }] of corpus.files.entries()) {
      if (match[position] === 1) continue;
      if (exact.test(path)) match[position] = 1;
      else if (part?.test(path)) match[position] = PART_OF_FOLDER;
    }
  }
  return match;
}

/** The last part of `@scope/name` or `a.b` is the name of the area. */
function namesIn(area: string): string[] {
  const last = area.split(/[/.:\\]+/).findLast((part) => /[\p{L}\p{N}]{2}/u.test(part)) ?? "";
  return last.length > 1 ? [last] : [];
}

/** Matches the name with or without separators and plural: `SpeedDial`, `speed-dial`, `speed_dials`. */
function spellings(name: string): string {
  const words = name.match(/\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+(?!\p{Ll})|\p{Lo}+/gu) ?? [name];
  const singular = words.join(" ").replace(/(?<=(?:ch|sh|ss|x))es$|(?<=[^s])s$/i, "");
  const pattern = singular.split(" ").map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, "."));
  return `${pattern.join("[-_. ]?")}(?:e?s)?`;
}

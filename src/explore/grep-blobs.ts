import type { Blob } from "./blob-reader.ts";
import { LINE_LIMIT, literalsOf, patternOf } from "./grep.ts";
import type { GrepOptions, GrepResult } from "./grep.ts";
import type { TreeEntry } from "./tree.ts";

/** Unreadable objects after which the repository is taken to be past searching. */
const MOST_FAILURES = 100;

/**
 * The search of `grepTree` for a clone that lacks some contents (a partial one, or damaged), where git gives up at
 * the first that is missing: reads blob by blob and passes over what is not there, which makes the result truncated.
 */
export async function grepBlobs(
  entries: readonly TreeEntry[],
  read: (objectName: string) => Promise<Blob>,
  texts: readonly string[],
  options: GrepOptions = {},
): Promise<GrepResult> {
  const literals = literalsOf(texts);
  const result: GrepResult = { matches: [], truncated: false };
  if (literals.length === 0) return result;
  const pattern = new RegExp(patternOf(literals), options.ignoreCase ? "i" : "");
  const { maxPerFile = 50, maxLines = 5_000, under = [] } = options;
  let failures = 0;
  for (const { path, kind, objectName, size } of entries) {
    const wanted = under.length === 0 || under.some((folder) => path === folder || path.startsWith(`${folder}/`));
    if (kind !== "file" || !wanted) continue;
    const blob = size === null ? null : await read(objectName).catch(() => null);
    if (blob === null && size !== null) failures += 1;
    if (failures > MOST_FAILURES) return { ...result, truncated: true };
    if (blob?.kind !== "blob") {
      result.truncated = true;
      continue;
    }
    if (blob.content.subarray(0, 8_000).includes(0)) continue;
    let inFile = 0;
    for (const [at, line] of blob.content.toString("utf8").split("\n").entries()) {
      if (!pattern.test(line)) continue;
      inFile += 1;
      if (result.matches.length >= maxLines) return { ...result, truncated: true };
      if (inFile > maxPerFile) result.truncated = true;
      else result.matches.push({ path, line: at + 1, text: line.slice(0, LINE_LIMIT) });
    }
  }
  return result;
}

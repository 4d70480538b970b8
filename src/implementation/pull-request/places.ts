/** Where a change touched a file. */
export interface ChangedPlace {
  /** From the root of the repository. */
  path: string;
  /** First and last line of each piece, as the file is after the change; empty where it is gone, or is no text. */
  lines: { from: number; to: number }[];
  isDeleted: boolean;
}

/**
 * The places of a unified diff without context (`-U0`), or of several, file by file. Counts the lines of each hunk, so that a line that
 * looks like a header is none. What is no diff gives nothing.
 */
export function changedPlaces(patch: string): ChangedPlace[] {
  const places: ChangedPlace[] = [];
  let left = 0;
  let current: ChangedPlace | null = null;
  for (const line of patch.split("\n")) {
    if (left > 0) {
      if (!line.startsWith("\\")) left -= 1;
      continue;
    }
    const path = /^diff --git "?a\/(.{1,4096}?)"? "?b\/\1"?\r?$/.exec(line)?.[1];
    if (path !== undefined) {
      current = places.find((place) => place.path === path) ?? { path, lines: [], isDeleted: false };
      if (!places.includes(current)) places.push(current);
    } else if (current && line.startsWith("deleted file mode ")) current.isDeleted = true;
    const hunk = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(line);
    if (!hunk || !current) continue;
    const [, removed = "1", at = "1", added = "1"] = hunk;
    left = Number(removed) + Number(added);
    // Where lines went and none came, the one before them tells where.
    const from = Math.max(1, Number(at));
    if (!current.isDeleted) current.lines.push({ from, to: from + Math.max(0, Number(added) - 1) });
  }
  return places;
}

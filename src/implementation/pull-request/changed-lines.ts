export interface ChangedLines {
  /** From the root of the repository. */
  path: string;
  /** First and last line of each hunk, after the change; empty for deleted and binary files. */
  lines: { from: number; to: number }[];
  isDeleted: boolean;
}

/**
 * The changed lines of unified diffs without context (`-U0`), by file. Counts the lines of each hunk, so that content
 * that looks like a header is not mistaken for one. Input that is no diff yields nothing.
 */
export function changedLines(patch: string): ChangedLines[] {
  const places: ChangedLines[] = [];
  let left = 0;
  let current: ChangedLines | null = null;
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
    // Pure deletions are located at the line before them.
    const from = Math.max(1, Number(at));
    if (!current.isDeleted) current.lines.push({ from, to: from + Math.max(0, Number(added) - 1) });
  }
  return places;
}

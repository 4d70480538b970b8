/** The added lines of one file with their context. */
export interface PatchedFile {
  /** From the root of the repository, after the change. */
  path: string;
  lines: { text: string; isAdded: boolean }[];
}

/** Characters that are read of a patch, and of each line. */
const READ = 1_000_000;
const LONGEST_LINE = 500;

/**
 * The files of a unified diff with their lines after the change. Counts the lines of each hunk, so that content that
 * looks like a header is not taken for one. Anything but a diff gives nothing.
 */
export function patchedFiles(patch: string): PatchedFile[] {
  const files: PatchedFile[] = [];
  let current: PatchedFile | null = null;
  let before = 0;
  let after = 0;
  for (const line of patch.slice(0, READ).split("\n")) {
    if (before > 0 || after > 0) {
      const sign = line.slice(0, 1);
      if (sign !== "+" && sign !== "\\") before -= 1;
      if (sign !== "-" && sign !== "\\") after -= 1;
      if (sign === "+" || sign === " ") {
        current?.lines.push({ text: line.slice(1, LONGEST_LINE), isAdded: sign === "+" });
      }
      continue;
    }
    const target = /^\+\+\+ "?b\/(.{1,4096}?)"?\t?\r?$/.exec(line)?.[1];
    if (target !== undefined) {
      current = { path: target, lines: [] };
      files.push(current);
    } else if (line.startsWith("diff --git ")) current = null;
    const hunk = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@(.*)/.exec(line);
    if (hunk) {
      before = Number(hunk[1] ?? 1);
      after = Number(hunk[2] ?? 1);
      // Git names the function or test that contains the hunk.
      current?.lines.push({ text: (hunk[3] ?? "").slice(0, LONGEST_LINE), isAdded: false });
    }
  }
  return files;
}

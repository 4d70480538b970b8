import { git } from "./git.ts";

/**
 * A changed block of lines: `removed` lines from `start` (from 1) in the old version, and `added` lines that replace
 * them.
 */
interface Hunk {
  /** If nothing is removed, the line before. */
  start: number;
  removed: number;
  added: number;
}

/** What happened to some lines: kept but moved down `by` lines, changed, or deleted with their file. */
export type Fate = { kind: "kept"; by: number } | { kind: "changed" } | { kind: "deleted" };

/** How files differ between two commits of a repository. */
export interface LineChanges {
  /** Those of the asked paths that differ. */
  paths: ReadonlySet<string>;
  /** What happened to lines of one of them. */
  fateOf: (place: { path: string; start: number; end: number }) => Promise<Fate>;
  isGone: (path: string) => Promise<boolean>;
}

const MOST_BYTES = 20 * 1024 * 1024;

/**
 * How files differ between two commits; null if the repository has lost one of the commits. Only compares these paths.
 */
export async function lineChanges(
  gitDirectory: string,
  { from, to }: { from: string; to: string },
  paths: readonly string[],
): Promise<LineChanges | null> {
  const compare = async (flags: readonly string[], at: readonly string[]) => {
    const command = ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", ...flags, from, to, "--", ...at];
    return await git(gitDirectory, command, { maxBytes: MOST_BYTES });
  };
  const listed = paths.length === 0 ? null : await compare(["--name-only", "-z"], paths);
  if (listed !== null && listed.code !== 0) return null;
  const textAt = async (commit: string, path: string) => {
    const { code, stdout } = await git(gitDirectory, ["show", `${commit}:${path}`], { maxBytes: MOST_BYTES });
    return code === 0 ? stdout.toString("utf8").split("\n") : null;
  };
  const known = new Map<string, Promise<Hunk[]>>();
  const hunksOf = async (path: string) => {
    const reading = known.get(path) ?? compare(["-U0"], [path]).then(({ stdout }) => hunksIn(stdout.toString("utf8")));
    known.set(path, reading);
    return await reading;
  };
  const isGone = async (path: string) => (await textAt(to, path)) === null;
  return {
    paths: new Set(
      listed?.stdout
        .toString("utf8")
        .split("\0")
        .filter((path) => path !== "") ?? [],
    ),
    isGone,
    fateOf: async ({ path, start, end }) => {
      const now = await textAt(to, path);
      if (now === null) return { kind: "deleted" };
      const by = shiftOf(await hunksOf(path), start, end);
      if (by !== null) return { kind: "kept", by };
      const wanted = (await textAt(from, path))?.slice(start - 1, end) ?? [];
      const [found, another] = now.flatMap((_, at) => (wanted.every((line, n) => now[at + n] === line) ? [at] : []));
      const isOne = found !== undefined && another === undefined && wanted.some((line) => line.trim() !== "");
      return isOne ? { kind: "kept", by: found + 1 - start } : { kind: "changed" };
    },
  };
}

function hunksIn(diff: string): Hunk[] {
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/gm)].map(([, start, removed, added]) => ({
    start: Number(start),
    removed: Number(removed ?? 1),
    added: Number(added ?? 1),
  }));
}

/** How far lines moved that no hunk touches; null if a hunk touches them, or if the file is not text. */
function shiftOf(hunks: readonly Hunk[], from: number, to: number): number | null {
  let by = 0;
  for (const { start, removed, added } of hunks) {
    const last = removed === 0 ? start : start + removed - 1;
    const isBefore = removed === 0 ? start < from : last < from;
    const isBehind = removed === 0 ? start >= to : start > to;
    if (isBefore) by += added - removed;
    else if (!isBehind) return null;
  }
  return hunks.length === 0 ? null : by;
}

import { randomUUID } from "node:crypto";
import { RelayError } from "../../lib/errors.ts";
import { git } from "./git.ts";
import { firstLine } from "./tree.ts";
import { treePath } from "./tree-path.ts";

/** A commit with all the paths that it changed, as far as they can be named. */
export interface ChangedTogether {
  commit: string;
  author: string;
  /** ISO 8601. */
  at: string;
  subject: string;
  /** No more than `PATHS_PER_COMMIT` of them. */
  paths: string[];
  /** How many there were. */
  changed: number;
}

export interface HistoryOptions {
  /** Commits looked at. Default 300. */
  limit?: number;
  signal?: AbortSignal;
}

/** Commits that change more than this say nothing about what belongs together. */
const PATHS_PER_COMMIT = 200;
const DEFAULT_LIMIT = 300;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * The newest commits that touched a file or folder (`""` for the whole tree), newest first, merges and renames not
 * followed. Throws `RelayError` `timeout` when the signal came first, `forbidden` for a path that leaves the tree.
 */
export async function changesAround(
  gitDirectory: string,
  commit: string,
  path: string,
  options: HistoryOptions = {},
): Promise<ChangedTogether[]> {
  const safe = path === "" ? "" : treePath(path);
  if (safe === null) throw new RelayError("forbidden", `${JSON.stringify(path)} is not a path inside the repository`);
  const flags = ["--no-merges", "--no-renames", "--no-ext-diff", "--name-only", "--full-diff", "-z"];
  // Names, subjects and paths may hold anything but NUL and what nobody can guess.
  const border = randomUUID();
  const format = `--format=${border}%H%x00%an%x00%aI%x00%s%x00`;
  const command = ["log", `--max-count=${options.limit ?? DEFAULT_LIMIT}`, ...flags, format, commit, "--"];
  const limits = { maxBytes: MAX_BYTES, ...(options.signal ? { signal: options.signal } : {}) };
  const result = await git(gitDirectory, [...command, ...(safe === "" ? [] : [safe])], limits).catch(
    (cause: unknown) => {
      if (!options.signal?.aborted) throw cause;
      throw new RelayError("timeout", "reading the history was stopped before its end", { cause });
    },
  );
  if (result.code !== 0) throw new RelayError("io", `cannot read the history of ${path}: ${firstLine(result.stderr)}`);
  const records = result.stdout.toString("utf8").split(border);
  // The last one may be cut.
  return (result.truncated ? records.slice(0, -1) : records).flatMap(parseRecord);
}

function parseRecord(record: string): ChangedTogether[] {
  const [commit, author, at, subject, ...rest] = record.split("\0");
  if (!commit || author === undefined || !at || subject === undefined) return [];
  const paths = rest.map((path, index) => (index <= 1 ? path.replace(/^\n/, "") : path)).filter((path) => path !== "");
  return [{ commit, author, at, subject, paths: paths.slice(0, PATHS_PER_COMMIT), changed: paths.length }];
}

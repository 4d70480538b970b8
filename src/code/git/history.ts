import { randomUUID } from "node:crypto";
import { RelayError } from "../../lib/errors.ts";
import { git } from "./git.ts";
import { firstLine } from "./tree.ts";
import { treePath } from "./tree-path.ts";

/** A commit with the paths that it changed. */
export interface ChangedTogether {
  commit: string;
  author: string;
  /** ISO 8601. */
  at: string;
  subject: string;
  /** At most `PATHS_PER_COMMIT`. */
  paths: string[];
  /** Number of all changed paths. */
  changed: number;
}

export interface HistoryOptions {
  /** Most commits to read. Default 300. */
  limit?: number;
  signal?: AbortSignal;
}

/** Larger commits say nothing about files that change together. */
const PATHS_PER_COMMIT = 200;
const DEFAULT_LIMIT = 300;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * The newest commits that touched a file or folder (`""` for the whole tree), newest first, without following merges
 * and renames. Throws `RelayError` `timeout` when the signal aborts, `forbidden` for a path outside of the tree.
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
  // Names, subjects and paths may contain anything but NUL and an unguessable separator.
  const separator = randomUUID();
  const format = `--format=${separator}%H%x00%an%x00%aI%x00%s%x00`;
  const command = ["log", `--max-count=${options.limit ?? DEFAULT_LIMIT}`, ...flags, format, commit, "--"];
  const limits = { maxBytes: MAX_BYTES, ...(options.signal ? { signal: options.signal } : {}) };
  const result = await git(gitDirectory, [...command, ...(safe === "" ? [] : [safe])], limits).catch(
    (cause: unknown) => {
      if (!options.signal?.aborted) throw cause;
      throw new RelayError("timeout", "reading the history was stopped before its end", { cause });
    },
  );
  if (result.code !== 0) throw new RelayError("io", `cannot read the history of ${path}: ${firstLine(result.stderr)}`);
  const records = result.stdout.toString("utf8").split(separator);
  // The last record may be incomplete.
  return (result.truncated ? records.slice(0, -1) : records).flatMap(parseRecord);
}

function parseRecord(record: string): ChangedTogether[] {
  const [commit, author, at, subject, ...rest] = record.split("\0");
  if (!commit || author === undefined || !at || subject === undefined) return [];
  const paths = rest.map((path, index) => (index <= 1 ? path.replace(/^\n/, "") : path)).filter((path) => path !== "");
  return [{ commit, author, at, subject, paths: paths.slice(0, PATHS_PER_COMMIT), changed: paths.length }];
}

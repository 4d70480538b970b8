import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { RelayError } from "../../lib/errors.ts";
import { BlobReader, type Blob } from "./blobs.ts";
import { git, gitIn } from "./git.ts";
import { changesAround, type ChangedTogether, type HistoryOptions } from "./history.ts";
import { firstLine, listTree, type TreeEntry } from "./tree.ts";
import { treePath } from "./tree-path.ts";
import { searchTree, type FoundLine, type SearchOptions } from "./grep.ts";

export type { TreeEntry } from "./tree.ts";

export interface Change {
  commit: string;
  author: string;
  /** ISO 8601. */
  at: string;
  subject: string;
}

/** One commit of a repository, read from its object store and never from the working tree. */
export interface Repository {
  /** Top of the work tree, or the directory of a bare repository. */
  readonly root: string;
  /** The git directory, with its objects. */
  readonly gitDirectory: string;
  readonly commit: string;
  /** The branch, when one was opened. */
  readonly branch?: string;
  files(): Promise<TreeEntry[]>;
  /** Whether there is a regular file at the path. */
  exists(path: string): Promise<boolean>;
  /**
   * The text of a file; `null` when there is none. Throws `RelayError` `forbidden` for a path that leaves the
   * tree and for links and submodules, `invalid` for a binary file, `too_large` over 2 MiB.
   */
  readFile(path: string): Promise<string | null>;
  /** Number of lines of a text file; `null` when it cannot be read as text. */
  lines(path: string): Promise<number | null>;
  /** Yields every line that matches an extended regular expression; see `searchTree`. */
  search(expression: string, options?: SearchOptions): AsyncIterable<FoundLine>;
  /** The newest commits that touched a path (`""` for all), with all paths that each changed. */
  history(path: string, options?: HistoryOptions): Promise<ChangedTogether[]>;
  /** The newest commits that touched the path, newest first. */
  log(path: string, limit?: number): Promise<Change[]>;
  /** Ends the reading process. */
  close(): Promise<void>;
}

/** Asks for the git directory, whether this is inside a work tree, and the way up to its top. */
const PLACE = ["rev-parse", "--absolute-git-dir", "--is-inside-work-tree", "--show-cdup"];
/** Paths may contain line breaks; the boolean between them does not. */
const PLACED = String.raw`^(.+)\n(true|false)\n(?:(.*)\n)?`;
/** Asks for the commit of HEAD, and the full name of the branch or `HEAD`. */
const HEAD = ["HEAD^{commit}", "--symbolic-full-name", "HEAD"];
const PLACED_WITH_HEAD = new RegExp(String.raw`${PLACED}([0-9a-f]{40,64})\n(?:refs/heads/(.+)|HEAD)\n$`, "s");
const PLACED_ALONE = new RegExp(`${PLACED}$`, "s");
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/**
 * Opens a work tree or a bare repository at a commit, `HEAD` by default (R-EXP-3).
 * Throws `RelayError` `usage` when the directory is no git repository, has no commit, or lacks the ref.
 */
export async function openRepository(directory: string, options: { ref?: string } = {}): Promise<Repository> {
  const found = await stat(directory).catch(() => null);
  if (!found?.isDirectory()) {
    throw new RelayError("usage", `${directory} is not a directory; give the directory of a git repository`);
  }
  const { ref } = options;
  const { gitDirectory, root, commit, branch } =
    (ref === undefined ? await checkedOut(directory) : null) ?? (await openedAt(directory, ref));
  return { root, gitDirectory, commit, ...(branch === undefined ? {} : { branch }), ...reading(gitDirectory, commit) };
}

interface Opened {
  gitDirectory: string;
  root: string;
  commit: string;
  branch: string | undefined;
}

/** The common case, in a single git call; null where HEAD leads to no commit. */
async function checkedOut(directory: string): Promise<Opened | null> {
  const { code, stdout } = await gitIn(directory, [...PLACE, ...HEAD]);
  const [, gitDirectory, inside, up, commit, branch] = PLACED_WITH_HEAD.exec(stdout.toString("utf8")) ?? [];
  if (code !== 0 || gitDirectory === undefined || commit === undefined) return null;
  return { gitDirectory, root: await topOf(directory, gitDirectory, inside, up), commit, branch };
}

async function openedAt(directory: string, ref: string | undefined): Promise<Opened> {
  const { code, stdout, stderr } = await gitIn(directory, PLACE);
  const [, gitDirectory, inside, up] = PLACED_ALONE.exec(stdout.toString("utf8")) ?? [];
  if (code !== 0 || gitDirectory === undefined) {
    const hint = "give a clone, or run `git init` and commit there first";
    throw new RelayError("usage", `${directory} is not a git repository (${firstLine(stderr)}); ${hint}`);
  }
  const root = await topOf(directory, gitDirectory, inside, up);
  const commit = await resolveCommit(gitDirectory, directory, ref);
  return { gitDirectory, root, commit, branch: await branchOf(gitDirectory, ref) };
}

async function topOf(directory: string, gitDirectory: string, inside: string | undefined, up = ""): Promise<string> {
  return inside === "true" ? resolve(await realpath(directory), up) : gitDirectory;
}

async function resolveCommit(gitDirectory: string, directory: string, ref: string | undefined): Promise<string> {
  const name = ref ?? "HEAD";
  if (name.includes("\0")) throw new RelayError("usage", `${JSON.stringify(name)} cannot be the name of a commit`);
  const result = await git(gitDirectory, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  const commit = result.stdout.toString("utf8").trim();
  if (result.code === 0 && /^[0-9a-f]{40,64}$/.test(commit)) return commit;
  if (ref === undefined) throw await noCommit(gitDirectory, directory);
  throw new RelayError(
    "usage",
    `there is no commit ${JSON.stringify(ref)} in ${directory}; fetch it, or name another branch, tag or commit`,
  );
}

/** Distinguishes a new repository from one that has lost its commit. */
async function noCommit(gitDirectory: string, directory: string): Promise<RelayError> {
  const head = await git(gitDirectory, ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD"]);
  const lost = head.stdout.toString("utf8").trim();
  return new RelayError(
    "usage",
    head.code === 0 && lost !== ""
      ? `the git repository ${directory} has lost the commit ${lost} that is checked out; fetch or clone it again`
      : `the git repository ${directory} has no commit yet; commit something first`,
  );
}

async function branchOf(gitDirectory: string, ref: string | undefined): Promise<string | undefined> {
  if (ref === undefined || ref === "HEAD") {
    const head = await git(gitDirectory, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
    return head.stdout.toString("utf8").trim() || undefined;
  }
  const full = await git(gitDirectory, ["rev-parse", "--quiet", "--symbolic-full-name", "--end-of-options", ref]);
  return /^refs\/heads\/(.+)$/m.exec(full.stdout.toString("utf8"))?.[1];
}

function reading(gitDirectory: string, commit: string) {
  let reader: BlobReader | undefined;
  let tree: Promise<Map<string, TreeEntry>> | undefined;

  function entries(): Promise<Map<string, TreeEntry>> {
    tree ??= listTree(gitDirectory, commit).then((list) => new Map(list.map((entry) => [entry.path, entry])));
    return tree;
  }

  async function entryAt(path: string): Promise<TreeEntry | undefined> {
    const known = await entries();
    // In git's form, or as a person writes the path.
    const listed = known.get(path);
    const safe = listed ? path : treePath(path);
    return safe === null ? undefined : known.get(safe);
  }

  function readBlob(objectName: string): Promise<Blob> {
    if (!reader?.alive) reader = new BlobReader(gitDirectory, MAX_TEXT_BYTES);
    return reader.read(objectName);
  }

  async function readFile(path: string): Promise<string | null> {
    const entry = await entryAt(path);
    if (!entry && treePath(path) === null) {
      throw new RelayError("forbidden", `${JSON.stringify(path)} is not a path inside the repository`);
    }
    if (!entry) return null;
    if (entry.kind !== "file") {
      throw new RelayError("forbidden", `${entry.path} is a ${entry.kind}, which is never followed`);
    }
    if (entry.size === null) throw missingBlob(entry.path);
    if (entry.size > MAX_TEXT_BYTES) throw tooLarge(entry.path, entry.size);
    const blob = await readBlob(entry.objectName);
    switch (blob.kind) {
      case "missing":
        throw missingBlob(entry.path);
      case "huge":
        throw tooLarge(entry.path, blob.bytes);
      case "blob":
        if (blob.content.subarray(0, 8_000).includes(0)) {
          throw new RelayError("invalid", `${entry.path} is a binary file`);
        }
        return blob.content.toString("utf8");
      default:
        return blob satisfies never;
    }
  }

  return {
    async files() {
      return [...(await entries()).values()];
    },
    async exists(path: string) {
      return (await entryAt(path))?.kind === "file";
    },
    readFile,
    async lines(path: string) {
      try {
        const text = await readFile(path);
        return text === null ? null : lineCount(text);
      } catch (error) {
        if (error instanceof RelayError && ["forbidden", "invalid", "too_large", "not_found"].includes(error.code)) {
          return null;
        }
        throw error;
      }
    },
    async log(path: string, limit = 10) {
      // Deleted paths have a history too.
      const known = (await entryAt(path))?.path ?? treePath(path);
      return known === null ? [] : await changesOf(gitDirectory, commit, known, limit);
    },
    search: (expression: string, options: SearchOptions = {}) => searchTree(gitDirectory, commit, expression, options),
    history: (path: string, options: HistoryOptions = {}) => changesAround(gitDirectory, commit, path, options),
    async close() {
      reader?.close();
      reader = undefined;
    },
  };
}

function missingBlob(path: string): RelayError {
  return new RelayError("not_found", `this clone does not hold the content of ${path}; fetch it whole`);
}

function tooLarge(path: string, bytes: number): RelayError {
  return new RelayError("too_large", `${path} has ${bytes} bytes; files over ${MAX_TEXT_BYTES} are not read`);
}

function lineCount(text: string): number {
  if (text === "") return 0;
  const breaks = text.split("\n").length;
  return text.endsWith("\n") ? breaks - 1 : breaks;
}

async function changesOf(gitDirectory: string, commit: string, path: string, limit: number): Promise<Change[]> {
  const format = "--format=%H%x00%an%x00%aI%x00%s";
  const result = await git(gitDirectory, ["log", `--max-count=${limit}`, format, commit, "--", path]);
  if (result.code !== 0) {
    throw new RelayError("io", `cannot read the history of ${path}: ${firstLine(result.stderr)}`);
  }
  return result.stdout
    .toString("utf8")
    .split("\n")
    .flatMap((record) => {
      const [hash, author, at, subject] = record.split("\0");
      return hash && author !== undefined && at && subject !== undefined ? [{ commit: hash, author, at, subject }] : [];
    });
}

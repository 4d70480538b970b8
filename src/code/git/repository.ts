import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { RelayError } from "../../lib/errors.ts";
import { BlobReader, type Blob } from "./blobs.ts";
import { git, gitIn } from "./git.ts";
import { publicRemoteUrl } from "./remote-url.ts";
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
  /** URL of its remote, without credentials; absent for local paths. */
  readonly remoteUrl?: string;
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

/** A commit, then the full name of its branch or `HEAD`. */
const CHECKED_OUT = /^([0-9a-f]{40,64})\n(?:refs\/heads\/(.+)|HEAD)\n$/;
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/**
 * Opens a work tree or a bare repository at a commit, `HEAD` by default (R-EXP-3).
 * Throws `RelayError` `usage` when the directory is no git repository, has no commit, or lacks the ref.
 */
export async function openRepository(directory: string, options: { ref?: string } = {}): Promise<Repository> {
  const found = await discover(directory);
  const [{ commit, branch }, remoteUrl] = await Promise.all([
    checkedOut(found.gitDirectory, directory, options.ref),
    remoteOf(found.gitDirectory),
  ]);
  return {
    root: found.root,
    gitDirectory: found.gitDirectory,
    commit,
    ...(branch === undefined ? {} : { branch }),
    ...(remoteUrl === undefined ? {} : { remoteUrl }),
    ...reading(found.gitDirectory, commit),
  };
}

async function discover(directory: string): Promise<{ gitDirectory: string; root: string }> {
  const found = await stat(directory).catch(() => null);
  if (!found?.isDirectory()) {
    throw new RelayError("usage", `${directory} is not a directory; give the directory of a git repository`);
  }
  const asked = ["rev-parse", "--absolute-git-dir", "--is-inside-work-tree", "--show-cdup"];
  const result = await gitIn(directory, asked);
  // Paths may contain line breaks; the boolean between them does not.
  const [, gitDirectory, inside, up = ""] =
    /^(.+)\n(true|false)\n(?:(.*)\n)?$/s.exec(result.stdout.toString("utf8")) ?? [];
  if (result.code !== 0 || !gitDirectory) {
    const hint = "give a clone, or run `git init` and commit there first";
    throw new RelayError("usage", `${directory} is not a git repository (${firstLine(result.stderr)}); ${hint}`);
  }
  if (inside !== "true") return { gitDirectory, root: gitDirectory };
  return { gitDirectory, root: resolve(await realpath(directory), up) };
}

/** Commit and branch of a ref; those of HEAD in a single git call, since that is the common case. */
async function checkedOut(
  gitDirectory: string,
  directory: string,
  ref: string | undefined,
): Promise<{ commit: string; branch: string | undefined }> {
  if (ref === undefined) {
    const { code, stdout } = await git(gitDirectory, ["rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD"]);
    const [, commit, branch] = CHECKED_OUT.exec(stdout.toString("utf8")) ?? [];
    if (code === 0 && commit !== undefined) return { commit, branch };
  }
  const commit = await resolveCommit(gitDirectory, directory, ref);
  return { commit, branch: await branchOf(gitDirectory, ref) };
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
      ? `the git repository ${directory} has lost the commit ${lost} that is checked out; fetch it again, or clone anew`
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

async function remoteOf(gitDirectory: string): Promise<string | undefined> {
  const result = await git(gitDirectory, ["config", "--local", "--get-regexp", String.raw`^remote\..*\.url$`]);
  const remotes = result.stdout.toString("utf8").trim().split("\n");
  const chosen = remotes.find((line) => line.startsWith("remote.origin.url ")) ?? remotes[0] ?? "";
  return publicRemoteUrl(chosen.slice(chosen.indexOf(" ") + 1));
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

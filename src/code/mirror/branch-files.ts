import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileBranch, PushRefused } from "../../adapters/spec-stores/git.ts";
import { RelayError } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import { commitAt, git, gitArguments, gitEnvironment, signedBy } from "../git/git.ts";
import { firstLine, kindOfMode } from "../git/tree.ts";
import { mirrorPath } from "./mirror-directory.ts";
import { type Push, type Pushed, gitDirectoryOf, pushBranch, pushLocal } from "./push.ts";
import { type RefreshOptions, refreshMirror } from "./refresh.ts";
import type { MirrorSource } from "./remote.ts";

export interface BranchOptions {
  /** Without `refs/heads/`. */
  name: string;
  /** Author and committer; only requested before a commit, since it may take a call to the tracker. */
  author: () => Promise<{ name: string; email: string }>;
  addressOf: FileBranch["address"];
}

/** A branch of a remote repository, accessed through its mirror. */
export function remoteBranch(source: MirrorSource, refresh: RefreshOptions, options: BranchOptions): FileBranch {
  return branchFiles(
    {
      fetched: async () => (await refreshMirror(source, refresh)).directory,
      known: async () => await ifThere(mirrorPath(refresh.home, source.url)),
      push: async (push) => await pushBranch(source, push),
    },
    options,
  );
}

/** A branch of a repository on this machine, given by its git directory or a working tree. */
export function localBranch(repository: string, options: BranchOptions): FileBranch {
  let found: string | null = null;
  const directory = async () => (found ??= await gitDirectoryOf(repository));
  return branchFiles(
    { fetched: directory, known: directory, push: async (push) => await pushLocal(repository, push) },
    options,
  );
}

interface Place {
  /** The git directory, after a fetch. */
  fetched: () => Promise<string>;
  /** The git directory as of the last fetch; null before the first one. */
  known: () => Promise<string | null>;
  push: (push: Push) => Promise<Pushed>;
}

/** Up to this many refusals in a row may be due to another push's lock; more must be due to a rule. */
const REFUSALS = 3;

function branchFiles(place: Place, { name, author, addressOf }: BranchOptions): FileBranch {
  const ref = `refs/heads/${name}`;
  let refusals = 0;
  const directory = async () => (await place.known()) ?? (await place.fetched());

  return {
    address: addressOf,
    tip: async () => await commitAt(await place.fetched(), ref),
    knownTip: async () => {
      const known = await place.known();
      return known === null ? null : await commitAt(known, ref);
    },
    read: async (commit, path, limit) => {
      const from = await directory();
      const listed = await git(from, ["ls-tree", "-l", "-z", "--full-tree", commit, "--", path]);
      const [, mode = "", kind, object = "", size] =
        /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t/.exec(listed.stdout.toString("utf8")) ?? [];
      // The commit is unknown: the branch was rewritten.
      if (listed.code !== 0 || object === "") return null;
      if (kind !== "blob" || kindOfMode(mode) !== "file") {
        throw new RelayError("forbidden", `${path} on the branch ${name} is not a plain file`);
      }
      if (Number(size) > limit) {
        throw new RelayError("too_large", `${path} on the branch ${name} has ${size} bytes, more than ${limit}`);
      }
      return await must("read the file", from, ["cat-file", "blob", object]);
    },
    filesIn: async (commit, folder) => {
      const command = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", folder];
      return namesIn(await must("list the files", await directory(), command));
    },
    changesOf: async (commit, path) => {
      const command = ["log", "-z", "--format=%H %ct", "--end-of-options", commit, "--", path];
      return namesIn(await must("read the history", await directory(), command)).map((record) => {
        const [hash = "", seconds] = record.split(" ");
        return { commit: hash, at: new Date(Number(seconds) * 1_000) };
      });
    },
    push: async (base, change) => {
      const into = await directory();
      const commit = await committed(into, base, { ...change, author: await author() });
      const pushed = await place.push({ directory: into, commit, branch: name, expected: base }).catch(refusedOr);
      if (pushed.kind !== "rejected") {
        refusals = 0;
        return commit;
      }
      refusals = pushed.why === "moved" ? 0 : refusals + 1;
      if (pushed.why === "checked out" || refusals > REFUSALS) {
        throw new PushRefused("forbidden", `${pushed.detail}; let Relay push to ${name}, or set another spec_store`);
      }
      return null;
    },
  };
}

/** Rethrows an error of a push; if access is missing, as `PushRefused`. */
function refusedOr(error: unknown): never {
  if (!(error instanceof RelayError) || error.code !== "forbidden") throw error;
  throw new PushRefused(error.code, error.message, { cause: error, accessLost: error.accessLost });
}

/** Commits changed files on top of `base`, with a separate index. Leaves only objects, which a crash may orphan. */
async function committed(
  directory: string,
  base: string | null,
  {
    files,
    message,
    at,
    author,
  }: Parameters<FileBranch["push"]>[1] & {
    author: Awaited<ReturnType<BranchOptions["author"]>>;
  },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "relay-index-"));
  const index = { GIT_INDEX_FILE: join(folder, "index") };
  try {
    await must("read the tree", directory, ["read-tree", base ?? "--empty"], { variables: index });
    const entries: string[] = [];
    for (const [path, content] of files) {
      const object = content === null ? null : await hashed(directory, content);
      entries.push(object === null ? `0 ${"0".repeat((base ?? "").length)}\t${path}` : `100644 ${object}\t${path}`);
    }
    await must("stage the files", directory, ["update-index", "-z", "--index-info"], {
      input: entries.map((entry) => `${entry}\0`).join(""),
      variables: index,
    });
    const tree = textOf(await must("write the tree", directory, ["write-tree"], { variables: index }));
    const parent = base === null ? [] : ["-p", base];
    const made = await must("commit", directory, ["commit-tree", "-F", "-", ...parent, tree], {
      input: message,
      variables: signedBy(author, at),
    });
    return textOf(made);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function hashed(directory: string, content: string | Buffer): Promise<string> {
  return textOf(await must("store the file", directory, ["hash-object", "-w", "--stdin"], { input: content }));
}

async function must(
  doing: string,
  directory: string,
  command: readonly string[],
  { input, variables = {} }: { input?: string | Buffer; variables?: Record<string, string> } = {},
): Promise<Buffer> {
  const result = await exec("git", gitArguments(directory, command), {
    cwd: directory,
    env: { ...gitEnvironment(), ...variables },
    timeoutMs: 30_000,
    ...(input === undefined ? {} : { input }),
  });
  if (result.code === 0) return result.stdout;
  throw new RelayError("io", `cannot ${doing} in ${directory}: ${firstLine(result.stderr)}; see that it is writable`);
}

function textOf(output: Buffer): string {
  return output.toString("utf8").trim();
}

function namesIn(output: Buffer): string[] {
  return output
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
}

async function ifThere(directory: string): Promise<string | null> {
  return (await stat(directory).catch(() => null))?.isDirectory() === true ? directory : null;
}

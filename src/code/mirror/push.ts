import { RelayError } from "../../lib/errors.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { commitAt, git, gitIn } from "../git/git.ts";
import { firstLine } from "../git/tree.ts";
import { fallibleRemoteGit } from "./remote-git.ts";
import type { NetworkLimits } from "./network-git.ts";
import { parseRemote, type MirrorSource } from "./remote.ts";

/** A commit, and the branch that should point at it. */
export interface Push {
  /** The git directory that holds the commit. */
  directory: string;
  commit: string;
  /** Without `refs/heads/`. */
  branch: string;
  /** Commit that the branch must be at; null when it must not exist. */
  expected: string | null;
}

export type Pushed =
  | { kind: "pushed" }
  /** The branch was already at this commit, for instance after an earlier attempt. */
  | { kind: "already there" }
  | {
      kind: "rejected";
      /**
       * `moved`: the branch is at `found` (null: does not exist), not at `expected`. `detail` explains the other
       * reasons.
       */
      why: "moved" | "refused" | "checked out";
      found: string | null;
      /** One line for users, without secrets. */
      detail: string;
    };

interface PushOptions {
  signal?: AbortSignal;
  limits?: Partial<NetworkLimits>;
}

const LIMITS: NetworkLimits = { overallMs: 10 * 60_000, silentSeconds: 60 };

/**
 * Creates or moves one branch of a remote repository, only if it is at the expected commit (R-WORK-8), so that nothing
 * that others pushed is lost. Throws `RelayError` like `refreshMirror` for an unreachable remote, and `usage` for an
 * invalid branch name.
 */
export async function pushBranch(source: MirrorSource, push: Push, options: PushOptions = {}): Promise<Pushed> {
  const { directory, commit, branch, expected } = push;
  const remote = parseRemote(source);
  const ref = await branchRef(directory, branch);
  const limits = { ...LIMITS, ...options.limits };
  const run = fallibleRemoteGit(source, remote, { limits, signal: options.signal, writes: true });
  const settings = ["push.gpgSign=false", "push.followTags=false", "push.default=nothing"];
  const command = ["push", "--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no"];
  const { result, failure } = await run(directory, [
    ...settings.flatMap((setting) => ["-c", setting]),
    ...command,
    // With a lease, git only replaces the expected commit, and by any other commit.
    `--force-with-lease=${ref}:${expected ?? ""}`,
    "--",
    remote.url,
    `${commitName(commit)}:${ref}`,
  ]);
  const flag = new RegExp(`^([ +*=!-])\\t[^\\t\\n]*:${escapeRegExp(ref)}\\t(.*)$`, "m").exec(result.stdout);
  if (failure === null) return { kind: flag?.[1] === "=" ? "already there" : "pushed" };
  if (flag?.[1] !== "!") throw failure;
  // Rejected by git on either side. The actual ref is more reliable than the message.
  const listed = await run(directory, ["ls-remote", "--", remote.url, ref]);
  if (listed.failure !== null) throw listed.failure;
  const found = /^([0-9a-f]{40,64})\t/m.exec(listed.result.stdout)?.[1] ?? null;
  if (found === commit) return { kind: "already there" };
  const complaint = (flag[2] ?? "").replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 300);
  const why = found === expected ? "refused" : "moved";
  return { kind: "rejected", why, found, detail: `${remote.url} did not take ${branch}: ${complaint}` };
}

/**
 * The same for a repository on this machine, given by its git directory or a working tree. Fetches the objects into it
 * and moves the branch, without running its hooks. Rejects a branch that is checked out, since the files of that
 * working tree would fall behind. Throws `RelayError` `usage` without a repository, `io` when it cannot be written.
 */
export async function pushLocal(target: string, push: Push): Promise<Pushed> {
  const { directory, branch, expected } = push;
  const repository = await gitDirectoryOf(target);
  const commit = commitName(push.commit);
  const ref = await branchRef(directory, branch);
  const found = await commitAt(repository, ref);
  if (found === commit) return { kind: "already there" };
  const rejected = (why: "moved" | "refused" | "checked out", detail: string): Pushed => ({
    kind: "rejected",
    why,
    found,
    detail: `${branch} was not moved in ${target}: ${detail}`,
  });
  if (found !== expected) return rejected("moved", "it is not where it was expected");
  const worktrees = await git(repository, ["worktree", "list", "--porcelain", "-z"]);
  if (worktrees.stdout.toString("utf8").split("\0").includes(`branch ${ref}`)) {
    return rejected("checked out", "a working tree has it checked out; switch to another branch there");
  }
  await fetchObjects(repository, directory, commit);
  const none = "0".repeat(commit.length);
  const moved = await git(repository, ["update-ref", "-m", "relay: push", ref, commit, expected ?? none]);
  if (moved.code === 0) return { kind: "pushed" };
  const now = await commitAt(repository, ref);
  if (now === commit) return { kind: "already there" };
  return rejected(now === expected ? "refused" : "moved", firstLine(moved.stderr));
}

export async function gitDirectoryOf(target: string): Promise<string> {
  const asked = await gitIn(target, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  if (asked.code === 0) return asked.stdout.toString("utf8").replace(/\n$/, "");
  throw new RelayError("usage", `${target} is not a git repository (${firstLine(asked.stderr)}); give a clone`);
}

async function fetchObjects(repository: string, from: string, commit: string): Promise<void> {
  const complete = await git(repository, [
    "rev-list",
    "--objects",
    "--quiet",
    "--end-of-options",
    commit,
    "--not",
    "--all",
  ]);
  if (complete.code === 0) return;
  const settings = ["protocol.file.allow=always", "fetch.fsckObjects=true", "gc.auto=0", "maintenance.auto=false"];
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];
  const more = ["--no-recurse-submodules", "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack"];
  const command = [...settings.flatMap((one) => ["-c", one]), ...fetch, ...more, "--", from, commit];
  const fetched = await git(repository, command, { timeoutMs: LIMITS.overallMs });
  if (fetched.code === 0) return;
  const complaint = firstLine(fetched.stderr);
  throw new RelayError(
    "io",
    `cannot bring ${commit} into ${repository} (${complaint}); check that it can be written to`,
  );
}

async function branchRef(directory: string, branch: string): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const fits = branch.length <= 200 && !branch.startsWith("-") && !branch.includes("\0");
  if (fits && (await git(directory, ["check-ref-format", ref])).code === 0) return ref;
  throw new RelayError("usage", `${JSON.stringify(branch.slice(0, 200))} cannot be the name of a branch`);
}

function commitName(commit: string): string {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return commit;
  throw new RelayError("internal", `${JSON.stringify(commit.slice(0, 100))} is not the full name of a commit`);
}

import { RelayError } from "../../lib/errors.ts";
import { commitAt, git, gitIn } from "../git/git.ts";
import { firstLine } from "../git/tree.ts";
import { dialogue } from "./remote-session.ts";
import type { NetworkLimits } from "./network-git.ts";
import { parseRemote } from "./remote.ts";
import type { MirrorSource } from "./remote.ts";

/** A commit, and the branch that is to be there. */
export interface Push {
  /** The git directory that holds the commit. */
  directory: string;
  commit: string;
  /** Without `refs/heads/`. */
  branch: string;
  /** Where the branch must be for this to be done; null where there must be none. */
  expected: string | null;
}

export type Pushed =
  | { kind: "pushed" }
  /** The branch was at this commit before, by an earlier try for instance. */
  | { kind: "already there" }
  | {
      kind: "rejected";
      /** `moved`: the branch is not where it was expected, `found` says where (null: nowhere). Others: `detail`. */
      why: "moved" | "refused" | "checked out";
      found: string | null;
      /** One line for people, without secrets. */
      detail: string;
    };

interface PushOptions {
  signal?: AbortSignal;
  limits?: Partial<NetworkLimits>;
}

const LIMITS: NetworkLimits = { overallMs: 10 * 60_000, silentSeconds: 60 };

/**
 * Moves one branch of a remote repository to a commit, or makes it, where it is exactly where it was expected
 * (R-WORK-8); whatever somebody else pushed stays. Throws `RelayError` as `refreshMirror` does for a remote that cannot
 * be reached, and `usage` for a name that is none of a branch.
 */
export async function pushBranch(source: MirrorSource, push: Push, options: PushOptions = {}): Promise<Pushed> {
  const { directory, commit, branch, expected } = push;
  const remote = parseRemote(source);
  const ref = await branchRef(directory, branch);
  const limits = { ...LIMITS, ...options.limits };
  const talk = dialogue(source, remote, { limits, signal: options.signal, writes: true });
  const settings = ["push.gpgSign=false", "push.followTags=false", "push.default=nothing"];
  const command = ["push", "--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no"];
  const { result, failure } = await talk(directory, [
    ...settings.flatMap((setting) => ["-c", setting]),
    ...command,
    // With a lease git takes any commit in the place of the expected one, and nothing in the place of another.
    `--force-with-lease=${ref}:${expected ?? ""}`,
    "--",
    remote.url,
    `${commitName(commit)}:${ref}`,
  ]);
  const flag = new RegExp(`^([ +*=!-])\\t[^\\t\\n]*:${escaped(ref)}\\t(.*)$`, "m").exec(result.stdout);
  if (failure === null) return { kind: flag?.[1] === "=" ? "already there" : "pushed" };
  if (flag?.[1] !== "!") throw failure;
  // Refused, by git here or there. What is there now tells more than any words.
  const listed = await talk(directory, ["ls-remote", "--", remote.url, ref]);
  if (listed.failure !== null) throw listed.failure;
  const found = /^([0-9a-f]{40,64})\t/m.exec(listed.result.stdout)?.[1] ?? null;
  if (found === commit) return { kind: "already there" };
  const said = (flag[2] ?? "").replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 300);
  const why = found === expected ? "refused" : "moved";
  return { kind: "rejected", why, found, detail: `${remote.url} did not take ${branch}: ${said}` };
}

/**
 * The same for a repository on this machine, given by its git directory or a working tree: the objects are fetched into it, the branch is moved, and no hook of it
 * runs. A branch that some working tree has checked out is left alone, since its files would be behind it. Throws
 * `RelayError` `usage` where there is no repository, `io` where it cannot be written to.
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
  await takeObjects(repository, directory, commit);
  const none = "0".repeat(commit.length);
  const moved = await git(repository, ["update-ref", "-m", "relay: push", ref, commit, expected ?? none]);
  if (moved.code === 0) return { kind: "pushed" };
  const now = await commitAt(repository, ref);
  if (now === commit) return { kind: "already there" };
  return rejected(now === expected ? "refused" : "moved", firstLine(moved.stderr));
}

async function gitDirectoryOf(target: string): Promise<string> {
  const asked = await gitIn(target, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  if (asked.code === 0) return asked.stdout.toString("utf8").replace(/\n$/, "");
  throw new RelayError("usage", `${target} is not a git repository (${firstLine(asked.stderr)}); give a clone`);
}

async function takeObjects(repository: string, from: string, commit: string): Promise<void> {
  const held = await git(repository, [
    "rev-list",
    "--objects",
    "--quiet",
    "--end-of-options",
    commit,
    "--not",
    "--all",
  ]);
  if (held.code === 0) return;
  const settings = ["protocol.file.allow=always", "fetch.fsckObjects=true", "gc.auto=0", "maintenance.auto=false"];
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];
  const more = ["--no-recurse-submodules", "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack"];
  const command = [...settings.flatMap((one) => ["-c", one]), ...fetch, ...more, "--", from, commit];
  const fetched = await git(repository, command, { timeoutMs: LIMITS.overallMs });
  if (fetched.code === 0) return;
  const said = firstLine(fetched.stderr);
  throw new RelayError("io", `cannot bring ${commit} into ${repository} (${said}); check that it can be written to`);
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

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

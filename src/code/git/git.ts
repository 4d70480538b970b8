import { devNull } from "node:os";
import { environmentWith, exec, type ExecResult } from "../../lib/exec.ts";

/**
 * A repository and its configuration are untrusted. These settings override everything in that configuration that would
 * run a program or reach the network.
 */
const SETTINGS = [
  "core.quotepath=off",
  "core.fsmonitor=false",
  `core.hooksPath=${devNull}`,
  "core.pager=cat",
  "color.ui=false",
  "log.showSignature=false",
  "grep.fullName=true",
  "protocol.allow=never",
  // The owner of the directory does not matter, since nothing in it is executed.
  "safe.directory=*",
  "safe.bareRepository=all",
] as const;

const FLAGS = ["--no-pager", "--literal-pathspecs", ...SETTINGS.flatMap((setting) => ["-c", setting])];

/** Arguments to run git on one git directory, with literal pathspecs. */
export function gitArguments(gitDirectory: string, command: readonly string[]): string[] {
  return [...FLAGS, `--git-dir=${gitDirectory}`, ...command];
}

/** The environment for reading: no locks, no prompts, no replaced objects, messages in English. */
export function gitEnvironment(): Record<string, string | undefined> {
  return environmentWith({
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    LC_ALL: "C",
    // Set when Relay is started from a git hook; they would point to another repository.
    GIT_DIR: undefined,
    GIT_WORK_TREE: undefined,
    GIT_INDEX_FILE: undefined,
    GIT_OBJECT_DIRECTORY: undefined,
    GIT_COMMON_DIR: undefined,
    GIT_NAMESPACE: undefined,
    GIT_PREFIX: undefined,
    GIT_EXTERNAL_DIFF: undefined,
    // Git refuses to combine these with literal pathspecs.
    GIT_GLOB_PATHSPECS: undefined,
    GIT_NOGLOB_PATHSPECS: undefined,
    GIT_ICASE_PATHSPECS: undefined,
  });
}

interface GitLimits {
  input?: string;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal | undefined;
}

/** Runs git on a git directory. A non-zero exit is a result. */
export function git(gitDirectory: string, command: readonly string[], limits: GitLimits = {}): Promise<ExecResult> {
  return exec("git", gitArguments(gitDirectory, command), {
    // Inside a work tree, git would resolve paths against the current folder.
    cwd: gitDirectory,
    env: gitEnvironment(),
    timeoutMs: 30_000,
    ...limits,
  });
}

/** Whether a commit is another one or its ancestor; false if the repository lacks one of them. */
export async function isWithin(directory: string, commit: string, head: string): Promise<boolean> {
  const { code } = await git(directory, ["merge-base", "--is-ancestor", commit, head]);
  return code === 0;
}

/** The commit of a full ref; null when the ref does not exist. */
export async function commitAt(gitDirectory: string, ref: string): Promise<string | null> {
  const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { code, stdout } = await git(gitDirectory, asked);
  return code === 0 ? stdout.toString("utf8").trim() : null;
}

/** Runs git in a directory whose git directory is unknown. */
export function gitIn(directory: string, command: readonly string[]): Promise<ExecResult> {
  return exec("git", [...FLAGS, ...command], { cwd: directory, env: gitEnvironment(), timeoutMs: 30_000 });
}

/** The author and date of a commit, for `git commit-tree`. */
export function signedBy({ name, email }: { name: string; email: string }, at: Date): Record<string, string> {
  const date = `${Math.floor(at.getTime() / 1_000)} +0000`;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
}

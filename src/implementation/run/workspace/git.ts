import { devNull } from "node:os";
import { RelayError } from "../../../lib/errors.ts";
import { exec, type ExecResult } from "../../../lib/exec.ts";
import { gitArguments, gitEnvironment } from "../../../code/git/git.ts";
import { firstLine } from "../../../code/git/tree.ts";

/**
 * Isolates git from the settings of the machine and the user, which could convert files on checkout, run programs, sign
 * commits, or write an index format that Relay does not read.
 */
const SETTINGS = [
  `core.attributesFile=${devNull}`,
  `core.excludesFile=${devNull}`,
  "core.autocrlf=false",
  "core.symlinks=true",
  "core.fileMode=true",
  "core.ignoreCase=false",
  "core.precomposeUnicode=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.splitIndex=false",
  "core.untrackedCache=false",
  "index.version=2",
  "index.sparse=false",
  "checkout.workers=1",
  "submodule.recurse=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
] as const;

export interface GitRun {
  input?: string | Buffer;
  /** Milliseconds; default one minute. */
  timeoutMs?: number;
  maxBytes?: number;
  workTree?: string;
  /** Environment variables for this git process only. */
  variables?: Record<string, string>;
  /** Git settings for this git process only. */
  settings?: readonly string[];
}

/** Runs git on one of Relay's own git directories. Returns even if the exit code is not zero. */
export function workGit(gitDirectory: string, command: readonly string[], run: GitRun = {}): Promise<ExecResult> {
  const { workTree, variables, settings = [], ...limits } = run;
  const flags = [...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]);
  const tree = workTree === undefined ? [] : [`--work-tree=${workTree}`];
  return exec("git", gitArguments(gitDirectory, [...flags, ...tree, ...command]), {
    cwd: workTree ?? gitDirectory,
    env: {
      ...gitEnvironment(),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: devNull,
      GIT_CONFIG_COUNT: undefined,
      GIT_CONFIG_PARAMETERS: undefined,
      GIT_ATTR_NOSYSTEM: "1",
      ...variables,
    },
    timeoutMs: 60_000,
    ...limits,
  });
}

/** Runs git and throws `RelayError` `io` if it fails; `doing` names the purpose. */
export async function mustGit(
  doing: string,
  gitDirectory: string,
  command: readonly string[],
  run: GitRun = {},
): Promise<Buffer> {
  const result = await workGit(gitDirectory, command, run);
  if (result.code === 0 && !result.truncated) return result.stdout;
  const complaint = result.truncated ? "git said too much" : firstLine(result.stderr) || "git said nothing";
  throw new RelayError("io", `cannot ${doing} in ${gitDirectory} (${complaint}); check the space and that it is whole`);
}

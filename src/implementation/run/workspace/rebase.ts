import { RelayError } from "../../../lib/errors.ts";
import { firstLine } from "../../../code/git/tree.ts";
import { mustGit, workGit } from "./git.ts";

export type RebaseResult = { kind: "rebased"; head: string } | { kind: "conflict"; files: string[] };

const MOST_COMMITS = 500;
const MERGE_MS = 120_000;

/**
 * Rebases the linear commits between `base` and `head` onto another commit, without a working tree. Throws `RelayError`
 * `not_found` if the source lacks the new base.
 */
export async function rebaseOnto(repository: string, base: string, head: string, onto: string): Promise<RebaseResult> {
  const found = await workGit(repository, ["rev-parse", "--verify", "--quiet", `${onto}^{tree}`]);
  if (found.code !== 0) {
    throw new RelayError("not_found", `the commit ${onto} is missing; fetch the repository first`);
  }
  let newest = onto;
  for (const commit of await commitsBetween(repository, base, head)) {
    const tree = await fingerprintOf(repository, newest);
    // Makes the commit's parent the merge base.
    const parent = await line(repository, ["rev-parse", "--verify", `${commit}^`]);
    const side = await line(repository, ["commit-tree", "-m", "side", "-p", parent, tree], RELAY);
    const merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", side, commit];
    const merged = await workGit(repository, merge, { timeoutMs: MERGE_MS });
    const [made = "", ...files] = merged.stdout.toString("utf8").split("\0");
    if (merged.code === 1) return { kind: "conflict", files: [...new Set(files.filter((file) => file !== ""))] };
    if (merged.code !== 0) {
      throw new RelayError("io", `cannot put ${commit} on ${onto}: ${firstLine(merged.stderr)}; start the run again`);
    }
    // Changes that the new base already has leave nothing to commit.
    if (made !== tree) newest = await recommit(repository, commit, made, newest);
  }
  return { kind: "rebased", head: newest };
}

const RELAY = {
  GIT_AUTHOR_NAME: "relay",
  GIT_AUTHOR_EMAIL: "relay@localhost",
  GIT_COMMITTER_NAME: "relay",
  GIT_COMMITTER_EMAIL: "relay@localhost",
};

async function commitsBetween(repository: string, base: string, head: string): Promise<string[]> {
  const command = ["rev-list", "--reverse", "--first-parent", `--max-count=${MOST_COMMITS}`, head, `^${base}`];
  const printed = await mustGit("list the run's commits", repository, command);
  return printed
    .toString("utf8")
    .split("\n")
    .filter((name) => name !== "");
}

/** The same commit with another tree and parent; message, people and dates stay the same. */
async function recommit(repository: string, commit: string, tree: string, parent: string): Promise<string> {
  const format = "--format=%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B";
  const shown = await mustGit("read a commit", repository, ["log", "-1", "--date=raw", format, commit]);
  const [an = "", ae = "", ad = "", cn = "", ce = "", cd = "", message = ""] = shown.toString("utf8").split("\0");
  const made = await mustGit("commit", repository, ["commit-tree", "-F", "-", "-p", parent, tree], {
    input: message,
    variables: {
      GIT_AUTHOR_NAME: an,
      GIT_AUTHOR_EMAIL: ae,
      GIT_AUTHOR_DATE: ad,
      GIT_COMMITTER_NAME: cn,
      GIT_COMMITTER_EMAIL: ce,
      GIT_COMMITTER_DATE: cd,
    },
  });
  return made.toString("utf8").trim();
}

async function fingerprintOf(repository: string, commit: string): Promise<string> {
  return await line(repository, ["rev-parse", "--verify", `${commit}^{tree}`]);
}

async function line(repository: string, command: string[], variables: Record<string, string> = {}): Promise<string> {
  return (await mustGit("put commits on another base", repository, command, { variables })).toString("utf8").trim();
}

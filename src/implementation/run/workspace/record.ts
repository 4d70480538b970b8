import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Change } from "./contents.ts";
import { mustGit } from "./git.ts";
import { rawBytes } from "./raw-path.ts";
import { removeAll } from "./remove.ts";
import type { Author } from "./workspace.ts";

export interface Recorded {
  repository: string;
  /** A folder for passing things to git. */
  staging: string;
  /** The first is where the branch is; another one, what a merge brings in. */
  parents: readonly [string, ...string[]];
  message: string;
  author: Author;
  at: Date;
}

/** Makes a commit of exactly the bytes that were judged; the tree is not looked at again. */
export async function recordCommit(changes: readonly Change[], recorded: Recorded): Promise<string> {
  const { repository, message, parents, author, at } = recorded;
  const names = await writeBlobs(changes, recorded);
  const gone = changes
    .filter(({ after }) => after === null)
    .map((change) => entry("0", "0".repeat(parents[0].length), change));
  const there = changes.flatMap((change) => {
    const name = names.get(change);
    return name === undefined || change.mode === null ? [] : [entry(change.mode, name, change)];
  });
  // What goes comes first: a file can take the place of a folder.
  await mustGit("stage the changes", repository, ["update-index", "-z", "--index-info"], {
    input: Buffer.concat([...gone, ...there]),
  });
  const tree = (await mustGit("write the tree", repository, ["write-tree"])).toString("utf8").trim();
  return await writeCommit(repository, { tree, parents, message, author, at });
}

function entry(mode: string, name: string, change: Change): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\t`), rawBytes(change.difference.path), Buffer.of(0)]);
}

/** A commit whose author and committer are the same. */
export async function writeCommit(
  repository: string,
  commit: { tree: string } & Pick<Recorded, "parents" | "message" | "author" | "at">,
): Promise<string> {
  const { author } = commit;
  const parents = commit.parents.flatMap((parent) => ["-p", parent]);
  const date = `${Math.floor(commit.at.getTime() / 1000)} +0000`;
  const made = await mustGit("commit", repository, ["commit-tree", "-F", "-", ...parents, commit.tree], {
    // Git takes any text but one with this in it.
    input: commit.message.replaceAll("\0", ""),
    variables: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_COMMITTER_DATE: date,
    },
  });
  return made.toString("utf8").trim();
}

async function writeBlobs(changes: readonly Change[], recorded: Recorded): Promise<Map<Change, string>> {
  const { repository, staging } = recorded;
  await removeAll(staging);
  await mkdir(staging, { recursive: true, mode: 0o700 });
  const files: { change: Change; file: string }[] = [];
  for (const change of changes) {
    if (change.after === null) continue;
    const file = join(staging, String(files.length));
    await writeFile(file, change.after);
    files.push({ change, file: String(files.length) });
  }
  if (files.length === 0) return new Map();
  const printed = await mustGit(
    "store the changed files",
    repository,
    ["hash-object", "-w", "--no-filters", "--stdin-paths"],
    { input: files.map(({ file }) => `${file}\n`).join(""), workTree: staging },
  );
  const names = printed.toString("utf8").trim().split("\n");
  await removeAll(staging);
  return new Map(files.map(({ change }, at) => [change, names[at] ?? ""]));
}

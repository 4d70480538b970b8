import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { signedBy } from "../../../code/git/git.ts";
import type { CommitAuthor } from "../../../domain/work.ts";
import type { Change } from "./content-rules.ts";
import { mustGit } from "./git.ts";
import { rawBytes } from "./raw-path.ts";
import { removeAll } from "./remove.ts";

export interface CommitOptions {
  repository: string;
  /** A folder for temporary files that are passed to git. */
  staging: string;
  /** The first is the head of the branch; a merge has a second one, the merged commit. */
  parents: readonly [string, ...string[]];
  message: string;
  author: CommitAuthor;
  at: Date;
}

/** Commits exactly the bytes that were checked, without reading the tree again. */
export async function commitChanges(changes: readonly Change[], options: CommitOptions): Promise<string> {
  const { repository, message, parents, author, at } = options;
  const names = await writeBlobs(changes, options);
  const gone = changes
    .filter(({ after }) => after === null)
    .map((change) => entry("0", "0".repeat(parents[0].length), change));
  const there = changes.flatMap((change) => {
    const name = names.get(change);
    return name === undefined || change.mode === null ? [] : [entry(change.mode, name, change)];
  });
  // Deletions come first: a file can replace a folder.
  await mustGit("stage the changes", repository, ["update-index", "-z", "--index-info"], {
    input: Buffer.concat([...gone, ...there]),
  });
  const tree = (await mustGit("write the tree", repository, ["write-tree"])).toString("utf8").trim();
  return await writeCommit(repository, { tree, parents, message, author, at });
}

function entry(mode: string, name: string, change: Change): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\t`), rawBytes(change.difference.path), Buffer.of(0)]);
}

/** Writes a commit whose author is also its committer. */
export async function writeCommit(
  repository: string,
  commit: { tree: string } & Pick<CommitOptions, "parents" | "message" | "author" | "at">,
): Promise<string> {
  const { author } = commit;
  const parents = commit.parents.flatMap((parent) => ["-p", parent]);
  const made = await mustGit("commit", repository, ["commit-tree", "-F", "-", ...parents, commit.tree], {
    // Git rejects only this character.
    input: commit.message.replaceAll("\0", ""),
    variables: signedBy(author, commit.at),
  });
  return made.toString("utf8").trim();
}

async function writeBlobs(changes: readonly Change[], options: CommitOptions): Promise<Map<Change, string>> {
  const { repository, staging } = options;
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

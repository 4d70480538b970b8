import { join } from "node:path";
import { mustGit } from "./git.ts";
import { shownPath } from "./raw-path.ts";
import { removeAll } from "./remove.ts";

const MOST_LISTED = 64 * 1024 * 1024;
const ABSENT = "000000";

/**
 * A tree like that of `head`, but with all files that are not kept as they are at `base`: the code without the change.
 */
export async function treeWithout(
  { repository, outside }: { repository: string; outside: string },
  { base, head }: { base: string; head: string },
  isKept: (path: string) => boolean,
): Promise<string> {
  const command = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", head, base];
  const listed = await mustGit("compare commits", repository, command, { maxBytes: MOST_LISTED });
  const fields = listed.toString("latin1").split("\0");
  const entries: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = "", name = ""] = /^:\d+ (\d+) \S+ ([0-9a-f]+) [A-Z]$/.exec(fields[at] ?? "") ?? [];
    const path = fields[at + 1] ?? "";
    if (mode === "" || isKept(shownPath(path))) continue;
    entries.push(mode === ABSENT ? `0 ${name}\t${path}\0` : `${mode} ${name}\t${path}\0`);
  }
  const index = join(outside, "index-without");
  const run = { variables: { GIT_INDEX_FILE: index } };
  try {
    await mustGit("read the commit", repository, ["read-tree", head], run);
    await mustGit("take the change out", repository, ["update-index", "-z", "--index-info"], {
      ...run,
      input: Buffer.from(entries.join(""), "latin1"),
    });
    return (await mustGit("write the tree", repository, ["write-tree"], run)).toString("utf8").trim();
  } finally {
    await removeAll(index);
  }
}

import { RelayError } from "../../../lib/errors.ts";
import type { Undone } from "../../../domain/work.ts";
import { BlobReader } from "../../../code/git/blob-reader.ts";
import { blockedPaths } from "./blocked.ts";
import { isTest, objectionTo, textOf } from "./contents.ts";
import type { Change } from "./contents.ts";
import { judgeByPath, MOST_FILE_BYTES } from "./judge.ts";
import type { MarkedFile } from "./conflict-markers.ts";
import { readPlain } from "./plain-file.ts";
import { putBack } from "./revert.ts";
import type { Yard } from "./revert.ts";
import { shownPath } from "./raw-path.ts";
import { survey } from "./survey.ts";
import type { Difference } from "./compare.ts";
import type { Ground } from "./survey.ts";
import type { ChangeRules } from "./workspace.ts";

/** What was undone can bare something else: a file that lay in the place of a folder, say. */
const ROUNDS = 8;
const MOST_TOLD = 20;

/**
 * Looks what differs, undoes what may not stand, and looks again until nothing is left to undo. A file that was `marked`
 * in a merge may become what stands beside either side. Throws `RelayError` `conflict` where the tree never comes to rest: a program still changes it.
 */
export async function settleTree(
  ground: Ground,
  yard: Yard,
  rules: ChangeRules,
  marked: readonly MarkedFile[] = [],
): Promise<{ changes: Change[]; undone: Undone[] }> {
  const isBlocked = blockedPaths(rules);
  const deletedByPlan = new Set(rules.deletedByPlan);
  const sidesOf = new Map(marked.map(({ path, sides }) => [path, sides]));
  const undone = new Map<string, Undone>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { stands, falls } = judgeByPath(await survey(ground), isBlocked);
    const changes = await readAll(ground, yard, stands);
    const moved = changes
      .filter(({ before, difference }) => before === null && isTest(shownPath(difference.path)))
      .map(({ after }) => textOf(after))
      .join("\n");
    for (const change of changes) {
      const sides = sidesOf.get(change.difference.path) ?? [change.before];
      const objections = sides.map((before) => objectionTo({ ...change, before }, deletedByPlan, moved));
      const objection = objections.includes(null) ? null : (objections[0] ?? null);
      if (objection !== null) falls.push({ difference: change.difference, undone: objection });
    }
    if (falls.length === 0) return { changes, undone: folded([...undone.values()]) };
    for (const { difference, undone: why } of falls) {
      undone.set(why.path, why);
      await putBack(yard, difference.path, difference.head);
    }
  }
  throw new RelayError("conflict", `something still changes the files in ${ground.tree}; end it, and try again`, {
    retryable: true,
  });
}

/** Crowds of files of one folder are told as one. */
function folded(undone: readonly Undone[]): Undone[] {
  const groups = Map.groupBy(undone, ({ path, why }) => `${why} ${path.slice(0, path.lastIndexOf("/") + 1)}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length <= MOST_TOLD) return group;
    const folder = first.path.slice(0, first.path.lastIndexOf("/") + 1);
    return [{ ...first, path: folder || "./", detail: `${group.length} files: ${first.detail}` }];
  });
}

async function readAll(ground: Ground, yard: Yard, differences: readonly Difference[]): Promise<Change[]> {
  const reader = new BlobReader(yard.repository, MOST_FILE_BYTES * 4);
  try {
    const changes: Change[] = [];
    for (const difference of differences) {
      const { head } = difference;
      const held = head === null || head.mode === "160000" ? null : await reader.read(head.objectName);
      const before = held === null ? null : held.kind === "blob" ? held.content : Buffer.alloc(0);
      const change = await readChange(ground.tree, difference, before);
      if (change !== null) changes.push(change);
    }
    return changes;
  } finally {
    reader.close();
  }
}

/** Null where it is not any more what it was a moment ago; the next look sees it. */
async function readChange(tree: string, difference: Difference, before: Buffer | null): Promise<Change | null> {
  switch (difference.kind) {
    case "deleted":
      return { difference, mode: null, before, after: null };
    case "link":
      return { difference, mode: "120000", before, after: difference.target };
    case "file": {
      const after = await readPlain(tree, difference.path, MOST_FILE_BYTES);
      return after === null ? null : { difference, mode: difference.mode, before, after };
    }
    case "odd":
    case "heap":
      return null;
    default:
      return difference satisfies never;
  }
}

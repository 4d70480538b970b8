import { RelayError } from "../../../lib/errors.ts";
import type { RevertedChange } from "../../../domain/work.ts";
import { BlobReader } from "../../../code/git/blobs.ts";
import { asStored, attributesOf, filteredReason } from "./attributes.ts";
import { blockedPaths, kindOfBlocked } from "./protected-paths.ts";
import { protectedPaths } from "../../../code/tools/protected-files.ts";
import { isRandom } from "../../../domain/text/secrets/credible.ts";
import { protectedValuesIn } from "../../../domain/text/secrets/protected-values.ts";
import { isTest, rejectionOf, textOf, type Change } from "./content-rules.ts";
import { checkPaths, MOST_FILE_BYTES } from "./path-rules.ts";
import type { FileWithMarkers } from "./conflict-markers.ts";
import { readPlain } from "./plain-file.ts";
import { revertPath, type TreePaths } from "./revert.ts";
import { type RawPath, shownPath } from "./raw-path.ts";
import { scanTree, type ScanContext } from "./scan-tree.ts";
import type { Difference } from "./compare.ts";
import type { ChangeRules } from "./workspace.ts";
import { folderOf } from "../../../lib/paths.ts";

/** Reverting one path can expose another, such as a folder that a file had replaced. */
const ROUNDS = 8;
const MOST_REPORTED = 20;

/**
 * Scans the tree, reverts every change that breaks a rule, and repeats until no change does. A file with conflict
 * markers passes if it is acceptable compared with either side of the merge. Contents are as git would store them, by
 * the attributes of the commit; `source` is the git directory that the run starts from. Throws `RelayError` `conflict`,
 * retryable, if the tree keeps changing because a program is still running.
 */
export async function validateChanges(
  scan: ScanContext,
  paths: TreePaths & { source: string },
  rules: ChangeRules,
  marked: readonly FileWithMarkers[] = [],
): Promise<{ changes: Change[]; reverted: RevertedChange[] }> {
  const isBlocked = blockedPaths(rules);
  const kindOf = kindOfBlocked(rules);
  const deletedByPlan = new Set(rules.deletedByPlan);
  const valuesOf = await valuesOfProtected(scan, paths);
  /** Values of protected files other than this one. */
  const protectedValues = (path: RawPath): string[] => valuesOf.flatMap((one) => (one.path === path ? [] : one.values));
  const sidesOf = new Map(marked.map(({ path, sides }) => [path, sides]));
  const reverted = new Map<string, RevertedChange>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { allowed, rejected } = checkPaths(await scanTree(scan), { isBlocked, kindOf }, scan.tracked.keys());
    const read = await readAll(scan, paths, allowed);
    const attributes = await attributesOf(
      read.flatMap(({ difference }) => (difference.kind === "file" ? [difference.path] : [])),
      paths,
    );
    const changes = read.flatMap((change) => asStored(change, attributes.get(change.difference.path)) ?? []);
    const moved = changes
      .filter(({ before, difference }) => before === null && isTest(shownPath(difference.path)))
      .map(({ after }) => textOf(after))
      .join("\n");
    for (const change of changes) {
      const sides = sidesOf.get(change.difference.path) ?? [change.before];
      const secrets = [...rules.secrets, ...protectedValues(change.difference.path)];
      const known = { deletedByPlan, moved, secrets };
      const rejections = sides.map((before) => rejectionOf({ ...change, before }, known));
      const rejection = rejections.includes(null) ? null : (rejections[0] ?? null);
      if (rejection !== null) rejected.push({ difference: change.difference, reverted: rejection });
    }
    for (const change of changes) {
      const filtered = filteredReason(change, attributes.get(change.difference.path));
      if (filtered !== null) rejected.push({ difference: change.difference, reverted: filtered });
    }
    if (rejected.length === 0) return { changes, reverted: folded([...reverted.values()]) };
    for (const { difference, reverted: change } of rejected) {
      reverted.set(change.path, change);
      await revertPath(paths, difference.path, difference.head);
    }
  }
  throw new RelayError("conflict", `something still changes the files in ${scan.tree}; end it, and try again`, {
    retryable: true,
  });
}

/** Many paths with the same reason are reported by folder, and by parent folders while there are still too many. */
function folded(reverted: readonly RevertedChange[]): RevertedChange[] {
  const byReason = Map.groupBy(reverted, ({ why }) => why);
  return [...byReason.values()].flatMap((all) => {
    const crowded = [...Map.groupBy(all, ({ path }) => folderOf(path)).values()].flatMap((group) =>
      group.length > MOST_REPORTED ? inFolder(group, folderOf) : group,
    );
    const deepest = Math.max(...crowded.map(({ path }) => path.split("/").length));
    let shown = crowded;
    for (let depth = deepest; depth >= 0 && shown.length > MOST_REPORTED; depth -= 1) {
      shown = inFolder(all, (path) => upTo(path, depth));
    }
    return shown;
  });
}

/** Merges changes in the same folder into one entry. */
function inFolder(reverted: readonly RevertedChange[], folderFor: (path: string) => string): RevertedChange[] {
  return [...Map.groupBy(reverted, ({ path }) => folderFor(path))].flatMap(([folder, group]) => {
    const [first] = group;
    if (first === undefined || group.length === 1) return group;
    return [{ ...first, path: folder || "./", detail: `${group.length} files: ${first.detail}` }];
  });
}

/** The first `depth` folders of a path; all of its folders if it is less deep. */
function upTo(path: string, depth: number): string {
  return path
    .split("/")
    .slice(0, -1)
    .slice(0, depth)
    .map((name) => `${name}/`)
    .join("");
}

/** How many protected files of the commit are read, and how many bytes of each. */
const MOST_PROTECTED = { files: 50, bytes: 64 * 1024 };

/** Values that no other file may contain; without values that could be ordinary words of the code. */
function valuesIn(content: Buffer): string[] {
  return protectedValuesIn(content.toString("utf8"))
    .filter(({ value, certainty }) => certainty === "secret" || isRandom(value))
    .map(({ value }) => value);
}

/** The values in the commit's protected files that must not appear elsewhere (R-SAFE-7). */
async function valuesOfProtected(
  { tracked }: ScanContext,
  { repository }: TreePaths,
): Promise<{ path: RawPath; values: string[] }[]> {
  const isProtected = protectedPaths();
  const files = [...tracked].filter(([path, { mode }]) => mode !== "160000" && isProtected(shownPath(path)));
  if (files.length === 0) return [];
  const reader = new BlobReader(repository, MOST_PROTECTED.bytes);
  try {
    const found = [];
    for (const [path, { objectName }] of files.slice(0, MOST_PROTECTED.files)) {
      const held = await reader.read(objectName);
      if (held?.kind === "blob") found.push({ path, values: valuesIn(held.content) });
    }
    return found;
  } finally {
    reader.close();
  }
}

async function readAll(scan: ScanContext, paths: TreePaths, differences: readonly Difference[]): Promise<Change[]> {
  const reader = new BlobReader(paths.repository, MOST_FILE_BYTES * 4);
  try {
    const changes: Change[] = [];
    for (const difference of differences) {
      const { head } = difference;
      const held = head === null || head.mode === "160000" ? null : await reader.read(head.objectName);
      const before = held === null ? null : held.kind === "blob" ? held.content : Buffer.alloc(0);
      const change = await readChange(scan.tree, difference, before);
      if (change !== null) changes.push(change);
    }
    return changes;
  } finally {
    reader.close();
  }
}

/** Null if the file's type has changed since the scan; the next scan will see it. */
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
    case "unsupported":
    case "overflow":
      return null;
    default:
      return difference satisfies never;
  }
}

import { RelayError } from "../../lib/errors.ts";
import { inSlices } from "../../lib/slices.ts";
import { git } from "../git/git.ts";
import { firstLine, kindOfMode, listTree, type TreeEntry } from "../git/tree.ts";
import { staysInTree } from "../git/tree-path.ts";

/** A commit and the entries of its tree, in git's order. */
export interface TreeListing {
  commit: string;
  entries: readonly TreeEntry[];
}

/** With more changes than this, a new listing is cheaper than patching. */
const MOST_CHANGES = 2_000;

/**
 * Lists a commit by patching the listing of an earlier one; lists all of it if there is none, or if too much changed.
 * Changed entries have no size until they are read.
 */
export async function listingAt(
  gitDirectory: string,
  commit: string,
  earlier: TreeListing | null,
  signal?: AbortSignal,
): Promise<TreeListing> {
  if (earlier?.commit === commit) return earlier;
  const changes = earlier === null ? null : await changesBetween(gitDirectory, earlier.commit, commit, signal);
  if (earlier === null || changes === null) return { commit, entries: await listTree(gitDirectory, commit, signal) };
  return { commit, entries: patched(earlier.entries, changes) };
}

interface Change {
  path: string;
  /** `null` when the path was deleted. */
  entry: TreeEntry | null;
}

async function changesBetween(
  gitDirectory: string,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<Change[] | null> {
  const command = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-commit-id", from, to];
  const result = await git(gitDirectory, command, { maxBytes: MOST_CHANGES * 400, signal });
  // The earlier commit may be gone, after a new shallow clone or a rewritten and pruned history.
  if (result.code !== 0 || result.truncated) return null;
  const fields = result.stdout.toString("utf8").split("\0");
  if (fields.length > MOST_CHANGES * 2) return null;
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = "", , objectName = ""] = (fields[at] ?? "").slice(1).split(" ");
    const path = fields[at + 1] ?? "";
    const deleted = mode === "000000" || !staysInTree(path);
    changes.push({
      path,
      entry: deleted ? null : { path, kind: kindOfMode(mode), executable: mode === "100755", objectName, size: null },
    });
  }
  return changes;
}

function patched(entries: readonly TreeEntry[], changes: readonly Change[]): TreeEntry[] {
  const byPath = new Map(changes.map((change) => [change.path, change.entry]));
  const result: TreeEntry[] = [];
  for (const entry of entries) {
    const changed = byPath.get(entry.path);
    if (changed === undefined) result.push(entry);
    else if (changed !== null) result.push(changed);
    if (changed !== undefined) byPath.delete(entry.path);
  }
  for (const entry of byPath.values()) if (entry !== null) result.splice(positionOf(entry.path, result), 0, entry);
  return result;
}

/** The position of a path in git's order, which compares bytes. */
function positionOf(path: string, entries: readonly TreeEntry[]): number {
  const bytes = Buffer.from(path);
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(Buffer.from(entries[middle]?.path ?? ""), bytes) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MODES = { file: "f", symlink: "l", submodule: "s" } as const;

/** Serializes a listing for the store. */
export function packListing(entries: readonly TreeEntry[]): Buffer {
  return Buffer.from(entries.map(packed).join("\0"));
}

/** The same in slices, for long listings. */
export async function packLongListing(entries: readonly TreeEntry[], signal?: AbortSignal): Promise<Buffer> {
  const records: string[] = [];
  await inSlices(entries, (entry) => records.push(packed(entry)), signal);
  return Buffer.from(records.join("\0"));
}

function packed({ path, kind, executable, objectName, size }: TreeEntry): string {
  return `${MODES[kind]}${executable ? "x" : "-"} ${objectName} ${size ?? ""}\t${path}`;
}

/** Parses what `packListing` wrote. Throws `RelayError` `internal` for anything else. */
export async function unpackListing(bytes: Buffer): Promise<TreeEntry[]> {
  if (bytes.length === 0) return [];
  const entries: TreeEntry[] = [];
  await inSlices(bytes.toString("utf8").split("\0"), (record) => entries.push(unpacked(record)));
  return entries;
}

function unpacked(record: string): TreeEntry {
  const tab = record.indexOf("\t");
  const [mode = "", objectName = "", size = ""] = record.slice(0, tab).split(" ");
  if (tab === -1) throw new RelayError("internal", `not a stored listing: ${firstLine(record)}`);
  return {
    path: record.slice(tab + 1),
    kind: mode[0] === "l" ? "symlink" : mode[0] === "s" ? "submodule" : "file",
    executable: mode[1] === "x",
    objectName,
    size: size === "" ? null : Number(size),
  };
}

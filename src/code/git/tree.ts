import { RelayError } from "../../lib/errors.ts";
import { inSlices } from "../../lib/slices.ts";
import { git } from "./git.ts";
import { staysInTree } from "./tree-path.ts";

export interface TreeEntry {
  path: string;
  /** Links and submodules are listed, and never followed. */
  kind: "file" | "symlink" | "submodule";
  executable: boolean;
  /** Name of the blob, or of the commit of a submodule. */
  objectName: string;
  /** Bytes; `null` for a submodule and for a blob that this clone lacks. */
  size: number | null;
}

/**
 * All entries in the tree of a commit, in git's order (by bytes of the path), except paths that escape it or lead into
 * `.git`. Throws `RelayError` `io` when the clone lacks the tree.
 */
export async function listTree(gitDirectory: string, commit: string, signal?: AbortSignal): Promise<TreeEntry[]> {
  const command = (long: string[]) => ["ls-tree", "-r", ...long, "-z", "--full-tree", commit];
  const limits = { maxBytes: 256 * 1024 * 1024, signal };
  const sized = await git(gitDirectory, command(["-l"]), limits);
  if (sized.code === 0) return await entriesIn(sized.stdout, signal);
  // When a blob is missing, git lists names but no sizes.
  const named = await git(gitDirectory, command([]), limits);
  if (named.code !== 0) {
    throw new RelayError(
      "io",
      `cannot list the files of ${commit} in ${gitDirectory}: ${firstLine(named.stderr)}; fetch or clone it whole`,
    );
  }
  const entries = await entriesIn(named.stdout, signal);
  const blobs = entries.flatMap((entry) => (entry.kind === "submodule" ? [] : [entry.objectName]));
  const sizes = await heldSizes(gitDirectory, commit, blobs);
  return entries.map((entry) => ({ ...entry, size: sizes.get(entry.objectName) ?? null }));
}

async function entriesIn(output: Buffer, signal?: AbortSignal): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const parse = (record: string) => {
    const entry = parseEntry(record);
    if (entry && staysInTree(entry.path)) entries.push(entry);
  };
  await inSlices(output.toString("utf8").split("\0"), parse, signal);
  return entries;
}

export function kindOfMode(mode: string): TreeEntry["kind"] {
  return mode === "120000" ? "symlink" : mode === "160000" ? "submodule" : "file";
}

/** The error in git's stderr as one line, without the warnings before it. */
export function firstLine(text: string): string {
  const lines = text.trim().split("\n");
  const complaint = lines.find((line) => /^(?:fatal|error): /.test(line));
  return (complaint ?? lines[0] ?? "").replace(/^(?:fatal|error): /, "");
}

function parseEntry(record: string): TreeEntry | null {
  const tab = record.indexOf("\t");
  const [mode, , objectName, size] = record.slice(0, tab).split(/ +/);
  if (tab === -1 || mode === undefined || objectName === undefined) return null;
  return {
    path: record.slice(tab + 1),
    kind: kindOfMode(mode),
    executable: mode === "100755",
    objectName,
    size: size !== undefined && /^\d+$/.test(size) ? Number(size) : null,
  };
}

const LIMITS = { maxBytes: 256 * 1024 * 1024 };

/**
 * Sizes of the blobs that this clone has, by name. Partial and damaged clones lack some; git would end at the first of
 * them, so missing ones are looked up first.
 */
async function heldSizes(
  gitDirectory: string,
  commit: string,
  objectNames: readonly string[],
): Promise<Map<string, number>> {
  const walk = ["rev-list", "--objects", "--no-object-names", "--missing=print", "--no-walk", commit];
  const walked = await git(gitDirectory, walk, LIMITS);
  const missing = new Set(linesOf(walked.stdout).flatMap((line) => (line.startsWith("?") ? [line.slice(1)] : [])));
  const asked = objectNames.filter((name) => !missing.has(name));
  return await sizesIn(gitDirectory, asked);
}

async function sizesIn(gitDirectory: string, objectNames: readonly string[]): Promise<Map<string, number>> {
  const command = ["cat-file", "--batch-check=%(objectsize) %(objectname)"];
  const checked = await git(gitDirectory, command, { ...LIMITS, input: `${objectNames.join("\n")}\n` });
  return new Map(
    linesOf(checked.stdout).flatMap((line) => {
      const [, size, name] = /^(\d+) ([0-9a-f]+)$/.exec(line) ?? [];
      return size === undefined || name === undefined ? [] : [[name, Number(size)]];
    }),
  );
}

function linesOf(output: Buffer): string[] {
  return output.toString("latin1").split("\n");
}

import { BlobReader } from "../../../code/git/blobs.ts";
import type { PathTest } from "../../../code/tools/glob.ts";
import { mustGit } from "./git.ts";
import { MOST_FILE_BYTES } from "./path-rules.ts";
import type { FileConflict } from "./merge.ts";
import { rawBytes, shownPath, type RawPath } from "./raw-path.ts";

/** Merges with more conflicting files are left to people. */
const MAX_CONFLICTS = 50;

/** A file with conflict markers, and its contents on each side; null where the side has no such file. */
export interface FileWithMarkers {
  path: RawPath;
  sides: readonly (Buffer | null)[];
}

export type MarkerResult =
  | { kind: "marked"; tree: string; files: FileWithMarkers[] }
  | { kind: "unmergeable"; files: string[] };

/**
 * Writes each conflict of a merge into its file as markers, even if one side deleted the file, so that resolving always
 * means removing markers. `unmergeable`: binary files, links, files that are too many or too large, and files that
 * agents may not change; people have to resolve those.
 */
export async function writeConflictMarkers(
  repository: string,
  { tree, conflicts }: { tree: string; conflicts: readonly FileConflict[] },
  { isBlocked, index }: { isBlocked: PathTest; index: string },
): Promise<MarkerResult> {
  if (conflicts.length > MAX_CONFLICTS)
    return { kind: "unmergeable", files: conflicts.map(({ path }) => shownPath(path)) };
  const reader = new BlobReader(repository, MOST_FILE_BYTES);
  const files: FileWithMarkers[] = [];
  const unmergeable: string[] = [];
  const entries: Buffer[] = [];
  try {
    for (const conflict of conflicts) {
      const path = shownPath(conflict.path);
      const sides = [await textOf(conflict.ours, reader), await textOf(conflict.theirs, reader)] as const;
      const merged =
        sides.includes("unsupported") || isBlocked(path) ? null : await mergedFile(repository, tree, path, reader);
      const [ours, theirs] = sides;
      if (
        merged === null ||
        ours === "unsupported" ||
        theirs === "unsupported" ||
        !rawBytes(conflict.path).equals(Buffer.from(path))
      ) {
        unmergeable.push(path);
        continue;
      }
      const text = ours === null || theirs === null ? wholeFileMarkers(ours, theirs) : merged.content;
      const file = { path: conflict.path, sides: [ours, theirs] };
      // For example, both sides changed only the file mode.
      if (!hasMarkers(text.toString("utf8"), file)) {
        unmergeable.push(path);
        continue;
      }
      files.push(file);
      if (text === merged.content) continue;
      const stored = await mustGit("mark a conflict", repository, ["hash-object", "-w", "--stdin"], { input: text });
      entries.push(Buffer.from(`${merged.mode} ${stored.toString("utf8").trim()}\t`), rawBytes(conflict.path), NUL);
    }
  } finally {
    reader.close();
  }
  if (unmergeable.length > 0) return { kind: "unmergeable", files: unmergeable };
  if (entries.length === 0) return { kind: "marked", tree, files };
  const run = { variables: { GIT_INDEX_FILE: index } };
  await mustGit("mark conflicts", repository, ["read-tree", tree], run);
  const input = Buffer.concat(entries);
  await mustGit("mark conflicts", repository, ["update-index", "-z", "--index-info"], { ...run, input });
  const marked = await mustGit("mark conflicts", repository, ["write-tree"], run);
  return { kind: "marked", tree: marked.toString("utf8").trim(), files };
}

const NUL = Buffer.of(0);

/** A conflict marker at the start of a line. */
const MARK = /^([<=>|])\1{6,}(?:\s|$)/;

/** Whether the text has markers that neither side had. */
export function hasMarkers(text: string, { sides }: FileWithMarkers): boolean {
  const own = new Set(sides.flatMap((side) => markersIn(side?.toString("utf8") ?? "")));
  return markersIn(text).some((line) => !own.has(line));
}

function markersIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => MARK.test(line));
}

function wholeFileMarkers(ours: Buffer | null, theirs: Buffer | null): Buffer {
  const begun = [Buffer.from("<<<<<<< the branch\n"), ...lines(ours), Buffer.from("=======\n")];
  return Buffer.concat([...begun, ...lines(theirs), Buffer.from(">>>>>>> the base\n")]);
}

function lines(side: Buffer | null): Buffer[] {
  if (side === null || side.length === 0) return [];
  return side.at(-1) === LINE_END ? [side] : [side, Buffer.of(LINE_END)];
}

const LINE_END = 10;

async function textOf(side: FileConflict["ours"], reader: BlobReader): Promise<Buffer | null | "unsupported"> {
  if (side === null) return null;
  if (side.mode !== "100644" && side.mode !== "100755") return "unsupported";
  const held = await reader.read(side.objectName);
  return held.kind === "blob" && !held.content.includes(0) ? held.content : "unsupported";
}

async function mergedFile(
  repository: string,
  tree: string,
  path: string,
  reader: BlobReader,
): Promise<{ mode: string; content: Buffer } | null> {
  const listed = await mustGit("read a merge", repository, ["ls-tree", "-z", tree, "--", path]);
  const [, mode, objectName] = /^(100644|100755) blob ([0-9a-f]+)\t/.exec(listed.toString("utf8")) ?? [];
  const held = objectName === undefined ? null : await reader.read(objectName);
  return mode !== undefined && held?.kind === "blob" ? { mode, content: held.content } : null;
}

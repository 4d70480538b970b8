import { BlobReader } from "../../../code/git/blob-reader.ts";
import type { PathTest } from "../../../code/tools/glob.ts";
import { mustGit } from "./git.ts";
import { MOST_FILE_BYTES } from "./judge.ts";
import type { Clash } from "./merge.ts";
import { rawBytes, shownPath } from "./raw-path.ts";
import type { RawPath } from "./raw-path.ts";

/** More clashing files than this nobody brings together but those who know why. */
const MOST_CLASHES = 50;

/** A file with marks in it, and what each side has there; null: nothing. */
export interface MarkedFile {
  path: RawPath;
  sides: readonly (Buffer | null)[];
}

export type Marked = { kind: "marked"; tree: string; files: MarkedFile[] } | { kind: "apart"; files: string[] };

/**
 * Writes each clash of a merge as marks in a file, also where one side has deleted it: so all that an agent has to do is
 * to leave no marks. `apart`: files where that would not do (no text, links, too many or too large), or that no agent
 * may change; people have to look at them.
 */
export async function markClashes(
  repository: string,
  { tree, clashes }: { tree: string; clashes: readonly Clash[] },
  { isBlocked, index }: { isBlocked: PathTest; index: string },
): Promise<Marked> {
  if (clashes.length > MOST_CLASHES) return { kind: "apart", files: clashes.map(({ path }) => shownPath(path)) };
  const reader = new BlobReader(repository, MOST_FILE_BYTES);
  const files: MarkedFile[] = [];
  const apart: string[] = [];
  const entries: Buffer[] = [];
  try {
    for (const clash of clashes) {
      const path = shownPath(clash.path);
      const sides = [await textOf(clash.ours, reader), await textOf(clash.theirs, reader)] as const;
      const merged = sides.includes("odd") || isBlocked(path) ? null : await mergedFile(repository, tree, path, reader);
      const [ours, theirs] = sides;
      if (merged === null || ours === "odd" || theirs === "odd" || !rawBytes(clash.path).equals(Buffer.from(path))) {
        apart.push(path);
        continue;
      }
      const text = ours === null || theirs === null ? wholeMarked(ours, theirs) : merged.content;
      const file = { path: clash.path, sides: [ours, theirs] };
      // Both changed its mode alone, say.
      if (!hasMarks(text.toString("utf8"), file)) {
        apart.push(path);
        continue;
      }
      files.push(file);
      if (text === merged.content) continue;
      const stored = await mustGit("mark a conflict", repository, ["hash-object", "-w", "--stdin"], { input: text });
      entries.push(Buffer.from(`${merged.mode} ${stored.toString("utf8").trim()}\t`), rawBytes(clash.path), NUL);
    }
  } finally {
    reader.close();
  }
  if (apart.length > 0) return { kind: "apart", files: apart };
  if (entries.length === 0) return { kind: "marked", tree, files };
  const run = { variables: { GIT_INDEX_FILE: index } };
  await mustGit("mark conflicts", repository, ["read-tree", tree], run);
  const input = Buffer.concat(entries);
  await mustGit("mark conflicts", repository, ["update-index", "-z", "--index-info"], { ...run, input });
  const marked = await mustGit("mark conflicts", repository, ["write-tree"], run);
  return { kind: "marked", tree: marked.toString("utf8").trim(), files };
}

const NUL = Buffer.of(0);

/** What merges leave at the beginning of a line. */
const MARK = /^([<=>|])\1{6,}(?:\s|$)/;

/** Whether there are marks in the text that neither side has of itself. */
export function hasMarks(text: string, { sides }: MarkedFile): boolean {
  const own = new Set(sides.flatMap((side) => marksIn(side?.toString("utf8") ?? "")));
  return marksIn(text).some((line) => !own.has(line));
}

function marksIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => MARK.test(line));
}

function wholeMarked(ours: Buffer | null, theirs: Buffer | null): Buffer {
  const begun = [Buffer.from("<<<<<<< the branch\n"), ...lines(ours), Buffer.from("=======\n")];
  return Buffer.concat([...begun, ...lines(theirs), Buffer.from(">>>>>>> the base\n")]);
}

function lines(side: Buffer | null): Buffer[] {
  if (side === null || side.length === 0) return [];
  return side.at(-1) === LINE_END ? [side] : [side, Buffer.of(LINE_END)];
}

const LINE_END = 10;

async function textOf(side: Clash["ours"], reader: BlobReader): Promise<Buffer | null | "odd"> {
  if (side === null) return null;
  if (side.mode !== "100644" && side.mode !== "100755") return "odd";
  const held = await reader.read(side.objectName);
  return held.kind === "blob" && !held.content.includes(0) ? held.content : "odd";
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

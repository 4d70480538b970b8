import type { Corpus } from "../index/corpus.ts";
import { baseName } from "../index/path-index.ts";
import type { TreeFile } from "../index/tree-file.ts";
import type { Scored } from "./neighbours.ts";

const DECLARATION = /\.d\.([cm]?)ts$|\.pyi$/;
const IMPLEMENTATIONS = ["js", "jsx", "ts", "tsx", "mjs", "cjs", "py", "pyx"];
/** A declaration comes just behind the code that it describes. */
const BEHIND_CODE = 0.9;
/** A copy comes well behind its original. */
const BEHIND_ORIGINAL = 0.8;
const IN_SOURCES = /(?:^|\/)src\//;
const DEEPEST = 1_000;
/** Share of terms that a file and its copy have in common. */
const SAME = 0.85;

/**
 * The score that files lose because another of the `best` files is the one to change (R-EXP-2): declarations of its
 * code, and copies in a mirrored tree. By position; absent if a file loses nothing.
 */
export function demoted(corpus: Corpus, best: readonly Scored[], scoreAt: (position: number) => number) {
  const lower = new Map<number, number>();
  for (const { position, score } of best) {
    const file = corpus.files[position];
    const code = file && codeOf(corpus, file);
    if (code !== undefined && scoreAt(code) * BEHIND_CODE < score) lower.set(position, scoreAt(code) * BEHIND_CODE);
  }
  const byName = Map.groupBy(best, ({ position }) => baseName(corpus.files[position]?.path ?? ""));
  for (const same of byName.values()) {
    for (const [at, copy] of same.entries()) {
      const original = same.find((other, place) => place !== at && isCopy(corpus, copy.position, other.position));
      if (original) lower.set(copy.position, Math.min(copy.score, original.score * BEHIND_ORIGINAL));
    }
  }
  return lower;
}

/** The code that a declaration file describes; undefined for other files, and if that code only re-exports. */
function codeOf(corpus: Corpus, file: TreeFile): number | undefined {
  if (!DECLARATION.test(file.path)) return undefined;
  const stem = file.path.replace(DECLARATION, "");
  return IMPLEMENTATIONS.flatMap((extension) => corpus.position(`${stem}.${extension}`) ?? []).find(
    (position) => (corpus.files[position]?.length ?? 0) * 2 >= file.length,
  );
}

/** Whether the first file is a copy of the second in a mirrored tree: same end of the path, nearly the same text. */
function isCopy(corpus: Corpus, copy: number, original: number): boolean {
  const one = corpus.files[copy];
  const other = corpus.files[original];
  if (!one || !other || !isMirrorOf(one.path, other.path)) return false;
  const terms = new Set(termsIn(one));
  const others = termsIn(other);
  const shared = others.filter((term) => terms.has(term)).length;
  return shared >= SAME * Math.max(terms.size, others.length);
}

/**
 * Decides which of two paths with the same end is the original: the one in a source folder, else the shorter one.
 * Otherwise neither is a copy, for example for the same file in two packages.
 */
function isMirrorOf(copy: string, original: string): boolean {
  return copy.split("/").at(-2) === original.split("/").at(-2) && depthOf(copy) > depthOf(original);
}

function depthOf(path: string): number {
  return path.split("/").length + (IN_SOURCES.test(path) ? 0 : DEEPEST);
}

function termsIn(file: TreeFile): number[] {
  if (file.slot === null) return [];
  const { segment, at } = file.slot;
  return [...segment.terms.subarray(at === 0 ? 0 : segment.ends[at - 1], segment.ends[at])];
}

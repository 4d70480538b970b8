import { classify, isOpaque, type FileClass, type FileRole } from "../classify.ts";
import { baseName } from "./path-index.ts";
import type { IndexedFile, Skipped } from "../code-index.ts";
import type { TreeEntry } from "../git/tree.ts";
import { skipOf, type Segment } from "./segment.ts";
import { fewTermsOf, type Term } from "./terms.ts";

/** Where the terms of a blob are. */
export interface SegmentSlot {
  segment: Segment;
  at: number;
}

/** One path of a commit and its index entry. */
export class TreeFile implements IndexedFile {
  readonly path: string;
  readonly objectName: string;
  readonly kind: TreeEntry["kind"];
  readonly bytes: number | null;
  readonly skipped: Skipped | null;
  /** `null` if its text is not indexed. */
  readonly slot: SegmentSlot | null;
  #class: FileClass | undefined;
  #pathTerms: readonly Term[] | undefined;
  #nameTerms: readonly Term[] | undefined;

  constructor(entry: TreeEntry, slot: SegmentSlot | undefined) {
    this.path = entry.path;
    this.objectName = entry.objectName;
    this.kind = entry.kind;
    this.skipped = skipReasonOf(entry, slot);
    this.slot = this.skipped === null && slot ? slot : null;
    this.bytes = slot?.segment.bytes[slot.at] ?? null;
  }

  /** Whether this still describes the entry; a missing blob may have been fetched since. */
  matches(entry: TreeEntry): boolean {
    return this.objectName === entry.objectName && this.kind === entry.kind && this.skipped !== "missing";
  }

  get role(): FileRole {
    return (this.#class ??= classify(this.path)).role;
  }

  get language(): string | null {
    return (this.#class ??= classify(this.path)).language;
  }

  /** Terms of the path. */
  get pathTerms(): readonly Term[] {
    return (this.#pathTerms ??= fewTermsOf(this.path));
  }

  /** Terms of the file name, or of the folder if the name is generic. */
  get nameTerms(): readonly Term[] {
    return (this.#nameTerms ??= fewTermsOf(ownName(this.path)));
  }

  /** Number of terms in its text. */
  get length(): number {
    return this.slot?.segment.lengths[this.slot.at] ?? 0;
  }
}

/** Generic names: the folder's name is more specific. */
const GENERIC_NAME = /^(?:index|main|mod|lib|__init__|init)$/;

function ownName(path: string): string {
  const name = baseName(path).replace(/\.[^.]*$/, "");
  return GENERIC_NAME.test(name) ? (path.split("/").at(-2) ?? name) : name;
}

function skipReasonOf(entry: TreeEntry, slot: SegmentSlot | undefined): Skipped | null {
  switch (entry.kind) {
    case "symlink":
      return "link";
    case "submodule":
      return "submodule";
    case "file":
      if (isOpaque(entry.path)) return "no text";
      return slot ? skipOf(slot.segment, slot.at) : "missing";
    default:
      return entry.kind satisfies never;
  }
}

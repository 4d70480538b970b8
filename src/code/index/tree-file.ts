import { classify, isOpaque } from "../classify.ts";
import type { FileClass, FileRole } from "../classify.ts";
import { baseName } from "./path-index.ts";
import type { IndexedFile, Skipped } from "../code-index.ts";
import type { TreeEntry } from "../git/tree.ts";
import { skipOf } from "./segment.ts";
import type { Segment } from "./segment.ts";
import { termsOf } from "./terms.ts";
import type { Term } from "./terms.ts";

/** Where a blob stands in the segments. */
export interface Place {
  segment: Segment;
  at: number;
}

/** One path of a commit and what the index holds of it. */
export class TreeFile implements IndexedFile {
  readonly path: string;
  readonly objectName: string;
  readonly kind: TreeEntry["kind"];
  readonly bytes: number | null;
  readonly skipped: Skipped | null;
  /** `null` where it has no terms. */
  readonly place: Place | null;
  #class: FileClass | undefined;
  #pathTerms: readonly Term[] | undefined;
  #nameTerms: readonly Term[] | undefined;

  constructor(entry: TreeEntry, place: Place | undefined) {
    this.path = entry.path;
    this.objectName = entry.objectName;
    this.kind = entry.kind;
    this.skipped = skippedAs(entry, place);
    this.place = this.skipped === null && place ? place : null;
    this.bytes = place?.segment.bytes[place.at] ?? null;
  }

  /** Whether it still tells what the index holds of an entry; what was missing may have come since. */
  isOf(entry: TreeEntry): boolean {
    return this.objectName === entry.objectName && this.kind === entry.kind && this.skipped !== "missing";
  }

  get role(): FileRole {
    return (this.#class ??= classify(this.path)).role;
  }

  get language(): string | null {
    return (this.#class ??= classify(this.path)).language;
  }

  /** What its path says. */
  get pathTerms(): readonly Term[] {
    return (this.#pathTerms ??= [...termsOf(this.path)]);
  }

  /** What its own name says; that of its folder where the name says nothing. */
  get nameTerms(): readonly Term[] {
    return (this.#nameTerms ??= [...termsOf(ownName(this.path))]);
  }

  /** How many terms its text has. */
  get length(): number {
    return this.place?.segment.lengths[this.place.at] ?? 0;
  }
}

/** Names that many folders have: the folder's own name says what is in them. */
const FOLDER_SPEAKS = /^(?:index|main|mod|lib|__init__|init)$/;

function ownName(path: string): string {
  const name = baseName(path).replace(/\.[^.]*$/, "");
  return FOLDER_SPEAKS.test(name) ? (path.split("/").at(-2) ?? name) : name;
}

function skippedAs(entry: TreeEntry, place: Place | undefined): Skipped | null {
  switch (entry.kind) {
    case "symlink":
      return "link";
    case "submodule":
      return "submodule";
    case "file":
      if (isOpaque(entry.path)) return "no text";
      return place ? skipOf(place.segment, place.at) : "missing";
    default:
      return entry.kind satisfies never;
  }
}

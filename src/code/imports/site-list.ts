import type { ImportSite } from "../code-index.ts";

/** Imports of one file; later ones are left out. */
const MOST_SITES = 500;
/** Longer specifiers are no real imports. */
export const LONGEST_SPECIFIER = 300;
/** Characters before an import that are searched for a comment. */
const LOOK_BACK = 300;

/** Collects the imports of one text from start to end. */
export class SiteList {
  readonly text: string;
  readonly sites: ImportSite[] = [];
  #line = 1;
  #lineStart = 0;
  #lineEnd: number;

  constructor(text: string) {
    this.text = text;
    this.#lineEnd = endOfLine(text, 0);
  }

  get full(): boolean {
    return this.sites.length >= MOST_SITES;
  }

  /** Adds the import at an offset; offsets must not decrease, or the import gets the latest line. */
  add(specifier: string, offset: number): void {
    if (this.full || specifier === "" || specifier.length > LONGEST_SPECIFIER || specifier.includes("\0")) return;
    this.#advance(offset);
    this.sites.push({ specifier, line: this.#line });
  }

  /** The end of the text before the offset on its line; offsets must not decrease. */
  lineBefore(offset: number): string {
    this.#advance(offset);
    return this.text.slice(Math.max(this.#lineStart, offset - LOOK_BACK), offset);
  }

  /** Whether a `//` precedes the offset on its line, other than in a URL (`http://`). */
  commentedOut(offset: number): boolean {
    const before = this.lineBefore(offset);
    return before.includes("//") && /(?<!:)\/\//.test(before);
  }

  #advance(offset: number): void {
    while (this.#lineEnd < offset) {
      this.#line += 1;
      this.#lineStart = this.#lineEnd + 1;
      this.#lineEnd = endOfLine(this.text, this.#lineStart);
    }
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

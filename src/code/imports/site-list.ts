import type { ImportSite } from "../code-index.ts";

/** Sites kept of one file. */
const MOST_SITES = 500;
/** Longer specifiers are no imports that somebody wrote. */
export const LONGEST_SPECIFIER = 300;
/** How far back on its line a comment is looked for. */
const LOOK_BACK = 300;

/** The imports of one text, gathered from its beginning to its end. */
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

  /** Notes an import that stands at an offset; an offset before the latest one counts as the latest line. */
  add(specifier: string, offset: number): void {
    if (this.full || specifier === "" || specifier.length > LONGEST_SPECIFIER || specifier.includes("\0")) return;
    this.#advance(offset);
    this.sites.push({ specifier, line: this.#line });
  }

  /** What stands before the offset on its line, from its end; offsets must not go back. */
  lineBefore(offset: number): string {
    this.#advance(offset);
    return this.text.slice(Math.max(this.#lineStart, offset - LOOK_BACK), offset);
  }

  /** Whether a `//` stands before the offset on its line; that of an address (`http://`) is none. */
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

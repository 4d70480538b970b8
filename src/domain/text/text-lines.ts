interface Edit {
  start: number;
  end: number;
  to: string;
}

/** The lines of a Markdown text, in which parts of blocks are replaced where they stand, behind marks of quotes and lists. */
export class TextLines {
  private readonly lines: (string | null)[];
  /** The line of a table's row, and how far its cells are read. */
  private row: { line: number; at: number; made: string } | null = null;

  constructor(text: string) {
    this.lines = text.split(/\r\n?|\n/);
  }

  /** The text as it is now. */
  text(): string {
    return this.lines.filter((line) => line !== null).join("\n");
  }

  /** The lines as they are now. */
  of(range: readonly [number, number] | null | undefined): string {
    return range ? this.lines.slice(range[0], range[1]).join("\n") : "";
  }

  /** Removes lines and returns them. `range`: from the first, to before the last. */
  remove(range: readonly [number, number] | null | undefined): string {
    if (!range) return "";
    const gone = this.lines.slice(range[0], range[1]).filter((line) => line !== null);
    // What was apart stays so.
    this.lines.fill(null, range[0], range[1]);
    if (range[1] > range[0]) this.lines[range[0]] = "";
    return gone.join("\n");
  }

  /** Replaces the last such words of the first line of a block. */
  replaceFirst(range: readonly [number, number] | null | undefined, words: string, by: string): void {
    const line = range ? (this.lines[range[0]] ?? "") : "";
    const at = line.lastIndexOf(words);
    if (range && at !== -1)
      this.lines[range[0]] = `${line.slice(0, at)}${by}${line.slice(at + words.length)}`.trimEnd();
  }

  openRow(range: readonly [number, number] | null | undefined): void {
    this.row = range ? { line: range[0], at: 0, made: "" } : null;
  }

  /** Removes the cells that a row has beyond those of its table, which nobody sees, and returns them. */
  closeRow(): string {
    if (this.row === null) return "";
    const rest = (this.lines[this.row.line] ?? "").slice(this.row.at);
    const more = /^\s*\|(?=.*[^\s|])/.test(rest) ? rest : "";
    this.lines[this.row.line] = `${this.row.made}${more === "" ? rest : " |"}`;
    this.row = null;
    return more;
  }

  /** Makes the edits, by positions in the content of a block, in its lines. */
  replace(range: readonly [number, number] | null, content: string, edits: readonly Edit[]): void {
    if (range === null) return this.replaceCell(content, edits);
    if (edits.length === 0) return;
    const parts = content.split("\n");
    const shown = edited(parts, edits);
    for (const [index, part] of parts.entries()) {
      const now = shown[index] ?? null;
      if (now === part) continue;
      const at = range[0] + index;
      const line = this.lines[at] ?? "";
      const [was, is] = [part.trim(), now?.trim() ?? null];
      const place = line.lastIndexOf(was);
      if (is === null) this.lines[at] = null;
      // Tabs that a quote shares with its text; rare, and never hidden.
      else this.lines[at] = place === -1 ? is : `${line.slice(0, place)}${is}${line.slice(place + was.length)}`;
    }
  }

  /** The same for a block; what was apart from it stays so when all of it goes. */
  replaceBlock(range: readonly [number, number] | null, content: string, edits: readonly Edit[]): void {
    if (range === null) return;
    this.replace(range, content, edits);
    const isGone = this.lines.slice(range[0], range[1]).every((line) => line === null);
    if (isGone) this.lines[range[0]] = "";
  }

  private replaceCell(content: string, edits: readonly Edit[]): void {
    if (this.row === null) return;
    const line = this.lines[this.row.line] ?? "";
    // A row begins with a bar, or with its first cell.
    const from = this.row.at + (/^\s*\|/.exec(line.slice(this.row.at, this.row.at + 100))?.[0].length ?? 0);
    const written = content.replaceAll("|", "\\|");
    const place = line.startsWith(written, from) ? from : line.indexOf(written, from);
    if (place === -1 || content === "") {
      this.row.made += line.slice(this.row.at, from);
      this.row.at = from;
      return;
    }
    const [now] = edited([content], edits);
    const end = place + written.length;
    this.row.made += line.slice(this.row.at, place) + (now ?? "").replaceAll("|", "\\|");
    this.row.at = end;
  }
}

/** The lines after the edits; null for those that an edit takes away as a whole. */
function edited(lines: readonly string[], edits: readonly Edit[]): (string | null)[] {
  const shown: (string | null)[] = [];
  const inOrder = edits.toSorted((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  let goneTo = 0;
  let start = 0;
  for (const line of lines) {
    const end = start + line.length;
    let [made, at, isCut] = ["", start, false];
    if (goneTo > at) [at, isCut] = [Math.min(goneTo, end), true];
    for (let edit = inOrder[next]; edit !== undefined && edit.start <= end; edit = inOrder[next]) {
      next += 1;
      if (edit.start < at || edit.start < goneTo) continue;
      made += line.slice(at - start, edit.start - start) + edit.to;
      goneTo = edit.end;
      [at, isCut] = [Math.min(edit.end, end), true];
    }
    made += line.slice(at - start);
    shown.push(isCut && made.trim() === "" ? null : made);
    start = end + 1;
  }
  return shown;
}

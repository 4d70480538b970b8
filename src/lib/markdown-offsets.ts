import { type Token, blockTokens, markdownParser as markdown, markdownTokens } from "./markdown.ts";

/*
 * Offsets of code in a Markdown text, for replacements in place. markdown-it has the lines of blocks, but not the
 * positions of code spans within a line; so spans are paired here, as in CommonMark, within the lines of a block.
 */

/** A range of a Markdown text, by offsets, in which nothing is parsed as Markdown. */
export interface CodeRange {
  start: number;
  end: number;
  kind: "fence" | "indented" | "span";
  /** The opening run of a fence; empty for the others. */
  markup: string;
  /** Not inside of a list or a quote. */
  topLevel: boolean;
}

/** Code by block structure, and code spans unless `spans` is false; in order, without overlaps. Lines end in `\n`. */
export function codeRanges(text: string, { spans } = { spans: true }): CodeRange[] {
  return rangesOf(blockTokens(text), text, spans);
}

/** The text outside of code and tags, one piece per line: where trackers look for mentions. */
export function spokenText(text: string): string {
  return markdownTokens(text).map(spoken).join("\n");
}

/** What closes a code fence that is still open at the end; null when none is. */
export function openFence(text: string): string | null {
  if (blockTokens(text).at(-1)?.type !== "fence") return null;
  const last = blockTokens(`${text}\n\nx`).at(-1);
  return last?.type === "fence" && last.level === 0 ? last.markup : null;
}

/** The range that the position is in, of ranges that are in order and do not overlap. */
export function rangeAt<R extends { start: number; end: number }>(ranges: readonly R[], position: number): R | null {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range && range.start <= position ? range : null;
}

function rangesOf(tokens: readonly Token[], text: string, spans: boolean): CodeRange[] {
  const starts = lineStarts(text);
  const at = (line: number) => starts[line] ?? text.length;
  const ranges: CodeRange[] = [];
  let row: [number, number] | null = null;
  let scanned = -1;
  for (const token of tokens) {
    if (token.type === "tr_open") row = token.map;
    const map = token.map ?? row;
    if (!map) continue;
    const [first, end] = map;
    if (token.type === "fence" || token.type === "code_block") {
      const kind = token.type === "fence" ? "fence" : "indented";
      ranges.push({ start: at(first), end: at(end), kind, markup: token.markup, topLevel: token.level === 0 });
    } else if (spans && token.type === "inline" && first > scanned) {
      // The cells of a table row share their line; it is read once.
      scanned = first;
      ranges.push(...codeSpans(text.slice(at(first), at(end)), at(first)));
    }
  }
  return ranges;
}

/** Code spans pair runs of equally many backticks, left to right; a backslash escapes only an opening one. */
function codeSpans(text: string, offset: number): CodeRange[] {
  const runs = [...text.matchAll(/`+/g)].map((match) => ({ start: match.index, length: match[0].length }));
  const ofLength = new Map<number, { positions: number[]; cursor: number }>();
  for (const [index, run] of runs.entries()) {
    const same = ofLength.get(run.length);
    if (same) same.positions.push(index);
    else ofLength.set(run.length, { positions: [index], cursor: 0 });
  }
  // The opening run only moves right, so each list is walked once: adversarial input stays linear.
  const closingRun = (length: number, after: number): number | null => {
    const same = ofLength.get(length);
    if (!same) return null;
    while ((same.positions[same.cursor] ?? Infinity) <= after) same.cursor += 1;
    return same.positions[same.cursor] ?? null;
  };
  const ranges: CodeRange[] = [];
  let index = 0;
  while (index < runs.length) {
    const run = runs[index];
    if (!run) break;
    const escaped = backslashesBefore(text, run.start) % 2;
    const length = run.length - escaped;
    const close = closingRun(length, index);
    const closing = close === null ? undefined : runs[close];
    if (close === null || !closing) {
      index += 1;
      continue;
    }
    const end = closing.start + closing.length;
    ranges.push({ start: offset + run.start + escaped, end: offset + end, kind: "span", markup: "", topLevel: false });
    index = close + 1;
  }
  return ranges;
}

function backslashesBefore(text: string, position: number): number {
  let count = 0;
  while (text[position - 1 - count] === "\\") count += 1;
  return count;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\n/g)) starts.push(match.index + 1);
  return starts;
}

function spoken(token: Token): string {
  if (token.type === "html_block") return markdown.utils.unescapeAll(token.content.replaceAll(/<[^<>]*>/g, "\n"));
  if (token.type !== "inline") return "";
  return (token.children ?? []).map((child) => (child.type === "text" ? child.content : "\n")).join("");
}

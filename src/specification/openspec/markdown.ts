import { linesOf } from "../../domain/spec-document/blocks.ts";
import { blockTokens } from "../../lib/markdown.ts";

/** A heading outside of lists, quotes and code, with the text below it up to the next one that divides. */
export interface Part {
  depth: number;
  /** As written, without its marks. */
  heading: string;
  body: string;
}

interface HeadingLine {
  depth: number;
  text: string;
  /** Lines from 0; the end is not part of it. */
  start: number;
  end: number;
}

/** Divides a text at the headings for which `divides` holds; each body is whole Markdown again, without blank edges. */
export function divide(
  text: string,
  divides: (heading: { depth: number; text: string }) => boolean,
): { before: string; parts: Part[] } {
  const lines = linesOf(text);
  const headings = headingsIn(text).filter(divides);
  const bodies = headings.map((heading, index) => cutOut(lines, heading.end, headings[index + 1]?.start));
  return {
    before: cutOut(lines, 0, headings[0]?.start),
    parts: headings.map((heading, index) => ({
      depth: heading.depth,
      heading: heading.text,
      body: bodies[index] ?? "",
    })),
  };
}

/** What stands below the first heading of a text, and its depth. */
export function belowHeading(text: string): { depth: number; body: string } {
  const [heading] = headingsIn(text);
  return { depth: heading?.depth ?? 2, body: cutOut(linesOf(text), heading?.end ?? 0, undefined) };
}

/** The same text with its headings at these depths, all written with `#`. */
export function withDepths(text: string, depthOf: (heading: { depth: number; text: string }) => number): string {
  const lines = linesOf(text);
  for (const heading of headingsIn(text).toReversed()) {
    const line = `${"#".repeat(Math.min(6, depthOf(heading)))} ${heading.text}`.trimEnd();
    lines.splice(heading.start, heading.end - heading.start, line);
  }
  return lines.join("\n");
}

/** Paragraphs and blocks, an empty line between any two. */
export function joined(...blocks: string[]): string {
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Whether two texts differ in white space only. */
export function isSameText(a: string, b: string): boolean {
  return a.replaceAll(/\s+/g, " ").trim() === b.replaceAll(/\s+/g, " ").trim();
}

function headingsIn(text: string): HeadingLine[] {
  const tokens = blockTokens(text, { keepReferences: true });
  return tokens.flatMap((token, index) => {
    if (token.type !== "heading_open" || token.level !== 0 || token.map === null) return [];
    const [start, end] = token.map;
    const written = tokens[index + 1]?.content ?? "";
    return [{ depth: Number(token.tag.slice(1)), text: written.replaceAll(/\s+/g, " ").trim(), start, end }];
  });
}

function isText(line: string): boolean {
  return line.trim() !== "";
}

function cutOut(lines: readonly string[], start: number, end: number | undefined): string {
  const part = lines.slice(start, end);
  const first = part.findIndex(isText);
  return first === -1 ? "" : ended(part.slice(first, part.findLastIndex(isText) + 1).join("\n"));
}

/** A block of code or a comment without an end would swallow what comes after it. */
function ended(text: string): string {
  const last = blockTokens(text, { keepReferences: true }).at(-1);
  if (last?.level !== 0) return text;
  if (last.type === "fence") {
    const closing = (linesOf(text).at(-1) ?? "").trim();
    const isClosed = closing.length >= last.markup.length && closing === last.markup.charAt(0).repeat(closing.length);
    const isOpenOnly = last.map !== null && last.map[1] - last.map[0] < 2;
    return isClosed && !isOpenOnly ? text : `${text}\n${last.markup}`;
  }
  const isOpen = last.type === "html_block" && last.content.startsWith("<!--") && !last.content.includes("-->");
  return isOpen ? `${text}\n-->` : text;
}

export function section(heading: string, body: string): string {
  return body === "" ? "" : joined(`## ${heading}`, body);
}

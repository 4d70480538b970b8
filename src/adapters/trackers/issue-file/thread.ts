import { toTime } from "./fields.ts";
import { wrong } from "./front-matter.ts";

export interface FileComment {
  author: string;
  at: Date;
  body: string;
}

const OPENING = /^## +Comment by +@?(\S+)(?: +at +(\S.*))?$/i;

/**
 * Splits the lines of an issue file at `## Comment by @name at TIME`, which counts outside of code fences only.
 *
 * @param offset lines of the file before these, for errors
 * @throws RelayError `usage` with the line of a comment that has no valid time
 */
export function splitThread(lines: string[], offset: number, file: string): { body: string; comments: FileComment[] } {
  const body: string[] = [];
  const parts: { author: string; at: Date; lines: string[] }[] = [];
  let fence: string | null = null;
  for (const [index, line] of lines.entries()) {
    const opened = fence === null ? OPENING.exec(line.trimEnd()) : null;
    fence = fenceAfter(line, fence);
    if (!opened) {
      (parts.at(-1)?.lines ?? body).push(line);
      continue;
    }
    const at = toTime(opened[2] ?? "");
    if (at === null) {
      const problem = opened[2] === undefined ? "opens a comment without a time" : "opens a comment at no valid time";
      throw wrong(
        `${file}:${offset + index + 1}`,
        `${problem}; write \`## Comment by @name at 2026-03-01T10:00:00Z\`, or put a space before ## if it is no comment`,
      );
    }
    parts.push({ author: opened[1] ?? "", at, lines: [] });
  }
  return {
    body: withoutBlankEnds(body),
    comments: parts.map((part) => ({ author: part.author, at: part.at, body: withoutBlankEnds(part.lines) })),
  };
}

/** The mark of the code fence that is open after the line, or null. */
function fenceAfter(line: string, open: string | null): string | null {
  const [, mark, info] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (mark === undefined || info === undefined) return open;
  if (open === null) return mark.startsWith("`") && info.includes("`") ? null : mark;
  return mark.startsWith(open) && info.trim() === "" ? null : open;
}

/** Blank lines at both ends go; the indentation of the first line stays, since it may be code. */
function withoutBlankEnds(lines: string[]): string {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? "" : lines.slice(first).join("\n").trimEnd();
}

import type { Citation, TouchPoint } from "./document.ts";

/** Words and numbers that cite: `Gap #2`, `messages 3, 5`. */
export const NUMBERED = /\b(gap|finding|message)s?\s+#?(\d{1,20}(?:\s*,\s*#?\d{1,20})*)/gi;
/** With as many backticks around it as it needs. */
const CODE_SPAN = /(?<!`)(?<ticks>`{1,3})(?!`)(?<code>[^\n]{1,400}?)(?<!`)\k<ticks>(?!`)/g;
const PLACE = /^([^\s:`'"<>|*?]+):(\d{1,7})(?:-(\d{1,7}))?$/;
/** `example.com:8080` is an address, not a file. */
const DOMAIN = /\.(?:com|org|net|io|dev|local|localhost|internal|test|example)$/i;

/** Everything a text cites: gaps, findings and messages by number, and `path:line` in code spans. */
export function citationsIn(text: string, line: number): Citation[] {
  const citations: Citation[] = [];
  for (const [at, match] of matchesIn(text, NUMBERED, line)) {
    const kind = citedKind(match[1] ?? "");
    for (const id of (match[2] ?? "").matchAll(/\d+/g)) citations.push({ kind, id: id[0], line: at });
  }
  for (const [at, match] of matchesIn(text, CODE_SPAN, line)) {
    const place = placeIn(match.groups?.["code"] ?? "");
    if (place) citations.push({ kind: "file", ...place, line: at });
  }
  return citations;
}

/** Each match with its line, counted on from the one before it. */
function* matchesIn(text: string, pattern: RegExp, line: number): Generator<[number, RegExpExecArray]> {
  let at = line;
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    for (let next = text.indexOf("\n", from); next !== -1 && next < match.index; next = text.indexOf("\n", from)) {
      at += 1;
      from = next + 1;
    }
    yield [at, match];
  }
}

/** How a place is written: `path:line` or `path:start-end`. */
export function locationOf({ path, start, end }: { path: string; start: number; end: number }): string {
  return start === end ? `${path}:${start}` : `${path}:${start}-${end}`;
}

export function citedKind(word: string): "gap" | "finding" | "message" {
  const kind = word.toLowerCase();
  return kind === "gap" || kind === "finding" ? kind : "message";
}

/** The place that a code span names; null if it names none. */
export function placeIn(span: string): { path: string; start: number; end: number } | null {
  const match = PLACE.exec(span.trim());
  const path = match?.[1] ?? "";
  if (!match || !isPath(path) || DOMAIN.test(path) || path.includes("//")) return null;
  const start = Number(match[2]);
  return { path, start, end: Number(match[3] ?? start) };
}

/** Has a folder or an extension of letters, as file names do and times, ports and versions do not. */
function isPath(text: string): boolean {
  return /[A-Za-z]/.test(text) && (text.includes("/") || /\.[A-Za-z][A-Za-z0-9_+-]{0,11}$/.test(text));
}

/**
 * Files and folders that a task names: the code spans, or the words that look like paths. `(new)` marks a path to
 * create.
 */
export function touchPointsIn(text: string): TouchPoint[] {
  const spans = [...text.matchAll(CODE_SPAN)];
  if (spans.length > 0) {
    return spans
      .map(({ 0: span, index, groups = {} }) => ({
        path: pathOf(groups["code"] ?? ""),
        isNew: NEW.test(text.slice(index + span.length)),
      }))
      .filter((point) => isPath(point.path));
  }
  const isNew = /\(new\)/i.test(text);
  return text
    .split(/[,;\s]+/)
    .map(pathOf)
    .filter((word) => isPath(word) && !word.includes("("))
    .map((path) => ({ path, isNew }));
}

const NEW = /^\s*\((?:new|neu|новый|nuevo|nouveau|novo|新規|新)\)/i;

/** Without a line or a symbol behind it: `src/a.ts:12-14`, `src/a.ts#run`, `src/a.ts::run`. */
function pathOf(text: string): string {
  const path = text.trim().replace(/^\.\//, "");
  const end = path.search(/[:#]/);
  return end === -1 ? path : path.slice(0, end);
}

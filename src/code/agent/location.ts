/** Lines of a file as somebody wrote them down. */
export interface Location {
  path: string;
  /** From 1. */
  start: number;
  /** Included. */
  end: number;
}

const LONGEST = 1_000;
/** `path:3`, `path:3-9`, `path:L3-L9`, `path#L3-L9`. */
const LINES = /(?::|#)L?(\d{1,9})(?:[-–]L?(\d{1,9}))?$/;

/** Reads `path:start-end`, in the spellings that models use for it; `null` where there are no lines in it. */
export function readLocation(written: string): Location | null {
  const text = written.trim();
  if (text.length > LONGEST) return null;
  const bare = /^`.{1,998}`$/.test(text) ? text.slice(1, -1) : text;
  const lines = LINES.exec(bare);
  if (lines === null || lines.index === 0) return null;
  const start = Number(lines[1]);
  return { path: bare.slice(0, lines.index), start, end: lines[2] === undefined ? start : Number(lines[2]) };
}

/** A path without spaces that begins where no path goes on, then lines; `path:line:column` is left alone. */
const CITED = /(?<![\w@./:+$-])[\w@.+$-][\w@./+$-]{0,300}(?::|#L)\d{1,9}(?:[-–]L?\d{1,9})?(?!\d|[-–:]L?\d)/g;
const MOST_CITED = 40;

/** The places that a text cites as `path:line` or `path:start-end`, without repeats; not all of them are paths. */
export function citedIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(CITED), (found) => found[0]))].slice(0, MOST_CITED);
}

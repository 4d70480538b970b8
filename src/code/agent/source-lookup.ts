import type { FileAccess } from "../tools/file-access.ts";
import { shownPath, shownText } from "../tools/sanitize.ts";
import type { VerifiedPlace } from "../../domain/exploration.ts";
import type { DroppedSource } from "./explore-answer.ts";

/** A source as the model named it. */
export interface ClaimedSource {
  location: string;
  note?: string | null | undefined;
}

export type SourceCheck = { kind: "holds"; source: VerifiedPlace } | { kind: "wrong"; dropped: DroppedSource };

export const SOURCE_LINES = 80;
const SNIPPET_CHARACTERS = 4_000;
const NOTE_CHARACTERS = 300;
const SHOWN_LOCATION = 200;
const LONGEST_LOCATION = 1_000;

/**
 * Verifies a source at the commit: the file must be an open text file, and the lines must exist, be few enough and not
 * all blank. The snippet comes from the file, without credentials and hidden characters (R-EXP-3, R-SAFE-1, R-SAFE-2).
 */
export async function verifySource(fileAccess: FileAccess, claimed: ClaimedSource): Promise<SourceCheck> {
  const wrong = (why: string): SourceCheck => ({
    kind: "wrong",
    dropped: { location: shownText(claimed.location, SHOWN_LOCATION), why },
  });
  const location = readLocation(claimed.location);
  if (location === null) return wrong('is not written as "path:start-end", with numbers of lines');
  const { start, end } = location;
  if (start < 1 || end < start) return wrong("has no such lines: count them from 1, the first before the last");
  if (end - start + 1 > SOURCE_LINES) {
    return wrong(`covers ${end - start + 1} lines; cite the at most ${SOURCE_LINES} that show it`);
  }
  const read = await fileAccess.read(location.path);
  if (read.kind === "refused") return wrong(read.reason);
  const { path } = read.file;
  if (shownPath(path) !== path || path.length > LONGEST_LOCATION - 20) {
    return wrong("has a path that cannot be shown as it is");
  }
  const total = read.lines.length;
  if (end > total) return wrong(`${path} has ${total} lines; read the place again`);
  const lines = read.lines.slice(start - 1, end).map((line) => shownText(line));
  if (lines.every((line) => line.trim() === "")) return wrong("has nothing but blank lines there");
  const note = shownText(claimed.note ?? "", NOTE_CHARACTERS).trim();
  return {
    kind: "holds",
    source: { location: `${path}:${start}-${end}`, snippet: snippetOf(lines), ...(note === "" ? {} : { note }) },
  };
}

function snippetOf(lines: readonly string[]): string {
  const kept: string[] = [];
  let room = SNIPPET_CHARACTERS - 2;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) return [...kept, "…"].join("\n");
    kept.push(line);
  }
  return kept.join("\n");
}

/** Lines of a file, as a model cites them. */
export interface Location {
  path: string;
  /** From 1. */
  start: number;
  /** Included. */
  end: number;
}

/** `path:3`, `path:3-9`, `path:L3-L9`, `path#L3-L9`. */
const LINES = /(?::|#)L?(\d{1,9})(?:[-–]L?(\d{1,9}))?$/;

/** Parses `path:start-end` in the spellings that models use; `null` without lines. */
export function readLocation(written: string): Location | null {
  const text = written.trim();
  if (text.length > LONGEST_LOCATION) return null;
  const bare = /^`.{1,998}`$/.test(text) ? text.slice(1, -1) : text;
  const lines = LINES.exec(bare);
  if (lines === null || lines.index === 0) return null;
  const start = Number(lines[1]);
  return { path: bare.slice(0, lines.index), start, end: lines[2] === undefined ? start : Number(lines[2]) };
}

/** A path without spaces, then lines. It must not begin inside another path; `path:line:column` does not match. */
const CITED = /(?<![\w@./:+$-])[\w@.+$-][\w@./+$-]{0,300}(?::|#L)\d{1,9}(?:[-–]L?\d{1,9})?(?!\d|[-–:]L?\d)/g;
const MOST_CITED = 40;

/** What a text cites as `path:line` or `path:start-end`, without repeats; some matches may not be paths. */
export function citationsIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(CITED), (found) => found[0]))].slice(0, MOST_CITED);
}

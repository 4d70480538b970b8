import { stripHiddenCharacters } from "../../domain/text/hidden-characters.ts";
import { removeSecrets } from "../../domain/text/secrets/remove-secrets.ts";

const LINE_CHARACTERS = 400;
const PATH_CHARACTERS = 300;
export const REMOVED = "[secret removed]";

/** One line of a file, numbered from 1, as it may be shown. */
export interface ShownLine {
  line: number;
  text: string;
}

/**
 * A line without hidden characters and credentials (R-SAFE-1, R-SAFE-2), cut to `limit` characters around the offset
 * `at`. Removes secrets before the cut, which could leave half of one.
 */
export function shownText(line: string, limit = LINE_CHARACTERS, at = 0): string {
  const clean = plain(line.replace(/\r$/, ""));
  const masked = removeSecrets(clean).text;
  return cutAround(masked, limit, moved(plain(line.slice(0, at)).length, clean, masked));
}

/** A path or a name on one line; very long ones lose their middle. */
export function shownPath(path: string): string {
  const clean = plain(path);
  if (clean.length <= PATH_CHARACTERS) return clean;
  return `${clean.slice(0, PATH_CHARACTERS / 2)}…${clean.slice(1 - PATH_CHARACTERS / 2)}`.toWellFormed();
}

/** Removes line breaks and hidden characters. */
function plain(text: string): string {
  return stripHiddenCharacters(text.replaceAll(/[\r\n\u0085\u2028\u2029]/g, " "));
}

/** Maps an offset to the text after one part of it was replaced. */
function moved(at: number, before: string, after: string): number {
  if (before === after) return at;
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same += 1;
  if (at <= same) return at;
  let tail = 0;
  while (tail < shorter - same && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return at >= before.length - tail ? at + after.length - before.length : same;
}

function cutAround(text: string, limit: number, at: number): string {
  if (text.length <= limit) return text;
  const from = Math.max(0, Math.min(at - Math.floor(limit / 3), text.length - limit));
  const inner = text.slice(from === 0 ? 0 : from + 1, from + limit < text.length ? from + limit - 1 : text.length);
  return `${from === 0 ? "" : "…"}${inner}${from + limit < text.length ? "…" : ""}`.toWellFormed();
}

const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/;
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/;
/** In lines, and of one line in characters. */
const LONGEST_KEY = 200;
const LONGEST_KEY_LINE = 400;

/** Masks the lines inside private keys; the number of lines stays the same. */
export function withoutKeys(lines: readonly string[]): string[] {
  let begun = -Infinity;
  return lines.map((line, index) => {
    const inside = index - begun <= LONGEST_KEY;
    if (KEY_BEGINS.test(line)) begun = KEY_ENDS.test(line) ? -Infinity : index;
    else if (inside && KEY_ENDS.test(line)) begun = -Infinity;
    else if (inside && looksLikeKey(line)) return REMOVED;
    return line;
  });
}

/** Whether a line consists only of base64 characters, apart from quotes and the like. */
export function looksLikeKey(line: string): boolean {
  if (line.length > LONGEST_KEY_LINE) return false;
  const bare = line.replaceAll(/\\[nr]|["'`+,;\\\s]/g, "");
  return bare.length > 3 && /^[A-Za-z0-9/]+={0,2}$/.test(bare);
}

/** Masks a line that looks like part of a key, for files too large to check the lines around it. */
export function withoutStrayKey(line: string): string {
  return looksLikeKey(line) && line.trim().length >= 40 ? REMOVED : line;
}

import { phrasePattern } from "../issue-text/phrases.ts";
import mail from "./mail-phrases.json" with { type: "json" };

const words = (list: readonly string[]) => list.join("|");
/** `On Mon, 5 Jan 2026, Ann <ann@example.com> wrote:` in one line or two. */
const WROTE = phrasePattern(`(?<!\\p{L})(?:${words(mail.wrote)})(?!\\p{L})|${words(mail.wroteUnspaced)}`, "iu");
const ATTRIBUTION_START = phrasePattern(`^(?:${words(mail.opensAttribution)})(?!\\p{L})`, "iu");
const FROM = phrasePattern(`^\\**(?:${words(mail.from)})\\**\\s?[:：]`, "iu");
const OTHER_HEADER = phrasePattern(`^\\**(?:${words(mail.otherHeaders)})\\**\\s?[:：]`, "iu");
const SENT_FROM = phrasePattern(`^(?:${words(mail.sentFrom)})$`, "iu");
const ORIGINAL_MESSAGE = /^-{4,}\s?\p{L}[^\n]{2,60}?-{4,}$/u;

const LONGEST_ATTRIBUTION = 300;
/** Lines and characters of a signature below `-- `, and lines below dashes that lost their blank. */
const SIGNATURE = { lines: 9, length: 100, bare: 4 };

/** Whether a line below dashes counts as words, however much it looks like a name. */
export type Counts = (line: string) => boolean;

/**
 * Without the mail that a reply by mail quotes, and without signatures. Below dashes that lost their blank, a signature is
 * told by its lines, unless one of them `counts`; by default, only dashes with their blank set a signature apart.
 */
export function withoutMail(text: string, counts: Counts = () => true): string {
  const lines = text.split("\n");
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? "").trim();
    const attribution = attributionAt(lines, at);
    if (attribution > 0) {
      const next = lines.slice(at + attribution).find((each) => each.trim() !== "");
      // The mail follows the attribution, unless it is quoted by marks; then the reply may continue after it.
      if (next?.trimStart().startsWith(">") !== true) break;
      at += attribution - 1;
      kept.push("");
    } else if (ORIGINAL_MESSAGE.test(line) || beginsHeaders(lines, at) || isSignature(lines, at, counts)) break;
    else kept.push(line.length <= SIGNATURE.length && SENT_FROM.test(line) ? "" : (lines[at] ?? ""));
  }
  return kept.join("\n");
}

/** Number of lines of the attribution that begins here; 0 without one. */
function attributionAt(lines: readonly string[], at: number): number {
  const [first = "", second = ""] = lines.slice(at, at + 2).map((line) => line.trim());
  if (first.startsWith(">")) return 0;
  if (isAttribution(first)) return 1;
  const mayGoOn = second !== "" && (ATTRIBUTION_START.test(first) || DATE.test(first));
  return mayGoOn && isAttribution(`${first} ${second}`) ? 2 : 0;
}

const DATE = /\d{4}|\d[:.]\d\d/;
const ADDRESS_AT_END = /[\w.]@[\w.-]+[>)\]]\s?[:：]$/;

/** An attribution names its author with a date or an address, or starts like one. */
function isAttribution(line: string): boolean {
  if (line.length > LONGEST_ATTRIBUTION || !/[:：]$/.test(line)) return false;
  if (WROTE.test(line)) return DATE.test(line) || ADDRESS_AT_END.test(line) || ATTRIBUTION_START.test(line);
  return DATE.test(line) && ADDRESS_AT_END.test(line);
}

function beginsHeaders(lines: readonly string[], at: number): boolean {
  if (!FROM.test((lines[at] ?? "").trim())) return false;
  return lines.slice(at + 1, at + 4).filter((line) => OTHER_HEADER.test(line.trim())).length >= 2;
}

/** A text up to the dashes that set a signature apart. */
export function withoutSignature(text: string, counts: Counts): string {
  const lines = text.split("\n");
  const end = lines.findIndex((_, at) => isSignature(lines, at, counts));
  return end === -1 ? text : lines.slice(0, end).join("\n");
}

function isSignature(lines: readonly string[], at: number, counts: Counts): boolean {
  const below = lines.slice(at + 1);
  const isShort = below.every((line) => line.length <= SIGNATURE.length);
  if (lines[at] === "-- ") return below.length <= SIGNATURE.lines && isShort;
  if (!/^(?:--|—)\s*$/.test(lines[at] ?? "")) return false;
  const said = below.map((line) => line.trim()).filter((line) => line !== "");
  return (
    said.length <= SIGNATURE.bare &&
    isShort &&
    said.every((line) => SENT_FROM.test(line) || (isContact(line) && !counts(line)))
  );
}

/** A name, a title, an address or a number, and no sentence. */
function isContact(line: string): boolean {
  return line.split(/\s+/).every(isOfName) && !/[.!?。！？]$/.test(line);
}

function isOfName(word: string): boolean {
  return /^[\p{Lu}\d+(<*_[|&·•–-]|^\p{Lo}{1,12}$|[@:/]/u.test(word) || JOINS_NAMES.test(word);
}

const JOINS_NAMES = /^(?:of|and|at|for|the|von|und|für|der|de|du|des|la|y|e|et|da|do|и|по)$/u;

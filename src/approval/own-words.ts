import { phrasePattern } from "../domain/issue-text/phrases.ts";
import { blockTokens, piecesOf, type Piece } from "../lib/markdown.ts";
import { stripHiddenCharacters } from "../domain/text/hidden-characters.ts";
import { isReservation, lexicons } from "./lexicon.ts";
import mail from "./mail-phrases.json" with { type: "json" };

/** Placeholder for something visible that is not the writer's own words: code, a link, a quotation in a sentence. */
const SET_APART = "\u0000";

/**
 * The writer's own words in a comment: without code, quotes, folded, struck or hidden text, links, pictures, mentions,
 * and what mail programs add. Leaves a `SET_APART` where something removed may carry meaning. Keeps lines.
 */
export function ownWords(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").replaceAll(REORDERING, UNREADABLE);
  return piecesOf(withoutMail(stripHiddenCharacters(lines)))
    .map(wordsOf)
    .join("")
    .normalize("NFKC")
    .split(/(\n{2,})/)
    .map((paragraph) => paragraph.replaceAll(STRUCK, ` ${SET_APART} `).replaceAll(QUOTATION, ` ${SET_APART} `))
    .join("")
    .replaceAll(/https?:\/\/\S+/g, ` ${SET_APART} `)
    .replaceAll(/(?<![\w.])@[\w-]+(?:\[bot\])?/g, " ")
    .trim();
}

/** A comment as written, without what it quotes of others: for what repeats its words. */
export function withoutQuotations(text: string): string {
  const lines = withoutMail(text.replaceAll(/\r\n?/g, "\n")).split("\n");
  for (const { type, map } of blockTokens(lines.join("\n"))) {
    if (type === "blockquote_open" && map !== null) lines.fill("", ...map);
  }
  return lines.join("\n").trim();
}

/** Text shown in another order than written is not read at all. */
const REORDERING = /[\u202d\u202e]/g;
const UNREADABLE = "\uFFFD";

/** GitHub strikes text between single tildes too. */
const STRUCK = /(?<!~)~(?![~\s])[^~]*(?<!\s)~(?!~)/g;
const QUOTATION = /["“„«»”‟「『《][^"“”„«»「」『』《》]*["”“«»‟」』》]/g;

function wordsOf({ kind, text }: Piece): string {
  switch (kind) {
    case "text":
      return text;
    // A quote is by someone else, and an HTML comment is not shown: neither counts as the writer's words.
    case "quote":
    case "hidden":
      return " ";
    case "image":
      // A moving picture is applause; a still one may be a screenshot that says more.
      return /\.gif$/i.test(text) ? " " : ` ${SET_APART} `;
    default:
      return ` ${SET_APART} `;
  }
}

const words = (list: readonly string[]) => list.join("|");
/** `On Mon, 5 Jan 2026, Ann <ann@example.com> wrote:` in one line or two. */
const WROTE = phrasePattern(`(?<!\\p{L})(?:${words(mail.wrote)})(?!\\p{L})|${words(mail.wroteUnspaced)}`);
const ATTRIBUTION_START = phrasePattern(`^(?:${words(mail.opensAttribution)})(?!\\p{L})`);
const FROM = phrasePattern(`^\\**(?:${words(mail.from)})\\**\\s?[:：]`);
const OTHER_HEADER = phrasePattern(`^\\**(?:${words(mail.otherHeaders)})\\**\\s?[:：]`);
const SENT_FROM = phrasePattern(`^(?:${words(mail.sentFrom)})$`);
const ORIGINAL_MESSAGE = /^-{4,}\s?\p{L}[^\n]{2,60}?-{4,}$/u;

const LONGEST_ATTRIBUTION = 300;
/** Lines and characters of a signature below `-- `, and lines below dashes that lost their blank. */
const SIGNATURE = { lines: 9, length: 100, bare: 4 };

/** Without the mail that a reply by mail quotes, and without signatures. */
function withoutMail(text: string): string {
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
    } else if (ORIGINAL_MESSAGE.test(line) || beginsHeaders(lines, at) || isSignature(lines, at)) break;
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
export function withoutSignature(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((_, at) => isSignature(lines, at));
  return end === -1 ? text : lines.slice(0, end).join("\n");
}

function isSignature(lines: readonly string[], at: number): boolean {
  const below = lines.slice(at + 1);
  const isShort = below.every((line) => line.length <= SIGNATURE.length);
  if (lines[at] === "-- ") return below.length <= SIGNATURE.lines && isShort;
  if (!/^(?:--|—)\s*$/.test(lines[at] ?? "")) return false;
  const said = below.map((line) => line.trim()).filter((line) => line !== "");
  return said.length <= SIGNATURE.bare && isShort && said.every((line) => SENT_FROM.test(line) || isContact(line));
}

/** A name, a title, an address or a number, and no sentence; a “no” or an “only” below the dashes counts. */
function isContact(line: string): boolean {
  return line.split(/\s+/).every(isOfName) && !/[.!?。！？]$/.test(line) && !isReservation(line) && !isNo(line);
}

function isOfName(word: string): boolean {
  return /^[\p{Lu}\d+(<*_[|&·•–-]|^\p{Lo}{1,12}$|[@:/]/u.test(word) || JOINS_NAMES.test(word);
}

const JOINS_NAMES = /^(?:of|and|at|for|the|von|und|für|der|de|du|des|la|y|e|et|da|do|и|по)$/u;

function isNo(line: string): boolean {
  return lexicons().some(({ negative }) => negative.test(line.toLowerCase()));
}

import { blockTokens, piecesOf, type Piece } from "../lib/markdown.ts";
import { stripHiddenCharacters } from "../domain/text/hidden-characters.ts";
import { type Counts, withoutMail } from "../domain/text/mail.ts";
import { isReservation, lexicons } from "./lexicon.ts";

/** Placeholder for something visible that is not the writer's own words: code, a link, a quotation in a sentence. */
export const SET_APART = "\u0000";

/**
 * The writer's own words in a comment: without code, quotes, folded, struck or hidden text, links, pictures, mentions,
 * and what mail programs add. Leaves a `SET_APART` where something removed may carry meaning. Keeps lines.
 */
export function ownWords(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").replaceAll(REORDERING, UNREADABLE);
  return piecesOf(withoutMail(stripHiddenCharacters(lines), isNoOrOnly))
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
  const lines = withoutMail(text.replaceAll(/\r\n?/g, "\n"), isNoOrOnly).split("\n");
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

/** Whether a line below the dashes of a signature counts as words: a “no” or an “only” does. */
export const isNoOrOnly: Counts = (line) => isReservation(line) || isNo(line);

function isNo(line: string): boolean {
  return lexicons().some(({ negative }) => negative.test(line.toLowerCase()));
}

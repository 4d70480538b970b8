import { blockquote } from "../lib/text.ts";

/*
 * An answer to a gap that a program gave in a person's name. It answers that gap and decides nothing: no gate reads it as
 * an approval, a go-ahead, a refusal or a wish (R-SAFE-1).
 */

/**
 * The comment that gives it; `head` says to people what it is. It is a quotation: no person's own words, even where a tracker
 * loses the mark.
 */
export function givenAnswer(gapNumber: number, { head, text }: { head: string; text: string }): string {
  return `<!-- relay-answer:${gapNumber} -->\n${head}\n\n${blockquote(text)}`;
}

const MARK = /<!-- relay-answer:(\d{1,9}) -->/;

/** The number of the gap that such a comment answers; null for words of a person's own, and for quotes of one. */
export function answeredGap(comment: string): number | null {
  const number = MARK.exec(comment.replaceAll(/^[ \t]*>.*$/gm, ""))?.[1];
  return number === undefined ? null : Number(number);
}

/** A comment as `read` reads it, with the mark of such an answer kept before it, which people do not see either. */
export function withMarkKept(comment: string, read: (text: string) => string): string {
  const number = answeredGap(comment);
  return number === null ? read(comment) : `<!-- relay-answer:${number} -->\n${read(comment).trimStart()}`;
}

/** What it answers, without its head, hidden text and the marks of the quotation. */
export function answerIn(comment: string): string {
  const [, below = ""] = new RegExp(String.raw`${MARK.source}\r?\n[^\n]*\n([^]*)`).exec(comment)?.slice(1) ?? [];
  return below
    .replaceAll(/<!--[^]*?-->/g, "")
    .replaceAll(/^> ?/gm, "")
    .trim();
}

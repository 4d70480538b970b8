import { replyVerdict, saysYes } from "./verdict.ts";
import { asks, clausesOf, ownWords } from "./words.ts";

export type ProceedSignal = { proceed: true; excerpt: string } | { proceed: false; reason: string };

/**
 * A go-ahead for the spec, as it stands in the text. Asked for it, a mere yes will do; unasked, or within a message
 * that also answers questions, it must be a sentence of its own that says what to do: “go ahead”, “write the spec”.
 */
export function proceedSignal(text: string, given: { asked: boolean }): ProceedSignal {
  const words = ownWords(text);
  if (words === null) return no("it is too long");
  const verdict = replyVerdict(text);
  if (verdict.verdict === "affirmative" && (given.asked || clausesOf(words).some(({ kind }) => kind === "explicit"))) {
    const excerpt = verbatim(text, (sentence) => clausesOf(ownWords(sentence) ?? "").some(saysYes));
    if (excerpt !== null) return { proceed: true, excerpt };
  }
  if (asks(words)) return no("it asks something");
  const sentences = words.split(SENTENCE_END).filter((sentence) => sentence.trim() !== "");
  const at = sentences.findIndex(isGoAhead);
  if (at === -1) return no(verdict.reason);
  const after = sentences[at + 1] ?? "";
  // “2. No.” answers a question; it takes nothing back.
  const unnumbered = words.replaceAll(/^[ \t]*(?:[-*][ \t]+)?\**(?:Q|gap )?\d{1,4}\**[.):].*$/gim, " ");
  if (TAKES_BACK.test(after.trim()) || clausesOf(unnumbered).some(({ kind }) => kind === "negative")) {
    return no("it is taken back");
  }
  const excerpt = verbatim(text, isGoAhead);
  return excerpt === null ? no("it stands in a quote") : { proceed: true, excerpt };
}

/** Nothing but politeness. */
export function thanksOnly(text: string): boolean {
  const clauses = clausesOf(ownWords(text) ?? "unread");
  return clauses.every(({ kind }) => kind === "polite");
}

const SENTENCE_END = /(?<=[.!。！])\s+|(?<=[。！])|\n+/u;
const TAKES_BACK =
  /^(?:but|however|except|unless|only|wait|though|although|no\b|not\b|но|однако|кроме|только|aber|jedoch|nur|pero|sin embargo|mais|cependant|mas|porém|ma|però|ale|але|但|不过|ただし|でも|하지만)/iu;

/** Every clause is known, and one of them says what to do. */
function isGoAhead(sentence: string): boolean {
  const clauses = clausesOf(ownWords(sentence) ?? "");
  return (
    clauses.some(({ kind }) => kind === "explicit") &&
    clauses.every(({ kind }) => kind === "explicit" || kind === "affirmative" || kind === "polite")
  );
}

/** The first sentence of the text itself, outside of quotes and code, that fits. */
function verbatim(text: string, fits: (sentence: string) => boolean): string | null {
  const lines = text
    .replaceAll(/^[ \t]*(?:```|~~~)[\s\S]*?(?:^[ \t]*(?:```|~~~)[ \t]*$|$(?![\s\S]))/gm, "")
    .split("\n")
    .filter((line) => !/^[ \t]*>|^(?: {4}|\t)/.test(line));
  for (const line of lines) {
    for (const sentence of line.split(SENTENCE_END)) {
      if (sentence.trim() !== "" && fits(sentence)) return sentence.trim();
    }
  }
  return null;
}

function no(reason: string): ProceedSignal {
  return { proceed: false, reason };
}

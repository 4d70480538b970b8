import { ALL } from "./lexicon/all.ts";

/** What one clause of a reply says. */
export type ClauseKind = "affirmative" | "explicit" | "polite" | "negative" | "unknown";

export interface Clause {
  kind: ClauseKind;
  text: string;
}

/** Longer replies bring something new; only so much is read. */
export const LONGEST = 4_000;

/**
 * A person's own words: without quotes, code, comments, links, mentions and what mail programs add. Null when
 * the text is too long to be a mere yes or no.
 */
export function ownWords(text: string): string | null {
  if (text.length > LONGEST) return null;
  return text
    .normalize("NFKC")
    .replaceAll(/[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]|\uFE0E|\uFE0F/gu, "")
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/^[ \t]*(?:```|~~~)[\s\S]*?(?:^[ \t]*(?:```|~~~)[ \t]*$|$(?![\s\S]))/gm, " \u0000 ")
    .replaceAll(/<!--[\s\S]*?(?:-->|$(?![\s\S]))/g, " ")
    .replaceAll(
      /^(?:On|Am|Le|El|Em|Il|W dniu|Op)\b.{5,120}(?:wrote|schrieb|écrit|escribió|escreveu|ha scritto|napisał|schreef)[^\n]{0,20}:\s*$[\s\S]*/gim,
      " ",
    )
    .replaceAll(/^[ \t]*>.*$/gm, " ")
    .replaceAll(/^(?: {4}|\t).*$/gm, " \u0000 ")
    .replaceAll(/^--\s*$[\s\S]*/gm, " ")
    .replaceAll(/(`+)[^`\n]*\1/g, " \u0000 ")
    .replaceAll(/!?\[[^\]\n]*\]\([^)\n]*\)|https?:\/\/\S+/g, " \u0000 ")
    .replaceAll(/(?<![\w.])@[\w-]+(?:\[bot\])?/g, " ")
    .replaceAll(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, "")
    .trim();
}

/** Asks back, or quotes a question of its own. */
export function asks(words: string): boolean {
  return /[?？¿؟]/u.test(words);
}

/** Stand for an emoji that says yes or no. */
export const YES_MARK = "\u0001";
export const NO_MARK = "\u0002";

const YES_EMOJI =
  /👍|✅|☑|✔|🚀|👌|🆗|🟢|💯|:(?:\+1|thumbsup|shipit|rocket|white_check_mark|ok_hand|heavy_check_mark|100):|(?<![\w.])\+1(?![\w.])/gu;
const NO_EMOJI = /👎|❌|🛑|✋|⛔|🚫|🙅|:(?:-1|thumbsdown|x|no_entry|stop_sign):|(?<![\w.])-1(?![\w.])/gu;
const OTHER_EMOJI = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200D|[:;]-?[)DPp]|:[a-z_]{2,30}:|\^\^|\bxd\b)/gu;

/** The clauses of a piece of text, each judged by whole phrases: a clause that holds one unknown word is unknown. */
export function clausesOf(words: string): Clause[] {
  return words
    .toLowerCase()
    .replaceAll(/[\u{1F3FB}-\u{1F3FF}]/gu, "")
    .replaceAll(/[’‘´`]/g, "'")
    .replaceAll(YES_EMOJI, ` . ${YES_MARK} . `)
    .replaceAll(NO_EMOJI, ` . ${NO_MARK} . `)
    .replaceAll(OTHER_EMOJI, " . ")
    .split(/[.,;:!、。，；：！…\n()[\]"“”„«»「」—–~]+|\s-\s|\s(?:and|und|et|y|e|и|та)\s/u)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((text) => ({ text, kind: kindOf(text) }));
}

/** No phrase is longer, whatever stands around it. */
const CLAUSE_LENGTH = 120;

/** Judged as it stands, then with fillers taken off its end, then off its beginning, until a phrase is left. */
function kindOf(clause: string): ClauseKind {
  if (clause === YES_MARK) return "affirmative";
  if (clause === NO_MARK) return "negative";
  // `ja ja ja` is laughter, and nobody says yes three times.
  if (/(?:^|\s)(\S+)(?:\s+\1){2}(?:\s|$)/u.test(clause)) return "unknown";
  if (clause.length > CLAUSE_LENGTH) return "unknown";
  let bare = clause.replaceAll(/\s+/g, " ");
  for (const side of ["end", "start"] as const) {
    for (let before = ""; before !== bare;) {
      before = bare;
      const kind = phraseKind(bare);
      if (kind !== "unknown") return kind;
      for (const { fillers } of ALL) {
        const shorter = bare.replace(fillers[side], "").trim();
        if (shorter === bare) continue;
        bare = shorter;
        break;
      }
    }
  }
  return phraseKind(bare);
}

function phraseKind(phrase: string): ClauseKind {
  for (const language of ALL) {
    if (language.negative.test(phrase)) return "negative";
    if (language.explicit.test(phrase)) return "explicit";
    if (language.affirmative.test(phrase)) return "affirmative";
    if (language.polite.test(phrase)) return "polite";
  }
  return "unknown";
}

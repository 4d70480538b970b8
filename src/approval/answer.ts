import type { Gap } from "../domain/gap.ts";
import { clausesOf, wordsOf } from "./clauses.ts";
import { wholePhrase } from "../domain/issue-text/phrases.ts";
import phrases from "./no-answer-phrases.json" with { type: "json" };
import { isNegative, readReply } from "./read-reply.ts";

/**
 * What a reply to one question is: `agreed` to what Relay proposed to assume, `nothing` that settles it, or an `answer`
 * in its own words. A bare yes or no never is the answer of a question that asks for more.
 */
export type AnswerKind = "answer" | "agreed" | "nothing";

type Asked = Pick<Gap, "topic" | "severity" | "proposedDefault">;

export function answerKind({ topic, severity, proposedDefault }: Asked, text: string): AnswerKind {
  if (asksBack(text)) return "nothing";
  const bare = bareReply(text);
  if (bare === null) return "answer";
  // What is assumed for a blocking question would be a guess: that needs a go-ahead (R-PLAN-8).
  const mayAgree = severity !== "blocking" && (proposedDefault ?? "").trim() !== "";
  if (bare === "yes" && mayAgree) return "agreed";
  // A question without a topic is a model's or an agent's, which may ask for a yes or a no.
  // The rules' only blocking question about the result is whether anything is to change.
  const mayRefuse = topic === "acceptance" && severity === "blocking" && bare === "no";
  const takesYesOrNo = topic === null || mayRefuse || (topic === "compatibility" && bare !== "polite");
  return takesYesOrNo ? "answer" : "nothing";
}

/** A longer text says more than that its author cannot or will not answer. */
const LONGEST_NOTHING = 80;

/** “Why do you ask?”; “how about three?” proposes something. */
const BACK = new RegExp(
  String.raw`^(?:(?:${phrases.hesitates.join("|")})[, ]+)?(?:${phrases.asks.spaced.join("|")})(?!\p{L})[^?]{0,70}\?+$|` +
    String.raw`^(?:${phrases.asks.unspaced.join("|")})[^?？]{0,40}[?？]+$`,
  "iu",
);
/** “Sorry, I don’t know that yet”. */
const UNSURE = `(?:(?:${phrases.softens.join("|")})[, ]+)?(?:${phrases.unsure.join("|")})(?: (?:${phrases.trails.join("|")}))*`;
/** That its author does not know, or does not want to say. */
const UNKNOWN = wholePhrase({
  spaced: [UNSURE, ...phrases.unknown.spaced],
  unspaced: phrases.unknown.unspaced,
});

/** Beside such words: whom to ask, an apology. */
const BESIDE_UNKNOWN = wholePhrase(phrases.besideUnknown);
/** Leaves it to somebody else, by name. */
const HANDS_OVER = wholePhrase(phrases.handsOver);
/** “Ask Max”; “ask first” may be what the program has to do. */
const ASK_NAME =
  /^(?:(?:[Pp]lease|[Bb]etter|[Bb]itte) )?(?:[Aa]sk|[Ff]rage?|[Dd]emande[zr]? à|[Pp]reg[uú]nt(?:a|e)(?:le)? a|[Pp]ergunte (?:ao?|para [oa])|[Сс]проси(?:те)?(?: у)?) \p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)?$/u;
const BETWEEN = /[.,;!…。，；、！\n–—]+/u;
const SAME = wholePhrase(phrases.same);
const AGREES_TO_ALL = wholePhrase(phrases.agreesToAll);

/** Whether words only ask back, hand the question on, or say that there is no answer: what is open stays open. */
function asksBack(text: string): boolean {
  const own = (wordsOf(text) ?? "").trim();
  if (own === "" || own.length > LONGEST_NOTHING) return false;
  const whole = withoutStop(own);
  if (BACK.test(own) || UNKNOWN.test(whole) || SAME.test(whole)) return true;
  const parts = partsOf(own);
  const isLeft = (part: string) => UNKNOWN.test(part) || HANDS_OVER.test(part) || ASK_NAME.test(part);
  const isUnknown = parts.some((part) => UNKNOWN.test(part));
  const isBeside = (part: string) => (isUnknown && BESIDE_UNKNOWN.test(part)) || saysNothingElse(part);
  return parts.some(isLeft) && parts.every((part) => isLeft(part) || isBeside(part));
}

function withoutStop(text: string): string {
  return text.replace(/[\s.!…。！]+$/u, "");
}

function partsOf(text: string): string[] {
  return text
    .split(BETWEEN)
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
}

/** A yes to a plan, or politeness. */
function saysNothingElse(part: string): boolean {
  const { kind } = readReply(part);
  return kind === "approve" || kind === "thanks";
}

/** “Same as above”: the answer to the question before. */
export function isSameAsAbove(text: string): boolean {
  return SAME.test((wordsOf(text) ?? "").replace(/[\s.!。！]+$/u, ""));
}

/** “Both assumptions are fine”, and no more than a yes or thanks beside it. */
export function agreesToAll(text: string): boolean {
  const parts = partsOf(wordsOf(text) ?? "");
  return (
    parts.some((part) => AGREES_TO_ALL.test(part)) &&
    parts.every((part) => AGREES_TO_ALL.test(part) || saysNothingElse(part))
  );
}

const CHANGES_NOTHING = wholePhrase(phrases.changesNothing);

/** Whether the answer to “Is anything to be changed here?” is that nothing is: “No.”, “Nothing to change.” */
export function refusesChange(text: string): boolean {
  return isBareNo(text) || CHANGES_NOTHING.test(withoutStop((wordsOf(text) ?? "").trim()));
}

/** Whether an answer says no, and nothing beyond it. */
export function isBareNo(text: string): boolean {
  return bareReply(text) === "no";
}

/** The longest word that is a bare no; longer ones, such as “don't crash”, say what is wanted. */
const LONGEST_NO = 5;

function bareReply(text: string): "yes" | "no" | "polite" | null {
  const { kind } = readReply(text);
  if (kind === "approve") return "yes";
  const clauses = clausesOf(wordsOf(text) ?? "");
  if (kind === "thanks") return clauses.length > 0 ? "polite" : null;
  if (kind !== "reject" && kind !== "stop") return null;
  const isBare = clauses.every(
    (clause) =>
      clause.kind === "polite" || (isNegative(clause) && /^\S+$/.test(clause.text) && clause.text.length <= LONGEST_NO),
  );
  return isBare ? "no" : null;
}

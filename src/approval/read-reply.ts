import { beginsLikeRelay } from "../i18n/own-phrases.ts";
import { memoize } from "./memoize.ts";
import { answeredGap } from "../domain/given-answer.ts";
import { carriesMarker } from "../domain/marker.ts";
import { type Refusal, isUnreadable, refusalOfWords } from "./refusal-words.ts";
import { type Clause, NO_MARK, YES_MARK, asks, clausesOf, isDoubtful, wordsOf } from "./clauses.ts";
import { isAboutSpec } from "./objects.ts";

/**
 * What a person's reply means, whatever it answers: the go-ahead for a spec, the approval of a plan, a stop, a review.
 * Approval favors precision, since it starts work: every clause must be known, and one must approve. Rejection and stop
 * favor recall, since they only ask again. `more` is everything that needs thought: a condition, a change request, a
 * correction, an unknown language. `thanks` decides nothing, and is no approval.
 */
export type Reply = { reason: string } &
  /** `specOnly`: what it names is the spec, and not the plan or the work after it. */
  (
    | { kind: "approve"; explicit: boolean; specOnly: boolean }
    /** Only a stop or a wait. */
    | { kind: "stop" }
    | { kind: "thanks" }
    /** `stops`: the words also ask to stop or to wait, without retracting it. */
    | { kind: "reject" | "question" | "more"; stops: boolean }
  );

/** Characters of a long text that are searched for a stop at its beginning. */
const OPENING = 400;

export const readReply = memoize((text): Reply => {
  if (answeredGap(text) !== null) return { kind: "thanks", reason: "a program gave it as the answer to a question" };
  const words = wordsOf(text);
  if (words === null) {
    const stops = saysStop(clausesOf(wordsOf(text.slice(0, OPENING)) ?? ""));
    return { kind: "more", stops, reason: "it is too long to be a mere yes or no" };
  }
  const clauses = clausesOf(words);
  if (clauses.length === 0) return { kind: "thanks", reason: "there are no words of their own in it" };
  const stops = saysStop(clauses) || saysStop(clausesOf(words.slice(0, OPENING)));
  const negative = clauses.find(isNegative);
  const affirmative = clauses.find(saysYes);
  if (negative && affirmative) return { kind: "more", stops, reason: `yes and no in one: “${negative.text}”` };
  if (asks(words)) return { kind: "question", stops, reason: "it asks something" };
  if (negative) {
    const reason = `“${show(negative)}” says no`;
    const isOnlyStop = clauses.every((clause) => clause.stops || clause.kind === "polite" || isNegative(clause));
    return isOnlyStop && clauses.some((clause) => clause.stops)
      ? { kind: "stop", reason }
      : { kind: "reject", stops, reason };
  }
  const unknown = clauses.find(({ kind }) => kind === "unknown");
  if (unknown) return { kind: "more", stops, reason: `“${show(unknown)}” is more than a yes` };
  const explicit = clauses.some(({ kind }) => kind === "explicit");
  const open = clauses.find(({ kind }) => kind === "open" || kind === "aside" || (kind === "read" && !explicit));
  if (open) return { kind: "more", stops, reason: `“${show(open)}” leaves it open` };
  if (!affirmative) {
    const kind = clauses.every((clause) => clause.kind === "polite") ? "thanks" : "more";
    return { kind, stops, reason: "polite, but no yes" };
  }
  if (isDoubtful(clauses) && !explicit) return { kind: "more", stops, reason: "a yes in doubt" };
  const specOnly = isOnlyForSpec(clauses);
  return { kind: "approve", explicit, specOnly, reason: `“${show(affirmative)}” and nothing that takes it back` };
});

/**
 * Whether a yes is for the spec alone. A word about the spec beside a “go ahead” that names nothing is not: “The spec
 * is fine, go ahead.”
 */
function isOnlyForSpec(clauses: readonly Clause[]): boolean {
  const named = clauses.filter((clause) => saysYes(clause) || clause.isTopic);
  const forSpec = named.filter(({ names }) => names === "spec");
  if (forSpec.length === 0 || named.some(({ names }) => names === "work")) return false;
  return !forSpec.every(isRemark) || !named.some(({ kind, names }) => kind === "explicit" && names === null);
}

function isRemark({ kind, text }: Clause): boolean {
  return kind === "affirmative" && isAboutSpec(text);
}

/** Whether a reply to a plan approves it (R-CONF-2): a yes that names only the spec does not. */
export function approvesPlan(text: string): boolean {
  const reply = readReply(text);
  return reply.kind === "approve" && !reply.specOnly;
}

/** Whether a reply says yes to the spec, and to nothing else. */
export function approvesSpecOnly(text: string): boolean {
  const reply = readReply(text);
  return reply.kind === "approve" && reply.specOnly;
}

/** Whether a reply requests something or adds information, which work continued as agreed would miss. */
export function asksForMore({ kind }: Reply): boolean {
  return kind === "more" || kind === "question";
}

/**
 * Whether words of somebody who could give the yes refuse (R-CONF-7). `clear`: a no, a stop, a wait, something taken
 * back. `doubtful`: it may be one, so work halts and Relay asks. Null: approval, thanks, remarks, ordinary questions.
 * Recall counts: what is not understood as harmless and sounds like a no is one.
 */
export const refusalIn = memoize((text): Refusal => {
  const { kind } = readReply(text);
  if (kind === "approve" || kind === "thanks") return null;
  const words = wordsOf(text);
  if (words !== null) return refusalOfWords(words) ?? (isUnreadable(words) ? "doubtful" : null);
  const opening = refusalOfWords(wordsOf(text.slice(0, OPENING)) ?? "");
  if (opening !== null) return opening;
  return refusalOfWords(wordsOf(text.slice(-OPENING)) ?? "") === "clear" ? "doubtful" : null;
});

/** Whether each part of a text refuses, or says nothing that work would have to consider. */
export function onlyRefuses(text: string): boolean {
  const parts = (wordsOf(text) ?? "").split(/[.!?;,\n]+/u).filter((part) => /[\p{L}\p{N}]/u.test(part));
  return parts.every((part) => refusalIn(part) !== null || !asksForMore(readReply(part)));
}

/**
 * Whether somebody else's text is Relay's, with its marker: the author is a bot, or acts like one (R-IN-4). People copy
 * raw text: what they add below a marker is theirs, and so is a refusal above it, which must not be lost (R-CONF-7). What
 * begins as Relay's comments do is another Relay's: “until then, I’ll wait” is none of its refusals.
 */
export const repeatsRelay = memoize((text): boolean => {
  if (!carriesMarker(text)) return false;
  if (refusalIn(text) !== "clear") return true;
  const last =
    text
      .replace(/\s*<!-- relay:[^>]*>\s*$/, "")
      .split(/\n\s*\n/)
      .at(-1) ?? "";
  return beginsLikeRelay(text) && (beginsLikeRelay(last) || refusalIn(last) !== "clear");
});

/** The output of `relay reply` for a text (R-CONF-2). */
export interface ReplyVerdict {
  verdict: "affirmative" | "negative" | "unclear";
  /** Why, in a few words. */
  reason: string;
}

export function replyVerdict(text: string): ReplyVerdict {
  const { kind, reason } = readReply(text);
  if (kind === "approve") return { verdict: "affirmative", reason };
  return { verdict: refusalIn(text) === "clear" ? "negative" : "unclear", reason };
}

/** Whether a part of a reply, which as a whole is no approval, says yes: “Go ahead?”, “ok, wait, yes”. */
export function soundsLikeYes(text: string): boolean {
  return (
    readReply(text).kind === "question" && clausesOf((wordsOf(text) ?? "").replaceAll(/[?？]/g, ".")).some(saysYes)
  );
}

/** Whether a part of a text is a yes, whatever stands beside it. */
export function containsYes(text: string): boolean {
  return clausesOf(wordsOf(text) ?? "").some(saysYes);
}

export function saysYes({ kind }: Clause): boolean {
  return kind === "affirmative" || kind === "explicit";
}

export function isNegative({ kind }: Clause): boolean {
  return kind === "negative";
}

/** Whether a clause is a stop as a whole, or starts with one; a later “go ahead” retracts it. */
function saysStop(clauses: readonly Clause[]): boolean {
  const first = clauses.findIndex(({ kind }) => kind !== "polite");
  const at = clauses.findLastIndex(({ stops, opensWithStop }, index) => stops || (index === first && opensWithStop));
  return at !== -1 && !clauses.slice(at + 1).some(({ kind }) => kind === "explicit");
}

function show({ text }: Clause): string {
  if (text === YES_MARK) return "a yes in an emoji";
  if (text === NO_MARK) return "a no in an emoji";
  return text.replaceAll("\u0000", "…").slice(0, 60);
}

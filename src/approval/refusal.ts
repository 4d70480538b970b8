import { sameLogin } from "../domain/login.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import type { PlanApproval, Stop } from "../domain/plan.ts";
import { PERMISSIONS, atLeast, type Permission } from "../adapters/trackers/tracker.ts";
import { type Person, type Rules, hasSay, mayApprove, rankOf } from "./consent.ts";
import { approvesPlan, asksForMore, onlyRefuses, readReply, refusalIn } from "./read-reply.ts";
import type { Refusal } from "./refusal-words.ts";
import { addsToYes, asksForChange, isPutOff, isWish, requests } from "./wishes.ts";

/** An unread comment by a person, in the order of the thread. */
export interface Word extends Person {
  messageId: string;
  content: string;
  /** Written before the plan that waits was posted. */
  isEarlier: boolean;
  /** For a comment on the pull request: the file that it is about; null for the request as a whole. */
  path?: string | null;
}

export interface RefusalFacts extends Rules {
  state: IssueState;
  words: readonly Word[];
  /** People with a thumbs-down on the plan's comment, given since this version was posted. */
  downs: readonly Person[];
  /** The approval of the plan, if its author took it back. */
  takenBack: PlanApproval | null;
}

/** What a refusal halts in each state; nothing in the others. */
const HALTS: Partial<Record<IssueState, Stop["halted"]>> = {
  waiting_confirmation: "plan",
  queued: "queued",
  in_progress: "running",
  stuck: "running",
  in_review: "review",
};

/**
 * The refusal that halts the plan or its work, by somebody with a say; null without one. Of several, the one of the
 * highest rank counts, since it decides who may lift it; a clear one comes before a doubt (R-CONF-7).
 */
export function refusalOf(facts: RefusalFacts): Stop | null {
  const { state, words, downs, takenBack } = facts;
  const halted = HALTS[state];
  if (halted === undefined) return null;
  const kept = words.filter(({ content }) => isWish(content)).map(({ messageId }) => messageId);
  const spoken = words.flatMap((word, at): Stop[] => {
    const how = howRefused(word, facts);
    if (how === null || word.isBot || !hasSay(word, facts)) return [];
    // A wish that may be a refusal takes queued work back as well, and says what instead.
    if (how === "doubtful" && state === "queued" && asksForChange(word.content) && mayApprove(word, facts)) return [];
    // Whoever approves after it takes their own refusal back.
    if (words.slice(at + 1).some((later) => sameLogin(later.author, word.author) && approves(later))) return [];
    return [{ by: word.author, permission: rankOf(word, facts), messageId: word.messageId, how, halted, kept }];
  });
  const reacted = downs
    .filter((person) => !person.isBot && hasSay(person, facts))
    .map((person): Stop => ({
      by: person.author,
      permission: rankOf(person, facts),
      messageId: null,
      how: "refused",
      halted,
      kept,
    }));
  const withdrawn = takenBack === null ? [] : [{ ...takenBack, how: "taken_back" as const, halted, kept }];
  const all = [...withdrawn, ...reacted, ...spoken.toReversed()];
  const clear = all.filter(({ how }) => how !== "doubtful");
  return (clear.length > 0 ? clear : all).reduce<Stop | null>(
    (first, next) => (first !== null && atLeast(permissionIn(first), permissionIn(next)) ? first : next),
    null,
  );
}

/**
 * How a comment refuses in a state; null if it does not. A doubt halts queued or running work, and a waiting plan if it
 * names nothing to plan. A doubt that says what to do is no refusal: it takes queued work back as a wish. A mere “no”
 * while a run waits for an answer is that answer; one from before the plan answers something else.
 */
function howRefused(word: Word, { state, ...rules }: RefusalFacts): "refused" | "doubtful" | null {
  const { content, isEarlier } = word;
  if (word.path !== undefined) return refusalInReview(content, word.path);
  // A plan that waits goes on waiting.
  if (state === "waiting_confirmation" && isPutOff(content)) return null;
  const refusal = refusalIn(content);
  if (refusal === "doubtful") {
    if (state === "waiting_confirmation") return !isEarlier && isBareDoubt(content) ? "doubtful" : null;
    const isOrder = requests(content) || (state === "queued" && isWish(content) && mayApprove(word, rules));
    return isApproved(state) && !isOrder ? "doubtful" : null;
  }
  if (refusal === null) return null;
  const reply = readReply(content);
  const stops = reply.kind === "stop" || ("stops" in reply && reply.stops);
  if (state === "waiting_confirmation" && (isEarlier ? !stops || asksForMore(reply) : isCounterProposal(content))) {
    return null;
  }
  if (state === "stuck" && !stops && reply.kind === "reject" && content.trim().length <= SHORT_ANSWER) return null;
  return "refused";
}

/**
 * How a comment on a pull request refuses further work; null if it does not. Most negative words there say what to
 * change. So a stop counts anywhere, but a bare no or a rejection of everything only in a comment on the request as a
 * whole.
 */
export function refusalInReview(content: string, path: string | null): "refused" | "doubtful" | null {
  const reply = readReply(content);
  if (reply.kind === "stop") return "refused";
  if (path !== null || reply.kind === "question" || !onlyRefuses(content)) return null;
  if ("stops" in reply && reply.stops) return "refused";
  const isBare = content.trim().length <= SHORT_ANSWER;
  const refusal = refusalIn(content);
  if (refusal === "clear" && (isBare || REJECTS_ALL.test(content))) return "refused";
  return refusal !== null && isBare ? "doubtful" : null;
}

/** Words that reject a pull request as a whole. */
const REJECTS_ALL =
  /\bveto|\b(?:do not|don['’]t) (?:continue|proceed|go on|work on this)\b|(?:close|reject|drop|scrap|abandon|withdraw|cancel) (?:this|it|the (?:pr|mr|(?:pull|merge) request))\b|(?:not|n['’]t) (?:want|need) (?:this|it)\b|schlie(?:ß|ss)en|verwerfen|wollen (?:das|es|wir das) nicht|ferm(?:er|ez)|ne voulons pas|cerrar|ciérr|no (?:lo )?queremos|fech(?:ar|e[mn]?)\b|não (?:o )?queremos|закр(?:ой|ыть)|не нужно|关闭|不需要|不想要|閉じて|クローズ|いりません|不要です/iu;

/** A doubt that names nothing a new plan could do differently. */
function isBareDoubt(content: string): boolean {
  const { kind } = readReply(content);
  const isBare = kind !== "question" && !requests(content) && content.trim().length <= SHORT_DOUBT;
  return isBare && onlyRefuses(content) && !addsToYes(content);
}

/** Most characters of such a doubt. */
const SHORT_DOUBT = 40;

function isApproved(state: IssueState): boolean {
  return state === "queued" || state === "in_progress";
}

/** A no that says what instead asks for another plan, where nothing runs; a stop does not. */
function isCounterProposal(content: string): boolean {
  const reply = readReply(content);
  return asksForChange(content) && (reply.kind === "question" || !("stops" in reply) || !reply.stops);
}

/** Characters of an answer such as “No, thanks.” */
const SHORT_ANSWER = 15;

/** What became of a refusal: lifted, in effect, or repeated by somebody of the same rank or higher. */
export type Standing = { lifted: true; by: Word } | { lifted: false; stop: Stop | null };

/**
 * Reads what people wrote since a refusal was answered. It is lifted by an approval or a change request of its author,
 * or of somebody with a say whose rank is the same or higher (R-CONF-7). `stop` is null for a plan that an earlier
 * version of Relay stopped: then anybody with a say lifts it.
 */
export function standingOf(stop: Stop | null, words: readonly Word[], rules: Rules): Standing {
  let standing: Standing = { lifted: false, stop };
  for (const word of words) {
    if (word.isBot || !hasSay(word, rules) || stop?.kept.includes(word.messageId) === true) continue;
    const refusal = word.path === undefined ? refusalIn(word.content) : inReview(word.content, word.path);
    const current: Stop | null = standing.lifted ? null : standing.stop;
    const rank = rankOf(word, rules);
    const isOver = current === null || atLeast(rank, permissionIn(current));
    if (refusal === "clear" && stop !== null && isOver) {
      standing = { lifted: false, stop: { ...stop, by: word.author, permission: rank } };
    } else if (refusal === null && (approves(word) || isWish(word.content))) {
      if (isOver || sameLogin(word.author, current.by)) standing = { lifted: true, by: word };
    }
  }
  return standing;
}

/**
 * People who say to go on and cannot lift the refusal in effect. A mere “ok” agrees to the stop as well as to the work,
 * unless Relay asked whether to go on.
 */
export function unableToLift(stop: Stop, words: readonly Word[], rules: Rules): string[] {
  return words
    .filter((word) => !word.isBot && isGoOn(word, stop) && !stop.kept.includes(word.messageId))
    .filter((word) => !sameLogin(word.author, stop.by))
    .filter((word) => !hasSay(word, rules) || !atLeast(rankOf(word, rules), permissionIn(stop)))
    .map(({ author }) => author);
}

function isGoOn({ content }: Word, { how }: Stop): boolean {
  const reply = readReply(content);
  return reply.kind === "approve" && !reply.specOnly && (reply.explicit || how === "doubtful");
}

function inReview(content: string, path: string | null): Refusal {
  const how = refusalInReview(content, path);
  return how === "refused" ? "clear" : how;
}

function approves({ content }: Word): boolean {
  return approvesPlan(content);
}

function permissionIn({ permission }: Pick<Stop, "permission">): Permission {
  return PERMISSIONS.find((one) => one === permission) ?? "none";
}

import { isAmong, sameLogin } from "../domain/login.ts";
import type { Risk } from "../domain/plan.ts";
import { type Reply, readReply } from "./read-reply.ts";
import { isWish } from "./wishes.ts";
import type { Mode } from "../domain/issue.ts";
import { atLeast, type Permission } from "../adapters/trackers/tracker.ts";

/** A comment that answers a posted plan. */
export interface PlanReply {
  messageId: string;
  author: string;
  isBot: boolean;
  isReporter: boolean;
  content: string;
  /** The author's current permission in the project (R-CONF-3). */
  permission: Permission;
  /** The planner has read this version of the comment and found that it changes nothing. */
  settled?: boolean;
}

/** A thumbs-up on the plan's comment, given after this version was posted. */
export type PlanReaction = Pick<PlanReply, "author" | "isBot" | "isReporter" | "permission">;

export interface ConfirmationFacts {
  mode: Mode;
  risk: Risk;
  /** Comments since the plan was posted, ordered by their last edit. */
  replies: readonly PlanReply[];
  /** Unread comments older than the posted plan: they cannot approve it, but may ask for changes. */
  earlier: readonly PlanReply[];
  reactions: readonly PlanReaction[];
  /** Logins that the configuration lets approve plans without write access. */
  confirmers: readonly string[];
}

/** An approval without the permission for it; it gets an answer. */
export interface RefusedYes {
  author: string;
  messageId: string | null;
  needs: "write" | "maintain";
}

/**
 * The outcome of a posted plan. `changed`: a comment says more than yes, so the planner must read it before any work
 * starts (R-CONF-5). `waiting`: no comment starts or changes anything (R-CONF-6).
 */
export type Confirmation =
  | { kind: "confirmed"; by: string; messageId: string | null }
  | { kind: "changed"; messageIds: string[] }
  | { kind: "waiting"; refused: RefusedYes[] };

/**
 * Judges the replies and reactions to the plan as posted. Only a clear approval by a permitted person starts work. An
 * approval does not count beside an unread change request, whoever made it: the plan may have to change (R-CONF-2,
 * R-CONF-3).
 */
export function confirmationOf(facts: ConfirmationFacts): Confirmation {
  const people = facts.replies.filter((reply) => !reply.isBot);
  const unread = [
    ...facts.earlier.filter((reply) => !reply.isBot),
    ...people.filter(({ settled }) => settled !== true),
  ];
  const wishes = unread.filter(({ content }) => isMoreThanYes(content));
  if (wishes.length > 0) return { kind: "changed", messageIds: wishes.map(({ messageId }) => messageId) };
  const refused: RefusedYes[] = [];
  // The last decision of each person counts, and a rejection by anyone who may approve blocks the plan.
  const words = lastWords(people);
  const noes = words.filter(({ content }) => isRefusal(readReply(content)));
  if (noes.some((reply) => lacks(reply, facts) === null)) return { kind: "waiting", refused };
  const yeses = [
    ...words.filter(({ content }) => readReply(content).kind === "approve"),
    ...facts.reactions.filter((reaction) => !reaction.isBot).map((reaction) => ({ ...reaction, messageId: null })),
  ].filter(({ author }) => !noes.some((no) => sameLogin(no.author, author)));
  for (const yes of yeses) {
    const needs = lacks(yes, facts);
    if (needs === null) return { kind: "confirmed", by: yes.author, messageId: yes.messageId };
    refused.push({ author: yes.author, messageId: yes.messageId, needs });
  }
  return { kind: "waiting", refused };
}

/** The last approval or rejection of each person. */
function lastWords(replies: readonly PlanReply[]): PlanReply[] {
  const decided = replies.filter(({ content }) => isDecision(readReply(content)));
  return decided.filter((reply, at) => !decided.slice(at + 1).some(({ author }) => sameLogin(author, reply.author)));
}

/** Whether the person's approval of a plan counts, so that their wishes change it (R-CONF-9). */
export function mayApprove(...given: Parameters<typeof lacks>): boolean {
  return lacks(...given) === null;
}

/** The permission that the person lacks to approve the plan; null if their approval counts. */
function lacks(
  { author, permission, isReporter }: Pick<PlanReply, "author" | "permission" | "isReporter">,
  { mode, risk, confirmers }: Pick<ConfirmationFacts, "mode" | "risk" | "confirmers">,
): "write" | "maintain" | null {
  if (risk === "HIGH") return atLeast(permission, "maintain") ? null : "maintain";
  if (atLeast(permission, "write") || isAmong(author, confirmers)) return null;
  // The reporter may approve a plan that starts no work.
  return isReporter && mode === "plan" ? null : "write";
}

/** Neither approval nor mere rejection nor politeness: a change request, a condition, a question, a correction. */
export function isMoreThanYes(content: string): boolean {
  return isWish(content);
}

function isRefusal({ kind }: Reply): boolean {
  return kind === "reject" || kind === "stop";
}

function isDecision(reply: Reply): boolean {
  return reply.kind === "approve" || isRefusal(reply);
}

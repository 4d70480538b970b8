import type { Risk } from "../domain/plan.ts";
import type { Reply } from "./read-reply.ts";
import { asksForMore, readReply } from "./read-reply.ts";
import type { Mode } from "../domain/issue.ts";
import { atLeast } from "../adapters/trackers/tracker.ts";
import type { Permission } from "../adapters/trackers/tracker.ts";

/** What somebody said after the plan was posted. */
export interface PlanReply {
  messageId: string;
  author: string;
  isBot: boolean;
  isReporter: boolean;
  content: string;
  /** What they may do in the project at this moment (R-CONF-3). */
  permission: Permission;
  /** The planner has read it as it is, and found that it changes nothing. */
  settled?: boolean;
}

/** Somebody who gave the plan's comment a thumbs-up after this version was posted. */
export type PlanReaction = Pick<PlanReply, "author" | "isBot" | "isReporter" | "permission">;

export interface ConfirmationFacts {
  mode: Mode;
  risk: Risk;
  /** Said since, in the order in which it was said or last edited. */
  replies: readonly PlanReply[];
  /** Said or edited before the plan came to stand there, and not read by the planner yet: a yes to nothing, but maybe a wish. */
  earlier: readonly PlanReply[];
  reactions: readonly PlanReaction[];
  /** Logins that the configuration lets confirm beside those with write access. */
  confirmers: readonly string[];
}

/** A yes that does not count, so that it does not go unanswered. */
export interface RefusedYes {
  author: string;
  messageId: string | null;
  needs: "write" | "maintain";
}

/**
 * What came of a posted plan. `changed`: somebody said more than a yes, so that the plan must be thought over before
 * anything starts (R-CONF-5). `waiting`: nothing that starts or changes anything (R-CONF-6).
 */
export type Confirmation =
  | { kind: "confirmed"; by: string; messageId: string | null }
  | { kind: "changed"; messageIds: string[] }
  | { kind: "waiting"; refused: RefusedYes[] };

/**
 * Judges replies and reactions to the plan as it is posted now. Whatever is not clearly a yes, by somebody who may
 * give it, starts nothing; and a yes does not count beside other wishes of the same thread, whoever has them: what was
 * agreed to is no longer the plan (R-CONF-2, R-CONF-3).
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
  // The last word of each person counts, and a no of anybody who may say yes holds everything.
  const words = lastWords(people);
  const noes = words.filter(({ content }) => isRefusal(readReply(content)));
  if (noes.some((reply) => lacks(reply, facts) === null)) return { kind: "waiting", refused };
  const yeses = [
    ...words.filter(({ content }) => readReply(content).kind === "approve"),
    ...facts.reactions.filter((reaction) => !reaction.isBot).map((reaction) => ({ ...reaction, messageId: null })),
  ].filter(({ author }) => !noes.some((no) => same(no.author, author)));
  for (const yes of yeses) {
    const needs = lacks(yes, facts);
    if (needs === null) return { kind: "confirmed", by: yes.author, messageId: yes.messageId };
    refused.push({ author: yes.author, messageId: yes.messageId, needs });
  }
  return { kind: "waiting", refused };
}

/** The last yes or no of each person. */
function lastWords(replies: readonly PlanReply[]): PlanReply[] {
  const decided = replies.filter(({ content }) => isDecision(readReply(content)));
  return decided.filter((reply, at) => !decided.slice(at + 1).some(({ author }) => same(author, reply.author)));
}

/** The permission that somebody needs and has not; null where their yes counts. */
function lacks(
  { author, permission, isReporter }: Pick<PlanReply, "author" | "permission" | "isReporter">,
  { mode, risk, confirmers }: ConfirmationFacts,
): "write" | "maintain" | null {
  if (risk === "HIGH") return atLeast(permission, "maintain") ? null : "maintain";
  if (atLeast(permission, "write") || confirmers.some((login) => same(login, author))) return null;
  // A plan that nobody carries out by itself may be agreed to by who asked for it.
  return isReporter && mode === "plan" ? null : "write";
}

/** Words that are neither yes nor no nor mere politeness: a wish, a condition, a question, a correction. */
export function isMoreThanYes(content: string): boolean {
  return asksForMore(readReply(content));
}

function isRefusal({ kind }: Reply): boolean {
  return kind === "reject" || kind === "stop";
}

function isDecision(reply: Reply): boolean {
  return reply.kind === "approve" || isRefusal(reply);
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

import { isAmong, sameLogin } from "../domain/login.ts";
import type { Risk } from "../domain/plan.ts";
import { approvesPlan, approvesSpecOnly, refusalIn } from "./read-reply.ts";
import { isWish } from "./wishes.ts";
import type { Mode } from "../domain/issue.ts";
import { atLeast, type Permission } from "../adapters/trackers/tracker.ts";

/** Somebody who spoke or reacted, with their current permission in the project (R-CONF-3). */
export interface Person {
  author: string;
  isBot: boolean;
  isReporter: boolean;
  isAssignee?: boolean;
  permission: Permission;
}

/** A comment that answers a posted plan. */
export interface PlanReply extends Person {
  messageId: string;
  content: string;
  /** The planner has read this version of the comment and found that it changes nothing. */
  settled?: boolean;
}

/** A thumbs-up on the plan's comment, given after this version was posted. */
export type PlanReaction = Person;

/** What decides whose words count. */
export interface Rules {
  mode: Mode;
  risk: Risk;
  /** Logins that the configuration lets approve plans without write access. */
  confirmers: readonly string[];
}

export interface ConfirmationFacts extends Rules {
  /** Comments since the plan was posted, ordered by their last edit. */
  replies: readonly PlanReply[];
  /** Unread comments older than the posted plan: they cannot approve it, but may ask for changes. */
  earlier: readonly PlanReply[];
  reactions: readonly PlanReaction[];
}

/**
 * An approval that does not count, without the permission for it, for the spec alone, or as the answer to somebody else's
 * question; it gets an answer.
 */
export interface RefusedYes {
  author: string;
  messageId: string | null;
  needs: "write" | "maintain" | "yes to the plan" | "words of its own";
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
 * Judges the replies and reactions to the plan as posted. Only a clear approval by a permitted person starts work. It
 * does not count beside an unread wish of somebody whose approval counts, or a doubt of somebody with a say: the plan
 * may have to change. Wishes of others with a say are thought over if nobody has approved, and take nothing back
 * (R-CONF-2, R-CONF-3, R-CONF-9).
 */
export function confirmationOf(facts: ConfirmationFacts): Confirmation {
  const people = facts.replies.filter((reply) => !reply.isBot);
  const unread = [
    ...facts.earlier.filter((reply) => !reply.isBot),
    ...people.filter(({ settled }) => settled !== true),
  ];
  const early = facts.earlier.filter(({ isBot, content }) => !isBot && refusalIn(content) === "clear");
  const wishes = [...unread.filter(({ content }) => wishesMore(content)), ...early].filter((one) => hasSay(one, facts));
  const changed: Confirmation = { kind: "changed", messageIds: wishes.map(({ messageId }) => messageId) };
  if (wishes.some((wish) => mayApprove(wish, facts) || refusalIn(wish.content) !== null)) return changed;
  const refused: RefusedYes[] = [];
  const waiting: Confirmation = wishes.length > 0 ? changed : { kind: "waiting", refused };
  // The last decision of each person counts, and a rejection by anyone with a say blocks the plan.
  const words = lastWords(people);
  const noes = words.filter(({ content }) => refusalIn(content) === "clear");
  if (noes.some((no) => hasSay(no, facts))) return waiting;
  const doubts = words.filter((reply) => refusalIn(reply.content) === "doubtful" && hasSay(reply, facts));
  const yeses = [
    ...words.filter(({ content }) => approvesPlan(content)),
    ...facts.reactions.filter((reaction) => !reaction.isBot).map((reaction) => ({ ...reaction, messageId: null })),
  ].filter(({ author }) => !noes.some((no) => sameLogin(no.author, author)));
  for (const yes of yeses) {
    const needs = missingPermission(yes, facts);
    if (needs !== null) refused.push({ author: yes.author, messageId: yes.messageId, needs });
    else if (doubts.every((doubt) => resolves(yes, doubt, people, facts))) {
      return { kind: "confirmed", by: yes.author, messageId: yes.messageId };
    }
  }
  for (const { author, messageId } of people.filter((reply) => isOpenForPlan(reply, people) && hasSay(reply, facts))) {
    refused.push({ author, messageId, needs: "yes to the plan" });
  }
  return waiting;
}

/** Whether somebody's last decision says yes to the spec alone, so that they may think that work starts. */
function isOpenForPlan({ content, author }: PlanReply, people: readonly PlanReply[]): boolean {
  return approvesSpecOnly(content) && !lastWords(people).some((word) => sameLogin(word.author, author));
}

/** Whether a yes came after somebody's doubt, and is of a rank that may set it aside. */
function resolves(
  yes: Person & { messageId: string | null },
  doubt: PlanReply,
  people: readonly PlanReply[],
  rules: Rules,
): boolean {
  const at = (id: string | null) => people.findIndex(({ messageId }) => messageId === id);
  return at(yes.messageId) > at(doubt.messageId) && atLeast(rankOf(yes, rules), rankOf(doubt, rules));
}

/** The last approval, rejection or doubt of each person. */
function lastWords(replies: readonly PlanReply[]): PlanReply[] {
  const decided = replies.filter(({ content }) => isDecision(content));
  return decided.filter((reply, at) => !decided.slice(at + 1).some(({ author }) => sameLogin(author, reply.author)));
}

/** Whether the person's approval of a plan counts, so that their wishes change it (R-CONF-9). */
export function mayApprove(...given: Parameters<typeof missingPermission>): boolean {
  return missingPermission(...given) === null;
}

/** The permission that the person lacks to approve the plan; null if their approval counts. */
export function missingPermission(
  { author, permission, isReporter }: Pick<Person, "author" | "permission" | "isReporter">,
  { mode, risk, confirmers }: Rules,
): "write" | "maintain" | null {
  if (risk === "HIGH") return atLeast(permission, "maintain") ? null : "maintain";
  if (atLeast(permission, "write") || isAmong(author, confirmers)) return null;
  // The reporter may approve a plan that starts no work.
  return isReporter && mode === "plan" ? null : "write";
}

/**
 * Whether the person has a say in the issue: those who could approve the plan or write, the reporter and the assignees.
 * Their refusals halt (R-CONF-7), and what they wish is thought over.
 */
export function hasSay(person: Person, rules: Rules): boolean {
  if (person.isReporter || person.isAssignee === true || isAmong(person.author, rules.confirmers)) return true;
  return atLeast(person.permission, "write") || mayApprove(person, rules);
}

/** The rank by which one person's words may set aside another's. */
export function rankOf({ author, permission }: Person, { confirmers }: Pick<Rules, "confirmers">): Permission {
  return isAmong(author, confirmers) && !atLeast(permission, "write") ? "write" : permission;
}

/** Whether a comment must be read before a yes counts: a change request, a condition, a question, a doubt. */
function wishesMore(content: string): boolean {
  return isWish(content) || refusalIn(content) === "doubtful";
}

/** Whether a comment may decide about a plan. */
export function isDecision(content: string): boolean {
  return approvesPlan(content) || refusalIn(content) !== null;
}

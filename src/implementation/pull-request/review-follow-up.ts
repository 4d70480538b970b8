import type { ReviewWord } from "../../domain/conversation.ts";
import { silence } from "../../domain/bot-loop-guard.ts";
import { isAmong, sameLogin } from "../../domain/login.ts";
import { keyOf } from "../../domain/marker.ts";
import { repeatsRelay } from "../../approval/read-reply.ts";
import type { CommitCheck, PullRequest, ReviewThread } from "../../adapters/trackers/code-host.ts";
import { type Permission, type TrackerComment, atLeast } from "../../adapters/trackers/tracker.ts";
import { type RedChecks, asksForWork, leavesAsIs, leftRedBy, onlyAsks, wishBesideRed } from "./asks-for-work.ts";
import { changeRequestOf, type ReviewChangeRequest } from "./change-request.ts";
import { keyOfQuestion } from "./thread-answers.ts";

/** The current state of a task's pull request (R-WORK-9). */
export interface ReviewFacts {
  state: PullRequest["state"];
  threads: readonly ReviewThread[];
  /** Comments handled before, by id, with their text at that time: an edited comment is new again. */
  taken: ReadonlyMap<string, string>;
  /** Current permissions of all `speakersOf`, by login in lower case. */
  permissions: ReadonlyMap<string, Permission>;
  /** Requested reviewers, and people who may approve according to the configuration: both may request changes. */
  reviewers: readonly string[];
  confirmers: readonly string[];
  /** Relay's own logins. */
  calledAs: readonly string[];
  respondToBots: boolean;
  /** Checks of the newest commit of the branch. */
  checks: readonly CommitCheck[];
  /** Names of checks that already failed on the base commit. */
  redBefore: readonly string[];
  /** Names of checks that people say to ignore, or that a run failed to fix on the newest commit. */
  settledChecks: readonly string[];
  /** How often failed checks went back to the agent. */
  redCount: number;
  /** Whether to wait for running checks; false after a timeout. */
  waitsForChecks: boolean;
}

/** A comment that needs no action, or whose action is stored with it. */
export interface SeenComment {
  id: string;
  threadId: string;
  author: string;
  content: string;
  path: string | null;
  line: number | null;
  createdAt: Date;
}

/**
 * What to do about a pull request. `seen`: comments that request nothing or whose author may not, and questions, which
 * were answered before; they are stored so that they are not read again. `red`: checks still fail after all retries,
 * and a person must look.
 */
export type FollowUp =
  | { kind: "merged" }
  | { kind: "closed" }
  | { kind: "review"; changeRequests: ReviewChangeRequest[]; seen: SeenComment[] }
  | { kind: "checks"; checks: CommitCheck[]; seen: SeenComment[] }
  | { kind: "red"; checks: string[]; seen: SeenComment[] }
  | { kind: "nothing"; seen: SeenComment[] };

/** How often failed checks go back to the agent (R-WORK-9). */
export const MAX_CHECK_RETRIES = 2;
/** The oldest first; the rest waits for the next run. */
const MAX_CHANGE_REQUESTS = 30;

/** Permissions are looked up for this many people, the most recent ones. */
const MOST_SPEAKERS = 50;

/** Authors of unhandled comments, whose permissions must be known; in lower case, the most recent first. */
export function speakersOf(facts: Pick<ReviewFacts, "threads" | "taken" | "calledAs">): string[] {
  const fresh = facts.threads
    .filter(({ resolved }) => !resolved)
    .flatMap(({ comments }) => comments.filter((comment) => !comment.isBot && isFresh(comment, facts)))
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  return [...new Set(fresh.map(({ author }) => author.toLowerCase()))].slice(0, MOST_SPEAKERS);
}

/** Unhandled comments by people, to check whether one of them halts further work. */
export function freshWords(facts: Pick<ReviewFacts, "threads" | "taken" | "calledAs">): ReviewWord[] {
  const open = facts.threads.filter(({ resolved }) => !resolved);
  return open.flatMap(({ comments, path }) =>
    comments
      .filter((comment) => !comment.isBot && !repeatsRelay(comment.body) && isFresh(comment, facts))
      .map(({ id, author, body, createdAt, editedAt }) => {
        return { externalId: id, author, content: body, timestamp: editedAt ?? createdAt, path };
      }),
  );
}

/** Decides the next step: whether the request ended, else which changes are requested, else which checks failed. */
export function followUp(facts: ReviewFacts): FollowUp {
  if (facts.state !== "open") return { kind: facts.state };
  const seen: SeenComment[] = [];
  const changeRequests: ReviewChangeRequest[] = [];
  for (const thread of facts.threads) {
    const { fresh, asking: heard } = freshIn(thread, facts);
    const asking = heard.every(isQuestion) ? [] : heard;
    seen.push(...fresh.filter((comment) => !asking.includes(comment)).map((comment) => seenIn(thread, comment)));
    const requested = asking.length > 0 ? changeRequestOf(thread, asking) : null;
    if (requested && changeRequests.length < MAX_CHANGE_REQUESTS) changeRequests.push(requested);
  }
  return changeRequests.length > 0 ? { kind: "review", changeRequests, seen } : { ...ofChecks(facts), seen };
}

/** How many answers one person gets per day in one request, so that no account keeps Relay talking. */
const MOST_ANSWERS = 20;
const DAY_MS = 86_400_000;

/**
 * The questions to answer: the last one of each thread in which people only ask and request no change. Questions by a
 * machine, or by one person beyond the daily limit, are read and not answered. Pure.
 */
export function questionsIn(facts: ReviewFacts): SeenComment[] {
  if (facts.state !== "open") return [];
  const answered = new Map<string, number>();
  return facts.threads.flatMap((thread) => {
    const { asking } = freshIn(thread, facts);
    const last = asking.at(-1);
    if (last === undefined || !asking.every(isQuestion) || isMachine(thread, last, facts)) return [];
    const author = last.author.toLowerCase();
    const count = answered.get(author) ?? answersTo(last, facts);
    answered.set(author, count + 1);
    return count < MOST_ANSWERS ? [seenIn(thread, last)] : [];
  });
}

/**
 * What was said before a question: in its thread; for a comment on the request as a whole, in all such comments. Oldest
 * first.
 */
export function saidBefore(
  { id, threadId, path, createdAt }: SeenComment,
  { threads }: Pick<ReviewFacts, "threads">,
): TrackerComment[] {
  return threads
    .filter((thread) => thread.id === threadId || (path === null && thread.path === null))
    .flatMap(({ comments }) => comments)
    .filter((comment) => comment.id !== id && comment.createdAt <= createdAt)
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** Red checks that an authorized person says to leave as they are (R-WORK-15). Pure. */
export function checksToIgnore(facts: ReviewFacts): string[] {
  const red = redChecks(facts);
  const names = facts.threads.flatMap((thread) =>
    freshIn(thread, facts)
      .fresh.filter((one) => counts(one, facts))
      .flatMap(({ body }) => leftRedBy(body, red, thread.path)),
  );
  return [...new Set(names)];
}

/** Whether an authorized person says to leave what Relay could not do (R-WORK-15). Pure. */
export function isLeftAsIs(facts: ReviewFacts): boolean {
  return facts.threads.some((thread) =>
    freshIn(thread, facts).fresh.some((one) => counts(one, facts) && leavesAsIs(one.body)),
  );
}

/** The checks of the newest commit that people may refer to as red. */
export function redChecks({ checks, redBefore }: Pick<ReviewFacts, "checks" | "redBefore">): RedChecks {
  const named = (outcome: CommitCheck["outcome"]) =>
    checks.filter((check) => check.outcome === outcome).map(({ name }) => name);
  const failed = named("failed");
  return {
    own: failed.filter((name) => !redBefore.includes(name)),
    before: failed.filter((name) => redBefore.includes(name)),
    running: named("pending"),
  };
}

/** Checks that failed on the branch and not on its base. */
function redOf({ checks, redBefore }: Pick<ReviewFacts, "checks" | "redBefore">): CommitCheck[] {
  return checks.filter(({ name, outcome }) => outcome === "failed" && !redBefore.includes(name));
}

function isMachine(thread: ReviewThread, last: TrackerComment, facts: ReviewFacts): boolean {
  const turns = [...saidBefore(seenIn(thread, last), facts), last].map(({ author, isBot, createdAt }) => {
    const role = isAmong(author, facts.calledAs) ? ("self" as const) : ("other" as const);
    return { author, isBot, role, timestamp: createdAt };
  });
  return silence(turns, last.author, { isBot: false, respondToBots: facts.respondToBots }) !== null;
}

/** How many questions of this person Relay answered in the day before this one. */
function answersTo({ author, createdAt }: TrackerComment, { threads, calledAs }: ReviewFacts): number {
  const all = threads.flatMap(({ comments }) => comments);
  const asked = new Set(all.filter((one) => sameLogin(one.author, author)).map(({ id }) => keyOfQuestion(id)));
  const since = createdAt.getTime() - DAY_MS;
  return all.filter(
    (one) => isAmong(one.author, calledAs) && one.createdAt.getTime() > since && asked.has(keyOf(one.body) ?? ""),
  ).length;
}

/** The unhandled comments of a thread, and those of them that Relay must act on. */
function freshIn({ resolved, comments, path }: ReviewThread, facts: ReviewFacts) {
  // A resolved thread requests nothing, unless it is reopened.
  const fresh = resolved ? [] : comments.filter((comment) => isFresh(comment, facts) && isKnown(comment, facts));
  const red = redChecks(facts);
  const asking = fresh.filter(
    (comment) => counts(comment, facts) && asksForWork(wishBesideRed(comment.body, red, path), facts.calledAs, path),
  );
  return { fresh, asking };
}

/** Bots are not answered in words: two of them could go on forever. */
function isQuestion({ isBot, body }: TrackerComment): boolean {
  return !isBot && onlyAsks(body);
}

function ofChecks(
  facts: ReviewFacts,
): { kind: "checks"; checks: CommitCheck[] } | { kind: "red"; checks: string[] } | { kind: "nothing" } {
  const { checks, settledChecks, redCount, waitsForChecks } = facts;
  const red = redOf(facts).filter(({ name }) => !settledChecks.includes(name));
  const isRunning = checks.some(({ outcome }) => outcome === "pending");
  if (red.length === 0 || (isRunning && waitsForChecks)) return { kind: "nothing" };
  return redCount < MAX_CHECK_RETRIES
    ? { kind: "checks", checks: red }
    : { kind: "red", checks: red.map(({ name }) => name) };
}

/** Whether the author may request changes: by current permission, or as a requested reviewer. */
function counts({ author, isBot, body }: TrackerComment, facts: ReviewFacts): boolean {
  if (repeatsRelay(body)) return false;
  // Bots are seldom members; enabling `respond_to_bots` is the decision to trust them.
  if (isBot) return facts.respondToBots;
  const permission = facts.permissions.get(author.toLowerCase()) ?? "none";
  return atLeast(permission, "write") || isAmong(author, [...facts.reviewers, ...facts.confirmers]);
}

/** A comment whose author's permission was not fetched waits for the next time. */
function isKnown({ author, isBot }: TrackerComment, { permissions }: ReviewFacts): boolean {
  return isBot || permissions.has(author.toLowerCase());
}

/** Written by someone else, and not handled in its current form. */
function isFresh({ id, author, body }: TrackerComment, { taken, calledAs }: Pick<ReviewFacts, "taken" | "calledAs">) {
  return taken.get(id) !== body && !isAmong(author, calledAs);
}

function seenIn({ id: threadId, path, line }: ReviewThread, comment: TrackerComment): SeenComment {
  const { id, author, body: content, createdAt } = comment;
  return { id, threadId, author, content, path, line, createdAt };
}

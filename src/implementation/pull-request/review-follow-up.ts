import { carriesMarker } from "../../domain/marker.ts";
import type { CommitCheck, PullRequest, ReviewThread } from "../../adapters/trackers/code-host.ts";
import type { Permission, TrackerComment } from "../../adapters/trackers/tracker.ts";
import { atLeast } from "../../adapters/trackers/tracker.ts";
import { asksForWork } from "./asks-for-work.ts";
import { wishOf } from "./review-wish.ts";
import type { ReviewWish } from "./review-wish.ts";

/** What is known of a task's request at this moment (R-WORK-9). */
export interface ReviewFacts {
  state: PullRequest["state"];
  threads: readonly ReviewThread[];
  /** Words that were taken up before, as they were then: by the comment's id. One that was edited since is new. */
  taken: ReadonlyMap<string, string>;
  /** What each of `speakersOf` may do in the project now, by login in lower case. */
  permissions: ReadonlyMap<string, Permission>;
  /** Logins that were asked for a review, and those that the configuration lets confirm: both may wish. */
  reviewers: readonly string[];
  confirmers: readonly string[];
  /** Logins of Relay. */
  calledAs: readonly string[];
  respondToBots: boolean;
  /** Of the newest commit of the branch. */
  checks: readonly CommitCheck[];
  /** Names of checks that failed where the branch began: they are not the branch's. */
  redBefore: readonly string[];
  /** How often red checks were given back to the agent. */
  redCount: number;
  /** False once checks that run have been waited for long enough. */
  waitsForChecks: boolean;
}

/** A word that needs no further look. */
export interface HeardWord {
  id: string;
  threadId: string;
  author: string;
  content: string;
  path: string | null;
  line: number | null;
  createdAt: Date;
}

/**
 * What to do about a request. `heard`: words that ask for nothing, or by those who may ask for nothing; they are stored,
 * and not looked at again. `red`: checks are red although they were given back as often as is allowed: a person must look.
 */
export type FollowUp =
  | { kind: "merged" }
  | { kind: "closed" }
  | { kind: "wishes"; wishes: ReviewWish[]; heard: HeardWord[] }
  | { kind: "checks"; checks: CommitCheck[]; heard: HeardWord[] }
  | { kind: "red"; checks: string[]; heard: HeardWord[] }
  | { kind: "nothing"; heard: HeardWord[] };

/** So often red checks are given back (R-WORK-9). */
const MOST_RED = 2;
/** The oldest come first; the rest is for the next run. */
const MOST_WISHES = 30;

/** More people than that are not looked up; those who spoke last count. */
const MOST_SPEAKERS = 50;

/** People whose permission decides about words that were not taken up yet; in lower case, who spoke last coming first. */
export function speakersOf(facts: Pick<ReviewFacts, "threads" | "taken" | "calledAs">): string[] {
  const fresh = facts.threads
    .filter(({ resolved }) => !resolved)
    .flatMap(({ comments }) => comments.filter((comment) => !comment.isBot && isFresh(comment, facts)))
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  return [...new Set(fresh.map(({ author }) => author.toLowerCase()))].slice(0, MOST_SPEAKERS);
}

/** Judges a request: how it ended, else what people wish, else which checks are red. */
export function followUp(facts: ReviewFacts): FollowUp {
  if (facts.state !== "open") return { kind: facts.state };
  const heard: HeardWord[] = [];
  const wishes: ReviewWish[] = [];
  for (const thread of facts.threads) {
    // Settled by people: unless somebody opens it again, nothing is asked for there.
    if (thread.resolved) continue;
    const fresh = thread.comments.filter((comment) => isFresh(comment, facts) && isKnown(comment, facts));
    const asking = fresh.filter((comment) => counts(comment, facts) && asksForWork(comment.body, facts.calledAs));
    heard.push(...fresh.filter((comment) => !asking.includes(comment)).map((comment) => heardIn(thread, comment)));
    const wish = asking.length > 0 ? wishOf(thread, asking) : null;
    if (wish && wishes.length < MOST_WISHES) wishes.push(wish);
  }
  return wishes.length > 0 ? { kind: "wishes", wishes, heard } : { ...ofChecks(facts), heard };
}

function ofChecks({
  checks,
  redBefore,
  redCount,
  waitsForChecks,
}: ReviewFacts): { kind: "checks"; checks: CommitCheck[] } | { kind: "red"; checks: string[] } | { kind: "nothing" } {
  const red = checks.filter(({ name, outcome }) => outcome === "failed" && !redBefore.includes(name));
  const isRunning = checks.some(({ outcome }) => outcome === "pending");
  if (red.length === 0 || (isRunning && waitsForChecks)) return { kind: "nothing" };
  return redCount < MOST_RED ? { kind: "checks", checks: red } : { kind: "red", checks: red.map(({ name }) => name) };
}

/** Whether somebody's wishes are followed: by permission now, or since they were asked for a review. */
function counts({ author, isBot, body }: TrackerComment, facts: ReviewFacts): boolean {
  if (carriesMarker(body)) return false;
  // Whoever lets bots be heeded has chosen them; they are seldom members.
  if (isBot) return facts.respondToBots;
  const permission = facts.permissions.get(author.toLowerCase()) ?? "none";
  return atLeast(permission, "write") || [...facts.reviewers, ...facts.confirmers].some((login) => same(login, author));
}

/** Words of somebody who was not looked up wait for the next time. */
function isKnown({ author, isBot }: TrackerComment, { permissions }: ReviewFacts): boolean {
  return isBot || permissions.has(author.toLowerCase());
}

/** Said by others, and not taken up as it stands now. */
function isFresh({ id, author, body }: TrackerComment, { taken, calledAs }: Pick<ReviewFacts, "taken" | "calledAs">) {
  return taken.get(id) !== body && !calledAs.some((login) => same(login, author));
}

function heardIn({ id: threadId, path, line }: ReviewThread, comment: TrackerComment): HeardWord {
  const { id, author, body: content, createdAt } = comment;
  return { id, threadId, author, content, path, line, createdAt };
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

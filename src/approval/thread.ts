import type { ReviewWord, ThreadMessage } from "../domain/conversation.ts";
import type { Issue, Mode } from "../domain/issue.ts";
import { isReopened } from "../domain/gap.ts";
import { isAmong, sameLogin } from "../domain/login.ts";
import type { PostedPlan } from "../domain/plan.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Context } from "../storage/context.ts";
import { listGaps } from "../storage/gaps.ts";
import { getIssue } from "../storage/issues.ts";
import { listMessages, listUnreadSeqs } from "../storage/messages.ts";
import { latestPlan } from "../storage/plans.ts";
import { listShownBeside } from "../storage/proxied-comments.ts";
import type { Permission, Tracker, Votes } from "../adapters/trackers/tracker.ts";
import type { Person, Rules } from "./consent.ts";

export interface ThreadDeps extends Context {
  tracker: Tracker;
  repository: { mode: Mode };
  /** Logins that may confirm besides those with write access. */
  confirmers: readonly string[];
  /** Whether thumbs on the plan's comment count. */
  thumbsUp: boolean;
  /** Unread comments by people on the open pull request of the issue; none without one. */
  reviewWords?: () => Promise<readonly ReviewWord[]>;
}

/** An issue with its newest plan, as stored right after a refresh, and what the tracker says about its people. */
export interface Thread {
  issue: Issue;
  plan: PostedPlan;
  messages: readonly ThreadMessage[];
  /** Seqs of messages that no cycle has read in their current form. */
  unseen: ReadonlySet<number>;
  /** By comment: the plan that its author saw, for comments sent from a page, by the API or MCP. */
  shownBeside: ReadonlyMap<string, string>;
  /** People's unread messages, in the order of the thread. */
  unread: readonly ThreadMessage[];
  /** Those on its pull request, since the plan was approved. */
  reviewed: readonly ReviewWord[];
  /** Thumbs given since this version of the plan was posted; none where they do not count. */
  votes: Votes | null;
  /** Why they could not be read, if that may pass. */
  votesUnread: RelayError | null;
  rules: Rules;
  /** Whether a question is open again, because its answer is gone. */
  reopened: boolean;
  /** Authors with their permission now; each is asked for once in a check, and only if their words could decide. */
  people: (logins: readonly string[]) => Promise<(login: string) => Person>;
}

/** Null without a plan. */
export async function openThread(issueId: string, deps: ThreadDeps): Promise<Thread | null> {
  const { db, repository, confirmers } = deps;
  const [issue, plan] = [await getIssue(db, issueId), await latestPlan(db, issueId)];
  if (plan === null) return null;
  const messages = await listMessages(db, issueId);
  const unseen = new Set(await listUnreadSeqs(db, issueId));
  // In review people speak; thumbs would cost a request at each event.
  const isSettled = plan.status === "stale" || issue.state === "in_review";
  const { votes, unread } = isSettled ? NO_VOTES : await newVotes(issue, plan, deps);
  return {
    issue,
    plan,
    messages,
    unseen,
    shownBeside: await listShownBeside(db, issueId),
    unread: messages.filter(({ seq, isBot }) => unseen.has(seq) && !isBot),
    reviewed: await reviewedSince(plan, deps),
    votes,
    votesUnread: unread,
    rules: { mode: repository.mode, risk: plan.triage.risk, confirmers },
    reopened: (await listGaps(db, issueId)).some(isReopened),
    people: peopleOf(issue, deps.tracker),
  };
}

async function reviewedSince({ postedAt, status }: PostedPlan, { reviewWords }: ThreadDeps): Promise<ReviewWord[]> {
  if (postedAt === null || status === "posted") return [];
  return ((await reviewWords?.()) ?? []).filter(({ timestamp }) => timestamp > postedAt);
}

/** Thumbs given before this version were for an earlier one. */
async function newVotes(
  issue: Issue,
  { commentId, earlierThumbs, earlierDowns }: PostedPlan,
  { tracker, thumbsUp, log }: ThreadDeps,
): Promise<{ votes: Votes | null; unread: RelayError | null }> {
  if (!thumbsUp || commentId === null) return NO_VOTES;
  try {
    const { up, down } = await tracker.listVotes(issue, commentId);
    const votes = {
      up: up.filter((login) => !isAmong(login, earlierThumbs)),
      down: down.filter((login) => !isAmong(login, earlierDowns)),
    };
    return { votes, unread: null };
  } catch (error) {
    log.warn({ issue_id: issue.id, error: messageOf(error) }, "reactions to the plan not read");
    return { votes: null, unread: error instanceof RelayError && error.retryable ? error : null };
  }
}

const NO_VOTES = { votes: null, unread: null };

function peopleOf(issue: Issue, tracker: Tracker): Thread["people"] {
  const known = new Map<string, { permission: Permission; isBot: boolean }>();
  return async (logins) => {
    const asked = new Map(logins.map((login) => [login.toLowerCase(), login]));
    const unknown = [...asked].filter(([key]) => !known.has(key));
    // At once: a tracker may answer for many people in one request.
    const found = unknown.map(async ([key, login]) => {
      const permission = await tracker.permissionOf(issue.externalProjectId, login);
      known.set(key, { permission, isBot: login.endsWith("[bot]") || (await tracker.isBot(login)) });
    });
    await Promise.all(found);
    return (author) => ({
      author,
      isBot: known.get(author.toLowerCase())?.isBot ?? author.endsWith("[bot]"),
      isReporter: sameLogin(author, issue.reporter),
      isAssignee: isAmong(author, issue.assignees),
      permission: known.get(author.toLowerCase())?.permission ?? "none",
    });
  };
}

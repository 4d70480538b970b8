import { z } from "zod";
import { type EventKind, type TrackerEvent, buildEvent } from "../../../domain/event.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Ids } from "../../../lib/ids.ts";
import { checkName, checkText, unfit } from "../texts.ts";
import type { CommitCheck, PullRequest } from "../code-host.ts";
import type { Permission } from "../tracker.ts";
import { memberOf, permit } from "./access.ts";
import { lockPullRequest } from "./pull-requests.ts";
import { answerThread, openThread, resolveThread, type Saying } from "./review-threads.ts";
import type { Sql } from "./rows.ts";

/** A request of the local tracker. */
export interface RequestAddress {
  project: string;
  number: number;
}

export type Verdict = "approved" | "changes_requested" | "commented";

/** The place of a review comment: on a line, in a thread, or under the request as a whole. */
export type ReviewPlace = { path: string; line: number } | { threadId: string } | null;

/**
 * Actions of people and checks on requests in the local tracker. As on hosted trackers, the event's issue is `!` and
 * the request's number, and it names the branch.
 */
export interface Reviewers {
  /** Comments in a review. */
  reviewComment(request: RequestAddress, actor: string, body: string, place: ReviewPlace): Promise<TrackerEvent>;
  /** Submits a review; its text may be empty. */
  review(request: RequestAddress, actor: string, verdict: Verdict, body: string): Promise<TrackerEvent>;
  /** Resolves a thread; as on hosted trackers, without an event. */
  resolveThread(request: RequestAddress, actor: string, threadId: string): Promise<void>;
  /** Marks the request as merged; does not touch the branches. */
  mergeRequest(request: RequestAddress, actor: string): Promise<TrackerEvent>;
  /** Closes the request without a merge. */
  closeRequest(request: RequestAddress, actor: string): Promise<TrackerEvent>;
  reopenRequest(request: RequestAddress, actor: string): Promise<TrackerEvent>;
  /**
   * Records the state of a check on a commit of the request. The event has the outcome of all checks of the commit;
   * null while one of them is running.
   */
  reportCheck(
    request: RequestAddress,
    actor: string,
    commit: string,
    check: Pick<CommitCheck, "name" | "outcome" | "detail">,
  ): Promise<TrackerEvent | null>;
  labelsOfRequest(request: RequestAddress): Promise<string[]>;
}

/** A check's output is cut to this length. */
const LONGEST_DETAIL = 8_000;
const LARGEST_LINE = 2_147_483_647;

type Details = Pick<TrackerEvent, "kind"> & Partial<Pick<TrackerEvent, "commentId" | "threadId" | "text" | "outcome">>;

export function localReviewers(db: Sql, { clock, ids }: { clock: Clock; ids: Ids }): Reviewers {
  /** One atomic action on a request by a permitted person. */
  const act = async <T>(
    { project, number }: RequestAddress,
    actor: string,
    needs: Permission,
    work: (tx: Sql, request: PullRequest) => Promise<T>,
  ): Promise<T> =>
    await db.transaction(async (tx) => {
      await permit(tx, project, actor, needs);
      return await work(tx, await lockPullRequest(tx, project, number));
    });

  const eventOf = async (
    tx: Sql,
    { project, number }: RequestAddress,
    actor: string,
    branch: string,
    details: Details,
  ): Promise<TrackerEvent> =>
    buildEvent({
      provider: "local",
      externalProjectId: project,
      externalIssueId: `!${number}`,
      actor,
      actorIsBot: (await memberOf(tx, project, actor)).isBot,
      at: clock.now(),
      branch,
      ...details,
    });

  const saying = (author: string, body: string): Saying => ({ id: ids.next(), author, body, at: clock.now() });

  const move = async (
    request: RequestAddress,
    actor: string,
    [from, to]: readonly ["open" | "closed", "merged" | "closed" | "open"],
  ): Promise<TrackerEvent> =>
    await act(request, actor, "write", async (tx, { head, state: before }) => {
      if (before !== from) throw unfit(`request ${request.number} of ${request.project} is ${before} already`);
      await tx.execute(
        `update local_pull_requests set state = $3, updated_at = $4 where project = $1 and number = $2`,
        [request.project, request.number, to, clock.now()],
      );
      return await eventOf(tx, request, actor, head, { kind: TOLD_AS[to] });
    });

  return {
    reviewComment: async (request, actor, body, place) =>
      await act(request, actor, "read", async (tx, { head }) => {
        const said = saying(actor, body);
        const threadId = place !== null && "threadId" in place ? place.threadId : said.id;
        if (place !== null && "threadId" in place) await answerThread(tx, { ...request, threadId }, said);
        else await openThread(tx, request, place === null ? null : checkedPlace(place), said);
        const kind: EventKind = place === null ? "commented" : "review_commented";
        return await eventOf(tx, request, actor, head, { kind, commentId: said.id, threadId, text: body });
      }),
    review: async (request, actor, verdict, body) =>
      await act(request, actor, "read", async (tx, { head }) => {
        if (body !== "") await openThread(tx, request, null, saying(actor, body));
        return await eventOf(tx, request, actor, head, { kind: "review_submitted", text: body, outcome: verdict });
      }),
    resolveThread: async (request, actor, threadId) =>
      await act(request, actor, "write", async (tx) => resolveThread(tx, { ...request, threadId })),
    mergeRequest: async (request, actor) => await move(request, actor, ["open", "merged"]),
    closeRequest: async (request, actor) => await move(request, actor, ["open", "closed"]),
    reopenRequest: async (request, actor) => await move(request, actor, ["closed", "open"]),
    reportCheck: async (request, actor, commit, { name, outcome, detail }) =>
      await act(request, actor, "write", async (tx, { head }) => {
        checkName(commit, "a commit");
        checkName(name, "the name of a check");
        const kept = detail.slice(-LONGEST_DETAIL).replace(/^[\udc00-\udfff]/, "");
        checkText(kept, "what a check says", LONGEST_DETAIL);
        await tx.execute(
          `insert into local_checks (project, commit, name, outcome, detail, reported_at) values ($1, $2, $3, $4, $5, $6)
           on conflict (project, commit, name) do update
           set outcome = excluded.outcome, detail = excluded.detail, reported_at = excluded.reported_at`,
          [request.project, commit, name, outcome, kept, clock.now()],
        );
        const outcomes = await tx.query(
          z.object({ outcome: z.string() }),
          `select outcome from local_checks where project = $1 and commit = $2`,
          [request.project, commit],
        );
        if (outcomes.some((each) => each.outcome === "pending")) return null;
        const all = outcomes.some((each) => each.outcome === "failed") ? "failure" : "success";
        return await eventOf(tx, request, actor, head, { kind: "checks_completed", outcome: all });
      }),
    labelsOfRequest: async ({ project, number }) => {
      const row = await db.maybeOne(
        z.object({ labels: z.array(z.string()) }),
        `select labels from local_pull_requests where project = $1 and number = $2`,
        [project, number],
      );
      return row?.labels ?? [];
    },
  };
}

function checkedPlace({ path, line }: { path: string; line: number }): { path: string; line: number } {
  checkName(path, "a path");
  if (!Number.isInteger(line) || line < 1 || line > LARGEST_LINE) throw unfit(`there is no line ${line} in a file`);
  return { path, line };
}

const TOLD_AS = {
  merged: "pull_request_merged",
  closed: "pull_request_closed",
  open: "pull_request_reopened",
} as const satisfies Record<string, EventKind>;

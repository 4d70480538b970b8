import type { Tracker } from "../adapters/trackers/tracker.ts";
import { type TrackerEvent, isSpeech } from "../domain/event.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import { isAmong } from "../domain/login.ts";
import { closedRequestOf, openRequestOf } from "../implementation/pull-request/pull-request-ended.ts";
import type { Engage } from "../intake/decide.ts";
import { decides, mayCall } from "../intake/process.ts";
import { recordWords } from "../intake/record-words.ts";
import type { Priority } from "../lib/priority.ts";
import type { Context } from "../storage/context.ts";
import type { Db } from "../storage/db.ts";
import { markProcessed } from "../storage/deliveries.ts";
import { findIssueById, listInReview } from "../storage/issues.ts";
import { findRequestByBranch, findRequestByNumber } from "../storage/pull-requests.ts";
import { checksNow } from "./state-machine.ts";

export interface RequestEventDeps extends Context {
  /** Who may call Relay (R-LIFE-11); `triage` by default. */
  engage?: Engage;
  /** Starts the debounce that the event asks for. */
  debounce: (issue: Issue, asked: "now" | "quiet") => Promise<void>;
  jobs: {
    ensureWakes: (wakes: readonly { issueId: string; at: Date | "now" }[], priority: Priority) => Promise<void>;
  };
}

/**
 * An event of a pull request only wakes its issue, which then reads the pull request: lost and repeated deliveries make
 * no difference. Comments get a debounce, since a review arrives in many pieces; mentions and words that decide do not.
 */
export async function processRequestEvent(
  id: string,
  event: TrackerEvent,
  tracker: Tracker,
  deps: RequestEventDeps,
): Promise<{ decision: "drop" | "refresh"; issueId: string | null }> {
  const { db, clock, log } = deps;
  // The base branch moved, so other pull requests may now conflict with it.
  if (event.kind === "pull_request_merged") await wakeOthersInReview(event, deps);
  const own = isAmong(event.actor, [tracker.bot, ...tracker.calledAs]);
  const request = own ? null : await findRequestOf(db, event);
  const issue = request && (await findIssueById(db, request.issueId));
  if (issue === null) {
    await markProcessed(db, id, own ? "drop: Relay's own doing" : "drop: no request of Relay's", clock);
    return { decision: "drop", issueId: null };
  }
  const isBack = event.kind === "pull_request_reopened" && (await closedRequestOf(issue, db)) !== null;
  if (!isBack && (await openRequestOf(issue, db)) === null) {
    await markProcessed(db, id, "drop: nothing waits for it", clock);
    return { decision: "drop", issueId: issue.id };
  }
  const words = isSpeech(event) || event.kind === "review_commented" || event.kind === "review_submitted";
  const isDirect = !words || (await mayCall(event, { ...deps, tracker })) || (await decides(event, issue, { tracker }));
  await deps.debounce(issue, isDirect ? "now" : "quiet");
  const heard = { kind: "refresh", wake: isDirect ? "now" : "quiet" } as const;
  await db.transaction(async (tx) => {
    await recordWords(tx, event, heard, issue, { ...deps, tracker, checksNow: checksNow(issue) });
    await markProcessed(tx, id, `review: ${event.kind}`, clock);
  });
  log.info({ delivery: id, event: event.kind, issue: issueName(issue) }, "pull request will be checked");
  return { decision: "refresh", issueId: issue.id };
}

async function wakeOthersInReview(event: TrackerEvent, { db, jobs }: RequestEventDeps): Promise<void> {
  const others = (await listInReview(db, event)).map((issueId) => ({ issueId, at: "now" as const }));
  await jobs.ensureWakes(others, "background");
}

/** By its number, or by its branch for checks, which name nothing else. */
export async function findRequestOf(db: Db, event: TrackerEvent) {
  const { externalProjectId, externalIssueId, branch } = event;
  const number = Number(externalIssueId.slice(1));
  const found = Number.isSafeInteger(number) ? await findRequestByNumber(db, externalProjectId, number) : null;
  return found ?? (branch === null ? null : await findRequestByBranch(db, externalProjectId, branch));
}

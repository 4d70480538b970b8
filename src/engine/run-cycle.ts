import type { BatchState } from "../planner/actions/batch-state.ts";
import { executeBatch } from "../planner/actions/execute.ts";
import { messagesWithSignal } from "../planner/actions/proceed-signal.ts";
import { type StoreWrites, idempotencyKey, storeLedger } from "../planner/actions/ledger.ts";
import type { ExecutorDeps } from "../planner/actions/ports.ts";
import type { ActionBatch } from "../domain/action.ts";
import type { Cycle, CycleOutcome } from "../domain/cycle.ts";
import type { Issue } from "../domain/issue.ts";
import { toldText } from "../notify/link-origins.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import { withLinks } from "./comment-links.ts";
import { finishCycle, withoutActions } from "./finish-cycle.ts";
import { hasNews, isUpToDate, textOf } from "./news.ts";
import { type CycleDeps, type Until, batchState, contextOf, decidersOf, waitingState } from "./cycle-context.ts";
import { afterRound } from "./cycle-outcome.ts";
import { RelayError } from "../lib/errors.ts";
import { inSpan, noteInSpan } from "../lib/trace.ts";
import type { CycleContext, PlannerRun } from "../planner/planner.ts";
import type { Planning } from "./recording/recordings.ts";
import { recorder } from "./recording/recorder.ts";
import { withdrawIfStopped } from "./withdraw-cycle.ts";
import { writePlannedSpec } from "./write-given-spec.ts";
import { writeGeneratedSpec } from "./write-spec.ts";
import { postLedger } from "../notify/send-once.ts";
import { record, recordNoAccess } from "../storage/audit.ts";
import { addActions, beginCycle, findRunningCycle, listActions } from "../storage/cycles.ts";
import type { Db } from "../storage/db.ts";
import { addEval, linkCalls } from "../storage/model-calls.ts";
import { getIssue } from "../storage/issues.ts";
import { findLostComment, settleLostComments } from "../storage/lost-comments.ts";
import { atLeast } from "../adapters/trackers/tracker.ts";
import { listMessages, listReadIn, markRead } from "../storage/messages.ts";

/**
 * One cycle of an issue (R-PLAN-1): context -> planner -> validation -> stored actions -> execution -> next state. The
 * caller holds the issue's lock. After a crash the cycle resumes with its stored actions, so that nothing is planned or
 * done twice (R-ACT-5).
 */
export async function runCycle(issue: Issue, deps: CycleDeps): Promise<CycleOutcome> {
  const running = await findRunningCycle(deps.db, issue.id);
  const before = waitingState(issue);
  if (running === null && (await isUpToDate(deps.db, issue))) return { failures: [], error: null, again: null };
  await deps.transition(deps.db, issue.id, "cycle_started", { why: "there is something to think about" });
  // After a restore, Relay reads and says again, in the same order, what it did since the backup; comments that are
  // already in the thread are taken over.
  const until = (await findLostComment(deps.db, issue.id))?.seq ?? null;
  const about = { ...deps, until };
  const context = await contextOf(issue, before, about);
  if (running) {
    const withdrawn = await withdrawIfStopped(running, context, deps);
    if (withdrawn !== null) return withdrawn;
    const newMessages = await listReadIn(deps.db, running.id);
    const outcome = await executeRounds(running, { ...context, newMessages }, before, about);
    // A cycle resumed after a crash is followed by another if new messages arrived meanwhile.
    const again = outcome.again === null && (await hasNews(deps.db, context, running)) ? 0 : outcome.again;
    return { ...outcome, again };
  }

  const state = await batchState(issue, context, about);
  const planned = await plan(context, state, deps);
  if (planned.kind !== "planned") {
    const { failures, reasoning, error } = withoutActions(planned);
    const cycle = await storeCycle(context, { actions: [], reasoning }, planned, deps);
    return await finishCycle(cycle, { failures, error }, deps);
  }
  const cycle = await storeCycle(context, planned.batch, planned, deps);
  const outcome = await executeRounds(cycle, context, before, about);
  if (until === null || outcome.failures.length > 0) return outcome;
  await settleLostComments(deps.db, issue.id, until);
  return { ...outcome, again: (await hasNews(deps.db, context, cycle)) ? 0 : outcome.again };
}

async function plan(context: CycleContext, state: BatchState, deps: CycleDeps) {
  const started = performance.now();
  const { judge, planning } = recorder(context, state);
  const planned = await inSpan("plan actions", {}, async () => {
    const answer = await deps.planner.plan(context, judge);
    const actions = answer.kind === "planned" ? answer.batch.actions.map(({ type }) => type) : null;
    noteInSpan(actions === null ? { "error.type": answer.kind } : { "relay.actions": actions });
    return answer;
  });
  return { ...planned, latencyMs: performance.now() - started, planning };
}

/** Stores the cycle, its actions with their keys, and the messages it read, in one transaction before anything runs. */
async function storeCycle(
  context: CycleContext,
  given: ActionBatch,
  { latencyMs, run, planning }: { latencyMs: number; run: PlannerRun | null; planning: Planning },
  deps: CycleDeps,
): Promise<Cycle> {
  const issueId = context.issue.id;
  const batch = { ...given, reasoning: await toldText(given.reasoning, context.issue, deps) };
  const stored = await deps.db.transaction(async (tx) => {
    const cycle = await beginCycle(tx, issueId, { planner: deps.planner.name, reasoning: batch.reasoning }, deps);
    await addRound(tx, cycle, 0, batch, deps);
    await markRead(tx, issueId, context.newMessages, cycle.id);
    await linkCalls(tx, issueId, cycle.id);
    await addEval(
      tx,
      {
        issueId,
        cycleId: cycle.id,
        stage: "planner",
        model: run?.model ?? deps.planner.name,
        input: { prompt: planning.prompt.slice(0, 60_000) },
        output: { ...batch, run },
        latencyMs,
      },
      deps,
    );
    const actions = batch.actions.map((action) => action.type);
    const after = { cycle: cycle.number, actions, read: context.newMessages, text: textOf(context.issue) };
    for (const { problems } of planning.answers.filter((answer) => answer.problems.length > 0)) {
      const refused = problems.map(({ index, rule, detail }) => ({ action: index, rule, detail }));
      const entry = { what: "batch.refused", why: "the planner's actions break these rules", after: refused };
      await record(tx, { issueId, actor: "relay", ...entry }, deps);
    }
    await record(tx, { issueId, actor: "relay", what: "cycle.planned", why: batch.reasoning, after }, deps);
    return cycle;
  });
  noteInSpan({ "relay.cycle.number": stored.number });
  await deps.records.addPlanning(stored, deps.code.commit, planning);
  return stored;
}

async function addRound(tx: Db, cycle: Cycle, round: number, batch: ActionBatch, deps: CycleDeps) {
  await addActions(
    tx,
    cycle,
    round,
    batch,
    (position) => idempotencyKey({ issueId: cycle.issueId, cycleNumber: cycle.number, round, position }),
    deps,
  );
}

/** The author of a message, if they have write access now; null otherwise. */
async function writerOf(issue: Issue, messageId: string, { db, tracker }: CycleDeps): Promise<string | null> {
  const message = (await listMessages(db, issue.id)).find(({ externalId }) => externalId === messageId);
  if (message === undefined || message.isBot || message.role === "self") return null;
  const permission = await tracker.permissionOf(issue.externalProjectId, message.author);
  return atLeast(permission, "write") ? message.author : null;
}

/** Executes rounds until everything is done, the planner has no answer, or a back-off is too long to wait here. */
async function executeRounds(
  cycle: Cycle,
  context: CycleContext,
  before: IssueState,
  deps: Until,
): Promise<CycleOutcome> {
  const { issue, newMessages } = context;
  let error: RelayError | null = null;
  for (;;) {
    const stored = await listActions(deps.db, cycle.id);
    const round = Math.max(0, ...stored.map((action) => action.round));
    const executor = executorOf(cycle, context, await batchState(issue, context, deps), deps, (cause) => {
      error = cause;
    });
    const report = await executeBatch(
      stored.filter((action) => action.round === round),
      executor,
    );
    const next = afterRound(report, round);
    switch (next.kind) {
      case "done":
        return await finishCycle(cycle, { failures: [], error: null }, deps);
      case "postpone":
        if (report.noAccess !== undefined)
          await recordNoAccess(deps.db, issue.id, { why: report.noAccess, work: "wake" }, deps);
        return { failures: report.failures, error, again: next.ms };
      case "replan": {
        const now = { ...(await contextOf(await getIssue(deps.db, issue.id), before, deps)), newMessages };
        const again = await plan({ ...now, failures: report.failures }, await batchState(issue, now, deps), deps);
        await deps.records.addPlanning(cycle, deps.code.commit, again.planning);
        const useless = again.kind !== "planned" || sameActions(again.batch, stored, round);
        if (useless) return await finishCycle(cycle, { failures: report.failures, error }, deps);
        await addRound(deps.db, cycle, round + 1, again.batch, deps);
        break;
      }
      case "failed":
        return await finishCycle(cycle, { failures: report.failures, error }, deps);
      default:
        next satisfies never;
    }
  }
}

/** What the actions of a round need. `onSpecError` gets the error of a spec that could not be written. */
function executorOf(
  cycle: Cycle,
  context: CycleContext,
  state: BatchState,
  deps: Until,
  onSpecError: (error: RelayError) => void,
): ExecutorDeps<StoreWrites> {
  const { issue, wishes } = context;
  const { db, tracker, clock, ids, code, sleep, log, until } = deps;
  const deciders = decidersOf(context);
  const reportingError = async <T>(work: Promise<T>): Promise<T> =>
    await work.catch((cause: unknown) => {
      if (cause instanceof RelayError) onSpecError(cause);
      throw cause;
    });
  return {
    issue,
    reasoning: cycle.reasoning,
    messages: state.messages,
    participants: state.participants,
    tracker,
    posts: postLedger(deps, issue),
    lostComment: async () => (until === null ? null : await findLostComment(db, issue.id, until)),
    clock,
    ledger: storeLedger({ db, issue, commit: code.commit, clock, ids }),
    writerOf: async ({ externalId }) => await writerOf(issue, externalId, deps),
    generateSpec: async (handoff) => {
      const goAheads = messagesWithSignal(handoff.proceed_signal, state).map(({ seq }) => seq);
      const about = { ...deps, deciders, goAheads, wishes };
      return await reportingError(writeGeneratedSpec(issue.id, cycle, handoff, about));
    },
    writeSpec: async (spec) =>
      await reportingError(writePlannedSpec(issue.id, spec, { ...deps, deciders, goAheads: [], wishes })),
    linked: async (text) => await withLinks(text, context, deps),
    sleep,
    log,
  };
}

/** Repeating the same actions would only fail again. */
function sameActions(batch: ActionBatch, stored: { round: number; action: unknown }[], round: number): boolean {
  const last = stored.filter((action) => action.round === round).map((action) => action.action);
  return JSON.stringify(batch.actions) === JSON.stringify(last);
}

import { fileAddress } from "../adapters/trackers/addresses.ts";
import { becameConfidential } from "../approval/audience.ts";
import { changedTestFiles, changedTests } from "../code/tests/changed-tests.ts";
import { announce } from "../approval/plan-notices.ts";
import { staysNeutral } from "../domain/confidential.ts";
import { code as codeName } from "../domain/text/comment-markdown.ts";
import { phrases } from "../i18n/phrases.ts";
import type { ChangedFile } from "../domain/work.ts";
import { type Provider, issueName } from "../domain/issue.ts";
import { openRequest, requestOf } from "./pull-request/open-request.ts";
import { findLostRequest } from "./pull-request/lost-request.ts";
import { changedSymbols } from "./pull-request/changed-symbols.ts";
import { changedDependencies } from "./run/concerns/new-dependencies.ts";
import type { RequestFacts } from "./pull-request/body-facts.ts";
import { placeAddresses } from "./pull-request/place-links.ts";
import { requestText } from "./pull-request/body.ts";
import { codeOwnersOf, reviewersOf } from "./pull-request/reviewers.ts";
import { isOpeningRecorded, record } from "../storage/audit.ts";
import { listGaps } from "../storage/gaps.ts";
import { markFeedbackAnswered } from "../storage/review-feedback.ts";
import { finishRun, moveHead, resetIterations, runFacts, setRunBase } from "../storage/runs.ts";
import { addRequest } from "../storage/pull-requests.ts";
import { moveTask } from "../storage/tasks.ts";
import type { LoopResult } from "./run/work-order.ts";
import { endBadly, endWithout, isWanted } from "./outcomes.ts";
import type { Workspace } from "./run/workspace/workspace.ts";
import { answerReview } from "./answer-review-threads.ts";
import { redraft } from "./back-to-draft.ts";
import type { Claim } from "./claim.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";
import { storedSpec } from "../adapters/spec-stores/stored-spec.ts";
import { commitAt, isWithin } from "../code/git/git.ts";
import { type Pushed, pushBranch, pushLocal } from "../code/mirror/push.ts";
import { RelayError } from "../lib/errors.ts";
import { inSpan } from "../lib/trace.ts";
import { dropRunHead } from "./run/workspace/source.ts";

interface Delivery {
  tree: Workspace;
  source: CodeSource;
  /** Where the branch was before the run. */
  branchAt: string | null;
}

type Done = Extract<LoopResult, { kind: "done" }>;

/**
 * Delivers a finished change: pushes the branch, opens or updates the task's single pull request, and answers each
 * thread that requested a change (R-WORK-7, R-WORK-9). Each step first checks whether an earlier attempt already did
 * it.
 */
export async function deliver(found: Claim, result: Done, delivery: Delivery, deps: WorkerDeps): Promise<void> {
  const { run, issue, task, tracker, codeHost, request, repository } = found;
  const sought = {
    taskId: task.id,
    project: issue.externalProjectId,
    head: run.branch,
    base: request?.base ?? delivery.source.defaultBranch,
    known: request?.number ?? null,
  };
  const head = delivery.tree.head();
  await moveHead(deps.db, run.id, head);
  // Opened before a crash, and merged or closed by people since: do not push to a branch that they may have deleted.
  const before = await requestOf(sought, codeHost);
  if (before !== null && before.state !== "open") return await close(found, before, deps);
  if (await becameConfidential(issue, { ...deps, tracker, codeHost })) return await holdBack(found, deps);
  if (delivery.branchAt === null) await beginAgainIfRewritten(found, delivery, sought.base, deps);
  const rejected = await inSpan("push branch", {}, async () => await pushRun(found, { ...delivery, head }, deps));
  if (rejected !== null) return await endUnpushed(found, rejected, deps);
  const facts = await factsOf(found, result, delivery.tree, deps);
  const paths = facts.changes.map(({ path }) => path);
  const reviewers = await reviewersFor(paths, repository.provider, found);
  if (!(await isWanted(found, deps))) return await endWithout(found, { kind: "stopped" }, deps);
  const again = await redraft(found, result.concerns, before, deps);
  const text = requestText({
    ...facts,
    linked: codeHost.linked ?? [],
    mayBeDraft: before?.draft !== false || again?.isDraft === true,
  });
  const opened = await inSpan(
    "open pull request",
    {},
    async () => await openRequest({ ...sought, text, reviewers }, codeHost),
  );
  if (opened.kind === "ended") return await close(found, opened.request, deps);
  for (const { name, why } of opened.skipped) {
    deps.log.warn({ issue: issueName(issue), request: opened.request.number, name, why }, "not asked or labelled");
  }
  await again?.tell();
  await answerReview(found, result, { ...delivery, head, number: opened.request.number }, deps);
  await close(found, opened.request, deps);
}

/**
 * Adopts the open request for the branch of a run that has done nothing yet: Relay opened it after the backup that the
 * database was restored from. False if there is none.
 */
export async function adoptLostRequest(found: Claim, deps: WorkerDeps): Promise<boolean> {
  const { run, issue, request, codeHost } = found;
  if (request !== null || run.reason !== "plan" || run.head !== null) return false;
  const at = { project: issue.externalProjectId, branch: run.branch };
  const standing = await findLostRequest(at, { db: deps.db, codeHost });
  if (standing !== null) await close(found, standing, deps);
  return standing !== null;
}

/** Pushes nothing: the approved plan would publish what has become confidential. A new plan asks for approval again. */
async function holdBack(found: Claim, deps: WorkerDeps): Promise<void> {
  const { issue, plan, tracker } = found;
  const why = "the issue became confidential";
  await deps.withIssueLock(issueName(issue), async () => {
    await deps.transition(deps.db, issue.id, "request_changed", { why });
    await announce(
      issue,
      { kind: "stale", version: plan.version },
      { key: `stale:${plan.id}`, why },
      { ...deps, tracker },
    );
  });
  await endWithout(found, { kind: "stopped" }, deps);
  await deps.jobs.setWake(issue.id, 0);
}

async function factsOf(
  found: Claim,
  result: Done,
  tree: Workspace,
  deps: WorkerDeps,
): Promise<Omit<RequestFacts, "mayBeDraft">> {
  const { task, issue, run, plan } = found;
  const gaps = await listGaps(deps.db, issue.id);
  const { iterations } = await runFacts(deps.db, run.id);
  const spec = await storedSpec(issue.spec, deps.specStore);
  const changes = await tree.changes();
  return {
    taskId: task.id,
    neutral: staysNeutral(issue),
    issue: { ...issue, number: plan.plan.issue_number },
    branch: run.branch,
    plan: plan.plan,
    triage: plan.triage,
    planned: { version: plan.version, sha256: plan.sha256 },
    spec: spec && {
      sha256: spec.ref.sha256,
      url: await deps.specStore.address(spec.ref),
      text: spec.content,
      places: await placeAddresses(spec.content, {
        read: async (path, at) => await tree.read(path, at),
        addressOf: (path, lines) => fileAddress(found.repository, tree.head(), { path, ...(lines && { lines }) }),
      }),
    },
    summary: result.summary === "" ? null : result.summary,
    changes,
    symbols: await changedSymbols(changes, async (path, at) => await tree.read(path, at)),
    linkTargets: await linkTargets(changes, tree),
    tests: changedTests(await changedTestFiles(changes, async (path, at) => await tree.read(path, at))),
    checks: result.checks,
    before: result.before,
    failedBefore: result.redBefore,
    proving: result.proving,
    assumptions: gaps.flatMap(({ closedReason, closedNote }) =>
      closedReason === "inferred" ? (closedNote ?? []) : [],
    ),
    undone: iterations.flatMap(({ undone }) => undone),
    dependencies: await changedDependencies(changes, async (path, at) => await tree.read(path, at)),
    scan: result.scan,
    concerns: result.concerns,
  };
}

async function linkTargets(changes: readonly ChangedFile[], tree: Workspace): Promise<Map<string, string>> {
  const targets = new Map<string, string>();
  for (const { path } of changes.filter(({ mark }) => mark === "link")) {
    targets.set(path, (await tree.read(path, "head")) ?? "?");
  }
  return targets;
}

/** Owners of the changed files. An unreadable owner file must not stop the request from being opened. */
async function reviewersFor(
  paths: readonly string[],
  provider: Provider,
  { issue, codeHost }: Claim,
): Promise<string[]> {
  const text = await codeOwnersOf(issue.externalProjectId, { codeHost, provider });
  const without = [codeHost.bot, ...codeHost.calledAs];
  return text === null ? [] : reviewersOf(text, paths, { provider, without });
}

async function close(
  { run, issue, task, words }: Claim,
  request: { number: number; head: string; base: string; url: string | null },
  deps: WorkerDeps,
): Promise<void> {
  const { db, clock } = deps;
  await deps.withIssueLock(issueName(issue), async () => {
    await db.transaction(async (tx) => {
      const { number, base, url } = request;
      const about = { taskId: task.id, issueId: issue.id, externalProjectId: issue.externalProjectId };
      const what = (await isOpeningRecorded(tx, issue.id, number)) ? "request.updated" : "request.opened";
      await addRequest(tx, { ...about, number, branch: run.branch, base, url }, clock);
      await markFeedbackAnswered(
        tx,
        task.id,
        words.map(({ externalId }) => externalId),
      );
      await finishRun(tx, run.id, { status: "done", detail: null }, clock);
      const after = { run: run.id, request: number, branch: run.branch, url };
      await record(tx, { issueId: issue.id, actor: "relay", what, why: run.reason, after }, deps);
      // If the issue was closed or stopped meanwhile, its task is no longer running.
      if (!(await moveTask(tx, task.id, "running", "done", clock))) return;
      await deps.transition(tx, issue.id, "pull_request_opened", { why: `request ${number}` });
    });
    await deps.syncLabels(issue.id);
  });
  // Picks up comments and decisions made on the pull request during the run.
  await deps.jobs.setWake(issue.id, 0);
}

/**
 * Starts the run again if a forced push during the run removed commits from the base: pushing the branch would bring
 * them back.
 */
async function beginAgainIfRewritten(
  { run, issue }: Claim,
  { source, tree }: { source: CodeSource; tree: Workspace },
  base: string,
  deps: WorkerDeps,
): Promise<void> {
  const { gitDirectory } = source.code;
  await source.refresh();
  const now = await commitAt(gitDirectory, `refs/heads/${base}`);
  if (now === null || (await isWithin(gitDirectory, tree.base, now))) return;
  await resetIterations(deps.db, run.id);
  await setRunBase(deps.db, run.id, null);
  await dropRunHead(gitDirectory, run.id);
  throw new RelayError("conflict", `${base} of ${issueName(issue)} was rewritten; the run begins once more`, {
    retryable: true,
  });
}

/**
 * Pushes the run's commits to the branch at its tracker, only if the branch is where this run found it (R-WORK-8). If
 * someone else pushed meanwhile, the run starts again from their commits, so nothing of theirs is lost.
 */
type Rejected = Extract<Pushed, { kind: "rejected" }>;

/** Somebody else made the branch meanwhile, or the repository does not let it be pushed: people can help. */
async function endUnpushed(found: Claim, { why, detail }: Rejected, deps: WorkerDeps): Promise<void> {
  const words = phrases("work", found.issue.language)(why === "refused" ? "push_refused" : "branch_taken", {
    branch: codeName(found.run.branch, 200),
  });
  await endBadly(found, `${detail}; remove or unprotect the branch, then try the task again`, deps, words);
}

async function pushRun(
  { run, issue }: Claim,
  { source, branchAt, head }: { source: CodeSource; branchAt: string | null; head: string },
  deps: WorkerDeps,
): Promise<Rejected | null> {
  const { code, remote } = source;
  await deps.db.confirmLocks();
  const push = { directory: code.gitDirectory, commit: head, branch: run.branch, expected: branchAt };
  const pushed: Pushed = remote === null ? await pushLocal(code.gitDirectory, push) : await pushBranch(remote, push);
  if (pushed.kind !== "rejected") {
    const after = { branch: run.branch, from: branchAt, to: head };
    await record(deps.db, { issueId: issue.id, actor: "relay", what: "branch.pushed", why: run.reason, after }, deps);
    return null;
  }
  deps.log.warn({ issue: issueName(issue), run: run.id, why: pushed.why, detail: pushed.detail }, "not pushed");
  if (pushed.why !== "moved" || branchAt === null) return pushed;
  await resetIterations(deps.db, run.id);
  await dropRunHead(code.gitDirectory, run.id);
  throw new RelayError("conflict", `somebody pushed to ${run.branch}; the run begins once more`, { retryable: true });
}

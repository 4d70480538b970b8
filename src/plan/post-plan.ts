import { TRACKERS } from "../adapters/trackers/registry.ts";
import { isSaidBy, marker } from "../domain/marker.ts";
import { QUICK_WAY } from "../domain/action.ts";
import { staysNeutral } from "../domain/confidential.ts";
import type { ConversationMessage } from "../domain/conversation.ts";
import { type Gap, isReopened } from "../domain/gap.ts";
import type { Issue } from "../domain/issue.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import { type Answer, type FixPlan, type PostedPlan, type TriageResult, basisOf } from "../domain/plan.ts";
import { originsIn } from "../notify/link-origins.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import type { Repository } from "../code/git/repository.ts";
import { RelayError, messageOf, nullIfNotFound } from "../lib/errors.ts";
import { planChanges } from "./changes.ts";
import { announce } from "../approval/plan-notices.ts";
import { type PlanCommentFacts, type SpecShown, planComment } from "./comment.ts";
import type { WhoSaid } from "./spec-facts.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { storedSpec } from "../adapters/spec-stores/stored-spec.ts";
import { record } from "../storage/audit.ts";
import { findRunningCycle, lastProceedSignal } from "../storage/cycles.ts";
import type { Context } from "../storage/context.ts";
import { listGaps } from "../storage/gaps.ts";
import { isTextEdited, listSpecVersions } from "../storage/specs.ts";
import { getIssue, setPlanPostedAt } from "../storage/issues.ts";
import { listMessages, listUnreadSeqs } from "../storage/messages.ts";
import type { Db } from "../storage/db.ts";
import { findLostPlan } from "../storage/lost-comments.ts";
import { findPost } from "../storage/posts.ts";
import { addPlan, latestPlan, markPosted, planBefore } from "../storage/plans.ts";
import type { RepositoryInForce } from "../storage/repositories.ts";
import { postOnce } from "../notify/post-once.ts";
import { commentAddress, fileAddress } from "../adapters/trackers/addresses.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { sha256Of } from "../lib/sha256.ts";

/** The input of a plan, in addition to the issue. */
export interface PlanBasis {
  code: Repository;
  /** The issue's spec; null if its text was lost. */
  spec: { markdown: string; path: string; sha256: string } | null;
  /** All that was said, oldest first; Relay's own words are no orders. */
  thread: readonly Pick<ConversationMessage, "role" | "content">[];
}

/** Triages an issue and plans its fix. */
export type MakePlan = (issue: Issue, basis: PlanBasis) => Promise<Answer<{ triage: TriageResult; plan: FixPlan }>>;

export interface PostPlanDeps extends Context {
  tracker: Tracker;
  repository: RepositoryInForce;
  code: Repository;
  specStore: SpecStore;
  makePlan: MakePlan;
  /** Whether the spec is written without a model. */
  byRules: boolean;
  /** Whether a thumbs-up on the plan's comment approves it. */
  thumbsUp: boolean;
  /** What runs for the plan of this id besides its checks, by which coding agent, and what is missing for that. */
  runs: (planId: string) => Promise<PlanCommentFacts["runs"]>;
  /** The differences of two specs, as lines of a diff. */
  specChanges: (before: string, after: string) => string;
}

type PlanScope = Pick<PostPlanDeps, "db" | "repository">;

/** Whether the issue's current spec still needs a posted plan, in a repository where Relay makes plans (R-LIFE-7). */
export async function isPlanDue(issue: Issue, { db, repository }: PlanScope): Promise<boolean> {
  if (repository.mode === "spec" || issue.spec === null) return false;
  const latest = await latestPlan(db, issue.id);
  // The spec dates from when Relay only wrote specs, or no plan could be made from it.
  if (issue.state === "done") return latest === null || latest.status === "drafted";
  if (!PLANNED_IN.has(issue.state)) return false;
  return latest?.status !== "posted" || latest.basisSha256 !== basisOf(issue);
}

/**
 * Whether a plan is due and the planner has nothing to process first. A drafted one comes before everything: it may be
 * in the thread already, and people may have answered it (R-CONF-10).
 */
export async function isPlanNext(issue: Issue, { db, repository }: PlanScope): Promise<boolean> {
  if (!(await isPlanDue(issue, { db, repository }))) return false;
  if ((await draftedPlan(issue, db)) !== null) return true;
  if ((await latestPlan(db, issue.id))?.status === "posted") return false;
  if ((await listGaps(db, issue.id)).some(isReopened)) return false;
  if ((await findRunningCycle(db, issue.id)) !== null || (await isTextEdited(db, issue))) return false;
  return (await listUnreadSeqs(db, issue.id)).length === 0;
}

/** The newest version if it is drafted and must be posted: it is up to date, or its comment may be posted already. */
export async function draftedPlan(issue: Issue, db: Db): Promise<PostedPlan | null> {
  if (!PLANNED_IN.has(issue.state) && issue.state !== "done") return null;
  const latest = await latestPlan(db, issue.id);
  if (latest?.status !== "drafted") return null;
  if (latest.basisSha256 === basisOf(issue)) return latest;
  return (await findPost(db, issue.id, keyOfPlan(latest))) === null ? null : latest;
}

function keyOfPlan({ id }: Pick<PostedPlan, "id">): string {
  return `plan:${id}`;
}

/** States in which a spec has just been written, or its plan is under discussion. */
const PLANNED_IN: ReadonlySet<IssueState> = new Set(["specifying", "waiting_confirmation"]);

/**
 * Makes the plan and posts it: one comment for all versions, edited in place, and a short reply that lists the changes
 * (R-CONF-1). A version is stored before it is posted; after a crash, the stored version is posted unless its comment
 * already exists. If no plan can be made, or nothing is to be
 * built, people are notified once and the issue stays at its spec.
 */
export async function postPlan(issueId: string, deps: PostPlanDeps): Promise<void> {
  const issue = await getIssue(deps.db, issueId);
  const plan = (await draftedPlan(issue, deps.db)) ?? (await draft(issue, deps));
  if (plan === null) return;
  const { before, words } = await commentFor(issue, plan, deps);
  const shown = await show(issue, plan, before, words, deps);
  // Before the plan is marked as posted: otherwise a crash in between would lose the reply.
  if (before !== null) await postChanges(issue, { ...plan, commentId: shown.commentId }, before, deps);
  // A comment that shows its first version has no reactions to an earlier one.
  const votes = deps.thumbsUp && before !== null ? await deps.tracker.listVotes(issue, shown.commentId) : null;
  const earlier = { earlierThumbs: votes?.up ?? [], earlierDowns: votes?.down ?? [] };
  await deps.db.transaction(async (tx) => {
    await markPosted(tx, plan.id, { ...shown, ...earlier });
    await setPlanPostedAt(tx, issueId, shown.at);
    const after = { version: plan.version, sha256: plan.sha256, comment_id: shown.commentId };
    await record(tx, { issueId, actor: "relay", what: "plan.posted", after }, deps);
    await deps.transition(tx, issueId, "plan_posted", { why: `plan ${plan.version}` });
  });
}

async function postChanges(issue: Issue, plan: PostedPlan, before: PostedPlan, deps: PostPlanDeps): Promise<void> {
  const url = commentAddress(issue, plan.commentId);
  const changes = planChanges(before, plan, { language: issue.language, url });
  try {
    await postOnce(issue, { key: `plan-changed:${plan.id}`, words: changes, why: "the plan was revised" }, deps);
  } catch (error) {
    // The plan's own comment is up to date and complete without this reply.
    if (!(error instanceof RelayError) || error.retryable) throw error;
    deps.log.warn({ issue_id: issue.id, error: messageOf(error) }, "cannot post the changes of the plan");
  }
}

/** The next version, stored; null if none can be made, in which case people are notified. */
async function draft(issue: Issue, deps: PostPlanDeps): Promise<PostedPlan | null> {
  const spec = await storedSpec(issue.spec, deps.specStore);
  const basis: PlanBasis = {
    code: deps.code,
    spec: spec && { markdown: spec.content, path: spec.ref.path, sha256: spec.ref.sha256 },
    thread: await listMessages(deps.db, issue.id),
  };
  const answer = await deps.makePlan(issue, basis);
  if (answer.success && answer.data.plan.nothing_to_build === true) {
    const about = { key: `nothing-to-build:${basisOf(issue).slice(0, 16)}`, why: "nothing is to be built" };
    await announce(issue, { kind: "nothing" }, about, deps);
    await deps.transition(deps.db, issue.id, "plan_unneeded", { why: "the spec says that nothing is to be built" });
    return null;
  }
  if (answer.success) {
    const { triage, plan } = answer.data;
    const basisSha256 = basisOf(issue);
    const sha256 = hashOfPlan(triage, plan, basisSha256);
    return await deps.db.transaction(
      async (tx) => await addPlan(tx, issue.id, { triage, plan, byRules: deps.byRules, sha256, basisSha256 }, deps),
    );
  }
  const { code, message } = answer.error;
  deps.log.warn({ issue_id: issue.id, code, error: message }, "no plan");
  const about = { key: `plan-failed:${basisOf(issue).slice(0, 16)}`, why: message };
  await announce(issue, { kind: "failed", code, hasSpec: spec !== null }, about, deps);
  await deps.transition(deps.db, issue.id, "plan_failed", { why: `no plan: ${message}` });
  return null;
}

/** Hash of what people approve; timestamps are not part of it. */
function hashOfPlan(triage: TriageResult, plan: FixPlan, basis: string): string {
  const timeless = [{ ...triage, timestamp: "" }, { ...plan, timestamp: "" }, basis];
  return sha256Of(JSON.stringify(timeless));
}

async function commentFor(issue: Issue, plan: PostedPlan, deps: PostPlanDeps) {
  const before = await planBefore(deps.db, plan);
  const gaps = await listGaps(deps.db, issue.id);
  const assumed = gaps.filter(({ closedReason }) => closedReason === "inferred");
  const words = planComment({
    plan: plan.plan,
    triage: plan.triage,
    version: plan.version,
    sha256: plan.sha256,
    spec: await specShown(issue, before, deps),
    whoSaid: whoSaidIn(issue, gaps, await listMessages(deps.db, issue.id)),
    addressOf: (cited) =>
      cited.kind === "file" ? fileAddress(deps.repository, deps.code.commit, placeOf(cited)) : null,
    runs: deps.repository.mode === "implement" ? await deps.runs(plan.id) : null,
    assumptions: assumed.flatMap(({ closedNote }) => closedNote ?? []),
    mode: deps.repository.mode,
    // The page of the local tracker has no reactions.
    thumbsUp: deps.thumbsUp && issue.provider !== "local",
    language: issue.language,
    requestWord: TRACKERS[issue.provider].requestWord,
    neutral: staysNeutral(issue),
    madeByRules: plan.byRules,
    // People were not asked about the spec before.
    together: (await lastProceedSignal(deps.db, issue.id)) === QUICK_WAY,
  });
  return { before, words };
}

/** The spec as its readers see it; for a revised plan, with what changed since the version they saw last. */
async function specShown(issue: Issue, before: PostedPlan | null, deps: PostPlanDeps): Promise<SpecShown | null> {
  if (issue.spec === null) return null;
  const stored = await storedSpec(issue.spec, deps.specStore);
  const versions = await listSpecVersions(deps.db, issue.id);
  const now = versions.findLast(({ ref }) => ref.sha256 === issue.spec?.sha256);
  const { postedAt } = before ?? { postedAt: null };
  const seen = postedAt === null ? undefined : versions.findLast(({ createdAt }) => createdAt < postedAt);
  const earlier = seen && seen.version !== now?.version ? await storedSpec(seen.ref, deps.specStore) : null;
  return {
    text: stored && stored.content,
    version: now?.version ?? 1,
    sha256: issue.spec.sha256,
    url: await deps.specStore.address(issue.spec),
    stale: (now?.staleCitations ?? []).map(({ location }) => location),
    changes:
      seen && earlier && stored
        ? { text: deps.specChanges(earlier.content, stored.content), since: seen.version }
        : null,
  };
}

/** The people behind messages and answers. */
function whoSaidIn(issue: Issue, gaps: readonly Gap[], messages: readonly ConversationMessage[]): WhoSaid {
  return (cited) => {
    if (cited.kind !== "gap" && cited.kind !== "message") return null;
    const gap = cited.kind === "gap" ? gaps.find(({ number }) => number === Number(cited.id)) : undefined;
    const message = messages.find(({ seq, externalId }) =>
      cited.kind === "gap" ? externalId === gap?.answeredIn : seq === Number(cited.id),
    );
    if (message === undefined || message.isBot || message.role === "self") return null;
    const isFact = gap?.topic === "reproduction" || gap?.topic === "actual";
    return { login: message.author, seq: message.seq, isFact, url: commentAddress(issue, message.externalId) };
  };
}

/** A file without known lines starts at 0. */
function placeOf({ path, start, end }: { path: string; start: number; end: number }) {
  return start === 0 ? { path } : { path, lines: { start, end } };
}

/**
 * The plan's comment with this version, and the time it was posted, by the tracker's clock. An edit needs no entry in
 * `posts`: it may be made twice, and is made again until the plan is on record; `restoreIfEdited` undoes one that comes
 * late.
 */
async function show(
  issue: Issue,
  plan: PostedPlan,
  before: PostedPlan | null,
  words: string,
  deps: PostPlanDeps,
): Promise<{ commentId: string; body: string; at: Date }> {
  const { tracker } = deps;
  const hidden = marker(keyOfPlan(plan));
  const specUrl = issue.spec === null ? null : await deps.specStore.address(issue.spec);
  const own = [specUrl, deps.repository.cloneSource];
  const origins = await originsIn(words, issue, { db: deps.db, tracker }, own);
  const participants = [issue.reporter, ...issue.assignees];
  const { text } = safeComment(words, { participants, bot: tracker.bot, origins });
  const body = `${text}\n\n${hidden}`;
  if (before?.commentId != null) {
    await deps.recheck?.(issue);
    const changed = await tracker.updateComment(issue, before.commentId, body).catch(nullIfNotFound);
    if (changed) return { commentId: changed.id, body, at: changed.editedAt ?? changed.createdAt };
  }
  const lost = await findLostPlan(deps.db, issue.id);
  if (lost !== null) {
    // Posted after the restored backup was made: replies to this same text count.
    if (isSaidBy(lost.body, text)) return { commentId: lost.id, body: lost.body, at: lost.createdAt };
    await deps.recheck?.(issue);
    const changed = await tracker.updateComment(issue, lost.id, body).catch(nullIfNotFound);
    if (changed) return { commentId: changed.id, body, at: changed.editedAt ?? changed.createdAt };
  }
  const comment = await postOnce(issue, { key: keyOfPlan(plan), words, origins, why: `plan ${plan.version}` }, deps);
  return { commentId: comment.id, body, at: comment.createdAt };
}

import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import {
  type Lack,
  type PlanApproval,
  type PostedPlan,
  type Stop,
  fixPlanSchema,
  lackSchema,
  stopSchema,
  triageResultSchema,
} from "../domain/plan.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

export const planRow = camelRow({
  id: z.string(),
  issueId: z.string(),
  version: z.number(),
  sha256: z.string(),
  basisSha256: z.string(),
  byRules: z.boolean(),
  triage: triageResultSchema,
  plan: fixPlanSchema,
  status: z.enum(["drafted", "posted", "stale", "confirmed"]),
  commentId: z.string().nullable(),
  commentBody: z.string().nullable(),
  foreignEditAt: z.date().nullable(),
  postedAt: z.date().nullable(),
  approvedBy: z.string().nullable(),
  confirmedWith: z.string().nullable(),
  confirmedIn: z.string().nullable(),
  stoppedAt: z.date().nullable(),
  retiredAt: z.date().nullable(),
  stop: stopSchema.nullable(),
  earlierThumbs: z.array(z.string()),
  earlierDowns: z.array(z.string()),
  confirmations: z.number(),
  lacks: z.array(lackSchema).nullable(),
}).transform(({ stoppedAt, retiredAt, approvedBy: by, confirmedWith, confirmedIn: messageId, ...row }) => ({
  ...row,
  approval: by === null ? null : { by, permission: confirmedWith ?? "none", messageId },
  stopped: stoppedAt !== null,
  retired: retiredAt !== null,
}));

/** The newest version of an issue's plan; null before the first. */
export async function latestPlan(db: Db, issueId: string): Promise<PostedPlan | null> {
  return await db.maybeOne(planRow, `select * from plans where issue_id = $1 order by version desc limit 1`, [issueId]);
}

/** All versions of an issue's plan, oldest first. */
export async function listPlans(db: Db, issueId: string): Promise<PostedPlan[]> {
  return await db.query(planRow, `select * from plans where issue_id = $1 order by version`, [issueId]);
}

/** Stores what is missing to carry out a plan, by the latest check (R-WORK-16). */
export async function setLacks(db: Db, planId: string, lacks: readonly Lack[]): Promise<void> {
  await db.execute(`update plans set lacks = $2 where id = $1`, [planId, JSON.stringify(lacks)]);
}

/** The set-up command that failed on this commit, empty if all passed; null if it was never tried (R-WORK-16). */
export async function triedSetUp(db: Db, at: SetUpTry): Promise<string | null> {
  const sql = `select failed from set_up_tries where repository_id = $1 and commit_sha = $2 and commands = $3`;
  const row = await db.maybeOne(z.object({ failed: z.string() }), sql, [at.repositoryId, at.commit, at.commands]);
  return row?.failed ?? null;
}

/** Keeps only the newest attempt of a repository, since its base moves on. */
export async function recordSetUpTry(db: Db, at: SetUpTry, failed: string): Promise<void> {
  await db.execute(
    `insert into set_up_tries (repository_id, commit_sha, commands, failed) values ($1, $2, $3, $4)
     on conflict (repository_id) do update
     set commit_sha = excluded.commit_sha, commands = excluded.commands, failed = excluded.failed`,
    [at.repositoryId, at.commit, at.commands, failed],
  );
}

/** What was tried: a repository's base commit and its set-up commands. */
interface SetUpTry {
  repositoryId: string;
  commit: string;
  commands: string;
}

/** The last posted version before this one; null without any. */
export async function planBefore(db: Db, plan: PostedPlan): Promise<PostedPlan | null> {
  return await db.maybeOne(
    planRow,
    `select * from plans where issue_id = $1 and version < $2 and posted_at is not null order by version desc limit 1`,
    [plan.issueId, plan.version],
  );
}

/** Adds a version as a draft; earlier versions can no longer be approved. */
export async function addPlan(
  tx: Db,
  issueId: string,
  made: Pick<PostedPlan, "triage" | "plan" | "sha256" | "basisSha256" | "byRules">,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<PostedPlan> {
  await tx.execute(`update plans set status = 'stale' where issue_id = $1 and status <> 'stale'`, [issueId]);
  return await tx.one(
    planRow,
    `insert into plans (id, issue_id, version, sha256, basis_sha256, by_rules, triage, plan, status, created_at)
     select $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6, $7, 'drafted', $8 from plans where issue_id = $2
     returning *`,
    [
      ids.next(),
      issueId,
      made.sha256,
      made.basisSha256,
      made.byRules,
      JSON.stringify(made.triage),
      JSON.stringify(made.plan),
      clock.now(),
    ],
  );
}

/** Stores that the version was posted in the thread and can be approved. */
export async function markPosted(
  tx: Db,
  planId: string,
  posted: {
    commentId: string;
    body?: string;
    at: Date;
    earlierThumbs: readonly string[];
    earlierDowns?: readonly string[];
  },
): Promise<void> {
  const { commentId, body = null, at, earlierThumbs, earlierDowns = [] } = posted;
  await tx.execute(
    `update plans set status = 'posted', comment_id = $2, posted_at = $3, earlier_thumbs = $4, earlier_downs = $5,
       comment_body = $6
     where id = $1 and status = 'drafted'`,
    [planId, commentId, at, JSON.stringify(earlierThumbs), JSON.stringify(earlierDowns), body],
  );
}

/** Voids all answers so far, because someone edited the plan's comment. */
export async function voidAnswers(
  tx: Db,
  planId: string,
  now: { postedAt: Date; foreignEditAt: Date; earlierThumbs: readonly string[] },
): Promise<void> {
  await tx.execute(`update plans set posted_at = $2, foreign_edit_at = $3, earlier_thumbs = $4 where id = $1`, [
    planId,
    now.postedAt,
    now.foreignEditAt,
    JSON.stringify(now.earlierThumbs),
  ]);
}

/** Approves a posted version; true for exactly one caller. */
export async function confirmPlan(tx: Db, planId: string, yes: PlanApproval, clock: Clock): Promise<boolean> {
  const count = await tx.execute(
    `update plans set status = 'confirmed', approved_by = $2, confirmed_with = $3, confirmed_in = $4, confirmed_at = $5,
       confirmations = confirmations + 1
     where id = $1 and status = 'posted'`,
    [planId, yes.by, yes.permission, yes.messageId, clock.now()],
  );
  return count === 1;
}

/**
 * Stores that a person refused the plan. The version becomes void, unless its pull request is in review; no further
 * version is made unless someone asks for it.
 */
export async function markStopped(tx: Db, planId: string, stop: Stop, clock: Clock): Promise<void> {
  const status = stop.halted === "review" ? "confirmed" : "stale";
  await tx.execute(`update plans set status = $2, stopped_at = $3, stop = $4 where id = $1`, [
    planId,
    status,
    clock.now(),
    JSON.stringify(stop),
  ]);
}

/** Stores that the plan's comment says that the plan no longer counts. */
export async function markRetired(db: Db, planId: string, clock: Clock): Promise<void> {
  await db.execute(`update plans set retired_at = $2 where id = $1`, [planId, clock.now()]);
}

/** Stores who may lift the refusal: a person of the same or a higher rank repeated it. */
export async function keepStop(tx: Db, planId: string, stop: Stop): Promise<void> {
  await tx.execute(`update plans set stop = $2 where id = $1 and stopped_at is not null`, [
    planId,
    JSON.stringify(stop),
  ]);
}

/** Lifts the refusal: another version may be made, or the review continues. */
export async function endStop(tx: Db, planId: string): Promise<void> {
  await tx.execute(`update plans set stopped_at = null, stop = null where id = $1`, [planId]);
}

/** Lifts the refusal; this version waits for approval again. Only answers after `postedAt` count. */
export async function repostPlan(
  tx: Db,
  planId: string,
  { postedAt, earlierThumbs, earlierDowns }: Pick<PostedPlan, "earlierThumbs" | "earlierDowns"> & { postedAt: Date },
): Promise<void> {
  await tx.execute(
    `update plans set status = 'posted', stopped_at = null, stop = null, retired_at = null, posted_at = $2,
       earlier_thumbs = $3, earlier_downs = $4 where id = $1`,
    [planId, postedAt, JSON.stringify(earlierThumbs), JSON.stringify(earlierDowns)],
  );
}

/** Voids all versions of the plan: it must be approved again. */
export async function markStale(tx: Db, issueId: string): Promise<void> {
  await tx.execute(`update plans set status = 'stale' where issue_id = $1 and status <> 'stale'`, [issueId]);
}

/** An approved plan that was voided by the end of its pull request counts again; one that a person refused does not. */
export async function restorePlan(tx: Db, planId: string): Promise<void> {
  await tx.execute(
    `update plans set status = 'confirmed'
     where id = $1 and status = 'stale' and confirmed_at is not null and stopped_at is null`,
    [planId],
  );
}

/** The approver's permission in the project at the time of approval; null without an approval. */
export async function approverPermission(db: Db, id: string): Promise<string | null> {
  const row = z.object({ confirmed_with: z.string().nullable() });
  return (await db.one(row, `select confirmed_with from plans where id = $1`, [id])).confirmed_with;
}

export async function getPlan(db: Db, id: string): Promise<PostedPlan> {
  return await db.one(planRow, `select * from plans where id = $1`, [id]);
}

import { camelRow } from "./camel-row.ts";
import { issueName, type Issue, type IssueAddress, PROVIDERS } from "../domain/issue.ts";
import { type SpecRef, specRefSchema } from "../domain/spec.ts";
import { type IssueState, ISSUE_STATES } from "../domain/lifecycle.ts";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import { record } from "./audit.ts";
import type { Db } from "./db.ts";
import { forgetRequests } from "./api-requests.ts";
import { forgetDeliveries } from "./deliveries.ts";
import { forgetLearnings } from "./learnings.ts";
import { redactEvals } from "./model-calls.ts";

export const issueRow = camelRow({
  id: z.string(),
  repositoryId: z.string(),
  provider: z.enum(PROVIDERS),
  externalProjectId: z.string(),
  externalIssueId: z.string(),
  title: z.string(),
  body: z.string(),
  labels: z.array(z.string()),
  assignees: z.array(z.string()),
  reporter: z.string(),
  url: z.string().nullable(),
  confidential: z.boolean(),
  repositoryPrivate: z.boolean(),
  state: z.enum(ISSUE_STATES),
  resumesAs: z.enum(ISSUE_STATES).nullable(),
  language: z.string(),
  spec: specRefSchema.nullable(),
  failedCycles: z.number(),
  debounceUntil: z.date().nullable(),
  assignedAt: z.date(),
  planPostedAt: z.date().nullable(),
  openedAt: z.date(),
  updatedAt: z.date(),
});

export const SELECT_ISSUE = `
  select s.*, i.provider, r.external_project_id, r.private as repository_private
  from issues s
  join repositories r on r.id = s.repository_id
  join integrations i on i.id = r.integration_id`;

/** An issue as it is in its tracker now. */
export type IssueSnapshot = Pick<
  Issue,
  "externalIssueId" | "title" | "body" | "labels" | "assignees" | "reporter" | "url" | "confidential" | "openedAt"
> & { language: string };

export async function getIssue(db: Db, id: string): Promise<Issue> {
  const issue = await findIssueById(db, id);
  if (!issue) throw new RelayError("not_found", `no issue with the id ${id} is stored`);
  return issue;
}

/** Null if the issue was forgotten in the meantime. */
export async function findIssueById(db: Db, id: string): Promise<Issue | null> {
  return await db.maybeOne(issueRow, `${SELECT_ISSUE} where s.id = $1`, [id]);
}

export async function findIssue(db: Db, address: IssueAddress): Promise<Issue | null> {
  return await db.maybeOne(
    issueRow,
    `${SELECT_ISSUE} where i.provider = $1 and r.external_project_id = $2 and s.external_issue_id = $3`,
    [address.provider, address.externalProjectId, address.externalIssueId],
  );
}

/** Display names of issues by id. */
export async function issueNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query(issueRow, `${SELECT_ISSUE} where s.id = any($1::bigint[])`, [ids]);
  return new Map(rows.map((issue) => [issue.id, issueName(issue)]));
}

/** Issues with a pull request in review, in all projects or in one. */
export async function listInReview(
  db: Db,
  project: Pick<IssueAddress, "provider" | "externalProjectId">,
): Promise<string[]> {
  const rows = await db.query(
    z.object({ id: z.string() }),
    `select s.id from issues s
     join repositories r on r.id = s.repository_id join integrations i on i.id = r.integration_id
     where s.state = 'in_review' and i.provider = $1 and r.external_project_id = $2`,
    [project.provider, project.externalProjectId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Starts tracking an issue in `pending_plan`, or updates the stored one without touching its state. `engagedBy`: the
 * person who called Relay.
 */
export async function saveIssue(
  db: Db,
  repositoryId: string,
  snapshot: IssueSnapshot,
  { clock, ids, engagedBy = "relay" }: { clock: Clock; ids: Ids; engagedBy?: string },
): Promise<Issue> {
  const now = clock.now();
  const row = await db.one(
    z.object({ id: z.string(), inserted: z.boolean() }),
    `insert into issues (id, repository_id, external_issue_id, title, body, labels, assignees, reporter, url,
                         state, language, assigned_at, opened_at, updated_at, confidential)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'pending_plan', $10, $11, $12, $11, $13)
     on conflict (repository_id, external_issue_id) do update set
       title = excluded.title, body = excluded.body, labels = excluded.labels, assignees = excluded.assignees,
       reporter = excluded.reporter, url = excluded.url, confidential = excluded.confidential, language = excluded.language, updated_at = excluded.updated_at
     returning id, (xmax = 0) as inserted`,
    [
      ids.next(),
      repositoryId,
      snapshot.externalIssueId,
      snapshot.title,
      snapshot.body,
      JSON.stringify(snapshot.labels),
      JSON.stringify(snapshot.assignees),
      snapshot.reporter,
      snapshot.url,
      snapshot.language,
      now,
      snapshot.openedAt,
      snapshot.confidential,
    ],
  );
  if (row.inserted) {
    const engaged = { what: "issue.engaged", after: "pending_plan" };
    await record(db, { issueId: row.id, actor: engagedBy, ...engaged }, { clock, ids });
  }
  return await getIssue(db, row.id);
}

/** The issue, locked until the transaction ends. */
export async function lockIssue(tx: Db, id: string): Promise<Issue> {
  await tx.execute(`select 1 from issues where id = $1 for update`, [id]);
  return await getIssue(tx, id);
}

/** Stores an issue's state and the state it returns to. Only the state machine's executor calls this (R-LIFE-1). */
export async function moveIssue(
  tx: Db,
  issueId: string,
  to: { state: IssueState; returnTo: IssueState | null },
  clock: Clock,
): Promise<void> {
  await tx.execute(`update issues set state = $2, resumes_as = $3, updated_at = $4 where id = $1`, [
    issueId,
    to.state,
    to.returnTo,
    clock.now(),
  ]);
}

export async function setAssignees(db: Db, issueId: string, assignees: readonly string[]): Promise<void> {
  await db.execute(`update issues set assignees = $2 where id = $1`, [issueId, JSON.stringify(assignees)]);
}

export async function setSpecRef(db: Db, issueId: string, ref: SpecRef, clock: Clock): Promise<void> {
  await db.execute(`update issues set spec = $2, updated_at = $3 where id = $1`, [
    issueId,
    JSON.stringify(ref),
    clock.now(),
  ]);
}

export async function setConfidential(db: Db, issueId: string, confidential: boolean): Promise<void> {
  await db.execute(`update issues set confidential = $2 where id = $1 and confidential <> $2`, [issueId, confidential]);
}

export async function setFailedCycles(db: Db, issueId: string, count: number): Promise<void> {
  await db.execute(`update issues set failed_cycles = $2 where id = $1`, [issueId, count]);
}

/** When the debounce ends; null when none runs (R-LIFE-3). */
export async function setDebounceUntil(db: Db, issueId: string, until: Date | null): Promise<void> {
  await db.execute(`update issues set debounce_until = $2 where id = $1`, [issueId, until]);
}

/**
 * Restarts the debounce for `ms` milliseconds and returns its end, by the database's clock, as jobs are: a process with
 * a wrong clock must neither cut it short nor delay an issue.
 */
export async function startDebounce(db: Db, issueId: string, ms: number): Promise<Date> {
  const { until } = await db.transaction(
    async (tx) =>
      await tx.one(
        z.object({ until: z.date() }),
        `update issues set debounce_until = date_trunc('milliseconds', clock_timestamp() + $2 * interval '1 millisecond')
         where id = $1 returning debounce_until as until`,
        [issueId, ms],
      ),
  );
  return until;
}

/** Whether the debounce still runs, by the database's clock. */
export async function isDebouncing(db: Db, issueId: string): Promise<boolean> {
  const row = await db.maybeOne(
    z.object({ quiet: z.boolean() }),
    `select coalesce(debounce_until > clock_timestamp(), false) as quiet from issues where id = $1`,
    [issueId],
  );
  return row?.quiet ?? false;
}

/** Ends the debounce, unless it was restarted since the issue was read. */
export async function endDebounce(db: Db, { id, debounceUntil }: Pick<Issue, "id" | "debounceUntil">): Promise<void> {
  await db.execute(`update issues set debounce_until = null where id = $1 and debounce_until is not distinct from $2`, [
    id,
    debounceUntil,
  ]);
}

/**
 * Erases an issue and everything that belongs to it (`relay forget`). The audit log keeps one line about it, budgets
 * keep the cost without any content, and approved learnings stay, without their source.
 */
export async function forgetIssue(db: Db, issue: Issue, actor: string, now: { clock: Clock; ids: Ids }): Promise<void> {
  await db.transaction(async (tx) => {
    await forgetDeliveries(tx, issue);
    await forgetRequests(tx, issue);
    await redactEvals(tx, issue.id);
    await forgetLearnings(tx, issue.id);
    await tx.execute(`delete from issues where id = $1`, [issue.id]);
    await record(tx, { issueId: null, actor, what: "issue.forgotten", before: { id: issue.id } }, now);
  });
}

export async function setPlanPostedAt(db: Db, issueId: string, at: Date): Promise<void> {
  await db.execute(`update issues set plan_posted_at = $2 where id = $1`, [issueId, at]);
}

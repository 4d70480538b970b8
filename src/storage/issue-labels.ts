import { z } from "zod";
import { type IssueAddress, PROVIDERS } from "../domain/issue.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import type { Db } from "./db.ts";

/** The labels that Relay last gave the issue in its tracker; none before it first did. */
export async function findSyncedLabels(db: Db, issueId: string): Promise<string[]> {
  const row = z.object({ synced_labels: z.array(z.string()).nullable() });
  return (await db.maybeOne(row, `select synced_labels from issues where id = $1`, [issueId]))?.synced_labels ?? [];
}

/** Stores that the issue's labels in its tracker now show this state, with these names (R-LIFE-5). */
export async function markSynced(db: Db, issueId: string, state: IssueState, labels: string[]): Promise<void> {
  await db.execute(
    `update issues set synced_state = $2, synced_labels = $3::jsonb
     where id = $1 and (synced_state is distinct from $2 or synced_labels is distinct from $3::jsonb)`,
    [issueId, state, JSON.stringify(labels)],
  );
}

/** Stores that the issue's labels could not be changed, so that this is retried. */
export async function markUnsynced(db: Db, issueId: string): Promise<void> {
  await db.execute(`update issues set synced_state = null where id = $1 and synced_state is not null`, [issueId]);
}

/** Whether the labels show an outdated state, and the issue is not in a short working state. */
export async function isUnsynced(db: Db, issueId: string): Promise<boolean> {
  const sql = `select from issues where id = $1 and synced_state is distinct from state and state not in ('planning', 'specifying')`;
  return (await db.maybeOne(z.object({}), sql, [issueId])) !== null;
}

const unsyncedRow = z
  .object({ id: z.string(), provider: z.enum(PROVIDERS), project: z.string(), issue: z.string() })
  .transform(({ id, provider, project, issue }) => ({
    id,
    address: { provider, externalProjectId: project, externalIssueId: issue },
  }));

/** Limits the issues with outdated labels that are listed at once, and in each state those with other label names. */
const MOST_UNSYNCED = 1_000;

/**
 * Issues whose labels show an outdated state, or show it by other names than those in `labels`: at most some thousands.
 * Those in a short working state are synced when it ends. Reads no other issues (R-SCALE-1).
 */
export async function listUnsynced(
  db: Db,
  labels: Record<string, string[]>,
): Promise<{ id: string; address: IssueAddress }[]> {
  return await db.query(
    unsyncedRow,
    `with unsynced as (
       (select id from issues where synced_state is distinct from state order by id limit ${MOST_UNSYNCED})
       union
       select other.id from jsonb_each($1::jsonb) wanted(state, labels)
       cross join lateral (
         (${withLabels("< wanted.labels")}) union all (${withLabels("> wanted.labels")}) union all (${withLabels("is null")})
       ) other
     )
     select s.id, i.provider, r.external_project_id as project, s.external_issue_id as issue
     from unsynced
     -- as a question for each: as a join, it would read the whole table where that is still small
     cross join lateral (select * from issues where issues.id = unsynced.id limit 1) s
     join repositories r on r.id = s.repository_id
     join integrations i on i.id = r.integration_id
     where s.state not in ('planning', 'specifying')
     order by s.id`,
    [JSON.stringify(labels)],
  );
}

function withLabels(which: string): string {
  return `select id from issues where state = wanted.state and synced_labels ${which} order by synced_labels limit ${MOST_UNSYNCED}`;
}

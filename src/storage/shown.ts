import { z } from "zod";
import type { IssueAddress } from "../domain/issue.ts";
import { PROVIDERS } from "../domain/issue.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import type { Db } from "./db.ts";

/** The issue's labels in its tracker tell this state (R-LIFE-5). */
export async function markShown(db: Db, issueId: string, state: IssueState): Promise<void> {
  await db.execute(`update issues set synced_state = $2 where id = $1 and synced_state is distinct from $2`, [
    issueId,
    state,
  ]);
}

const row = z
  .object({ id: z.string(), provider: z.enum(PROVIDERS), project: z.string(), issue: z.string() })
  .transform(({ id, provider, project, issue }) => ({
    id,
    address: { provider, externalProjectId: project, externalIssueId: issue },
  }));

/** Issues whose labels tell another state than theirs; those that are being worked on are shown when that is over. */
export async function listNotShown(db: Db): Promise<{ id: string; address: IssueAddress }[]> {
  return await db.query(
    row,
    `select s.id, i.provider, r.external_project_id as project, s.external_issue_id as issue
     from issues s
     join repositories r on r.id = s.repository_id
     join integrations i on i.id = r.integration_id
     where s.synced_state is distinct from s.state and s.state not in ('planning', 'specifying')
     order by s.id`,
    [],
  );
}

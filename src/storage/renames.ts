import { z } from "zod";
import type { Db } from "./db.ts";

/** A project as its tracker knows it now. */
export interface NamedProject {
  externalProjectId: string;
  stableId: string;
  cloneSource: string | null;
}

const rowSchema = z.object({ id: z.string(), name: z.string(), stable_id: z.string().nullable() });

/**
 * Gives a repository that is known by the tracker's own id the name that it has now, with what is stored under the
 * earlier one and not yet worked off. A repository that had the name before, and has another by now, makes way: its next
 * event tells its new one. Returns the earlier name where there was another.
 */
export async function settleName(
  tx: Db,
  integrationId: string,
  { externalProjectId: name, stableId, cloneSource }: NamedProject,
): Promise<string | null> {
  const rows = await tx.query(
    rowSchema,
    `select id, external_project_id as name, stable_id from repositories
     where integration_id = $1 and (stable_id = $2 or external_project_id = $3) order by id for update`,
    [integrationId, stableId, name],
  );
  const known = rows.find((row) => row.stable_id === stableId);
  const other = rows.find((row) => row.name === name && row !== known);
  if (other !== undefined && other.stable_id === null && known !== undefined) {
    // Earlier versions took a new name for a new repository: that one goes on.
    await tx.execute(`update repositories set stable_id = null where id = $1`, [known.id]);
    await tx.execute(`update repositories set stable_id = $2 where id = $1`, [other.id, stableId]);
    return null;
  }
  if (other !== undefined && other.stable_id !== null) {
    // Its code is no longer there either, until its new name is known: a push would go to the other one.
    const aside = `${name} (until it was renamed, ${other.stable_id})`;
    await tx.execute(`update repositories set external_project_id = $2, clone_source = null where id = $1`, [
      other.id,
      aside,
    ]);
    await renameRequests(tx, other.id, aside);
  }
  if (known === undefined || known.name === name) return null;
  await tx.execute(
    `update repositories set external_project_id = $2, clone_source = coalesce($3, clone_source) where id = $1`,
    [known.id, name, cloneSource],
  );
  await tx.execute(
    `update deliveries d set event = jsonb_set(event, '{externalProjectId}', to_jsonb($2::text))
     from integrations i
     where i.id = $1 and d.provider = i.provider and d.event ->> 'externalProjectId' = $3 and d.processed_at is null
       and coalesce(d.event ->> 'stableProjectId', $4) = $4`,
    [integrationId, name, known.name, stableId],
  );
  await renameRequests(tx, known.id, name);
  return known.name;
}

async function renameRequests(tx: Db, repositoryId: string, name: string): Promise<void> {
  await tx.execute(
    `update task_requests set external_project_id = $2
     where issue_id in (select id from issues where repository_id = $1)`,
    [repositoryId, name],
  );
}

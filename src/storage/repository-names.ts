import { z } from "zod";
import type { Db } from "./db.ts";

/** A project as its tracker names it now. */
export interface NamedProject {
  externalProjectId: string;
  stableId: string;
  cloneSource: string | null;
}

const namesRow = z.object({ id: z.string(), name: z.string(), stable_id: z.string().nullable() });

/** Temporary names after losing a name are not kept as former names, since nobody configures them. */
const NAME_KEPT = `former_names = case when external_project_id like '% (until it was renamed, %)' then former_names
  else array_append(array_remove(former_names, external_project_id), external_project_id) end`;

/**
 * Renames the repository with this stable id, along with its pending deliveries and pull requests. A repository that
 * held the name before is moved aside until its next event brings its new name. Returns the earlier name if it changed.
 */
export async function applyRename(
  tx: Db,
  integrationId: string,
  { externalProjectId: name, stableId, cloneSource }: NamedProject,
): Promise<string | null> {
  const rows = await tx.query(
    namesRow,
    `select id, external_project_id as name, stable_id from repositories
     where integration_id = $1 and (stable_id = $2 or external_project_id = $3) order by id for update`,
    [integrationId, stableId, name],
  );
  const known = rows.find((row) => row.stable_id === stableId);
  const other = rows.find((row) => row.name === name && row !== known);
  if (other !== undefined && other.stable_id === null && known !== undefined) {
    // Earlier versions stored a rename as a new repository: continue with that one.
    await tx.execute(`update repositories set stable_id = null where id = $1`, [known.id]);
    await tx.execute(`update repositories set stable_id = $2 where id = $1`, [other.id, stableId]);
    return null;
  }
  if (other !== undefined && other.stable_id !== null) {
    // Drop its clone address too: a push would go to the other repository.
    const aside = `${name} (until it was renamed, ${other.stable_id})`;
    await tx.execute(
      `update repositories set external_project_id = $2, clone_source = null, ${NAME_KEPT} where id = $1`,
      [other.id, aside],
    );
    await renameRequests(tx, other.id, aside);
  }
  if (known === undefined || known.name === name) return null;
  await tx.execute(
    `update repositories set external_project_id = $2, clone_source = coalesce($3, clone_source), ${NAME_KEPT}
     where id = $1`,
    [known.id, name, cloneSource],
  );
  await tx.execute(
    `update deliveries d set event = jsonb_set(event, '{externalProjectId}', to_jsonb($2::text))
     from integrations i
     where i.id = $1 and d.provider = i.provider and d.event ->> 'externalProjectId' = $3
       and ((d.processed_at is null and d.dead_lettered_at is null) or d.dead_lettered_at is not null)
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

import { z } from "zod";
import type { Mode, Provider } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Database, Db } from "./db.ts";
import type { NamedProject } from "./renames.ts";
import { settleName } from "./renames.ts";
import type { StoredRepository } from "./rows.ts";
import { repositoryRow } from "./rows.ts";

const idRow = z.object({ id: z.string() });

export interface RepositoryConnection {
  workspace: string;
  provider: Provider;
  baseUrl: string;
  botUsername: string;
  externalProjectId: string;
  /** The tracker's own id, which stays when the repository gets another name. */
  stableId?: string | null;
  cloneSource: string | null;
  mode: Mode;
}

/** The repository with its integration and workspace; all three are made when missing. */
export async function connectRepository(
  db: Db,
  connection: RepositoryConnection,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<StoredRepository> {
  return await db.transaction(async (tx) => {
    const now = clock.now();
    const workspace = await tx.one(
      idRow,
      `insert into workspaces (id, name, created_at) values ($1, $2, $3)
       on conflict (name) do update set name = excluded.name returning id`,
      [ids.next(), connection.workspace, now],
    );
    const integration = await tx.one(
      idRow,
      `insert into integrations (id, workspace_id, provider, base_url, bot_username, created_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (workspace_id, provider, base_url) do update set bot_username = excluded.bot_username returning id`,
      [ids.next(), workspace.id, connection.provider, connection.baseUrl, connection.botUsername, now],
    );
    const { stableId = null, externalProjectId, cloneSource } = connection;
    if (stableId !== null) await settleName(tx, integration.id, { externalProjectId, stableId, cloneSource });
    // From then on issues are compared with the tracker: a clock that is ahead must not leave any out.
    const repository = await tx.one(
      idRow,
      `insert into repositories (id, integration_id, external_project_id, stable_id, clone_source, mode, created_at)
       values ($1, $2, $3, $7, $4, $5, least($6, now()))
       on conflict (integration_id, external_project_id)
       do update set clone_source = coalesce(excluded.clone_source, repositories.clone_source), mode = excluded.mode,
                     stable_id = coalesce(excluded.stable_id, repositories.stable_id)
       returning id`,
      [ids.next(), integration.id, externalProjectId, cloneSource, connection.mode, now, stableId],
    );
    return await getRepository(tx, repository.id);
  });
}

const SELECT_REPOSITORY = `
  select r.id, r.integration_id, i.workspace_id, i.provider, r.external_project_id, r.stable_id, r.clone_source, r.mode
  from repositories r join integrations i on i.id = r.integration_id`;

export async function getRepository(db: Db, id: string): Promise<StoredRepository> {
  return await db.one(repositoryRow, `${SELECT_REPOSITORY} where r.id = $1`, [id]);
}

/** The repository that Relay knows under a tracker's name for it. */
export async function findRepository(
  db: Db,
  provider: Provider,
  externalProjectId: string,
): Promise<StoredRepository | null> {
  return await db.maybeOne(
    repositoryRow,
    `${SELECT_REPOSITORY} where i.provider = $1 and r.external_project_id = $2 order by r.id limit 1`,
    [provider, externalProjectId],
  );
}

/** The same by the tracker's own id, which it keeps under every name. */
export async function findStableRepository(
  db: Db,
  provider: Provider,
  stableId: string,
): Promise<StoredRepository | null> {
  return await db.maybeOne(
    repositoryRow,
    `${SELECT_REPOSITORY} where i.provider = $1 and r.stable_id = $2 order by r.id limit 1`,
    [provider, stableId],
  );
}

/** Brings what is known of a repository to what its tracker says now. */
export async function learnProject(
  db: Db,
  repository: StoredRepository,
  project: NamedProject,
): Promise<StoredRepository> {
  return await db.transaction(async (tx) => {
    await tx.execute(
      `update repositories set stable_id = $2 where id = $1 and stable_id is null
      and not exists (select from repositories where integration_id = $3 and stable_id = $2)`,
      [repository.id, project.stableId, repository.integrationId],
    );
    await settleName(tx, repository.integrationId, project);
    return await getRepository(tx, repository.id);
  });
}

/** A repository makes way for the one that has its name by now, and that Relay does not work in. */
export async function leaveName(
  db: Database,
  { integrationId }: StoredRepository,
  holder: NamedProject,
): Promise<void> {
  await db.transaction(async (tx) => void (await settleName(tx, integrationId, holder)));
}

/** Whether issues of any other repository are tracked. */
export async function hasOtherRepositories(db: Db, repositoryId: string): Promise<boolean> {
  const row = await db.one(
    z.object({ others: z.boolean() }),
    // The order makes it one step in an index for each repository, however many issues there are.
    `select exists (
       select from repositories r
       where r.id <> $1 and (
         select s.id from issues s where s.repository_id = r.id order by s.external_issue_id limit 1) is not null) as others`,
    [repositoryId],
  );
  return row.others;
}

/** All repositories of one kind of tracker, the oldest first. */
export async function listRepositories(db: Db, provider: Provider): Promise<StoredRepository[]> {
  return await db.query(repositoryRow, `${SELECT_REPOSITORY} where i.provider = $1 order by r.id`, [provider]);
}

/** The local repository whose code is in this directory. */
export async function findRepositoryAt(db: Db, directory: string): Promise<StoredRepository | null> {
  return await db.maybeOne(
    repositoryRow,
    `${SELECT_REPOSITORY} where i.provider = 'local' and r.clone_source = $1 order by r.id limit 1`,
    [directory],
  );
}

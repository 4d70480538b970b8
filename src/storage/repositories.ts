import { camelRow } from "./camel-row.ts";
import { type IssueAddress, type Mode, type Provider, PROVIDERS, issueName } from "../domain/issue.ts";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { RelayError } from "../lib/errors.ts";
import type { Database, Db } from "./db.ts";
import { type NamedProject, applyRename } from "./repository-names.ts";

const repositoryRow = camelRow({
  id: z.string(),
  integrationId: z.string(),
  workspaceId: z.string(),
  provider: z.enum(PROVIDERS),
  externalProjectId: z.string(),
  stableId: z.string().nullable(),
  /** Its earlier names, oldest first. */
  formerNames: z.array(z.string()),
  cloneSource: z.string().nullable(),
});

export type StoredRepository = z.infer<typeof repositoryRow>;

/**
 * A repository with the mode in force now; the mode is not stored, since operator and repository may change it
 * (R-LIFE-12).
 */
export type RepositoryInForce = StoredRepository & { mode: Mode };

const idRow = z.object({ id: z.string() });

export interface RepositoryConnection {
  workspace: string;
  provider: Provider;
  baseUrl: string;
  botUsername: string;
  externalProjectId: string;
  /** The tracker's own id, which survives renames. */
  stableId?: string | null;
  cloneSource: string | null;
  /** Whether only members can read it. */
  isPrivate?: boolean;
}

/** Returns the repository, creating it, its integration and its workspace as needed. */
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
    const { stableId = null, externalProjectId, cloneSource, isPrivate = false } = connection;
    if (stableId !== null) await applyRename(tx, integration.id, { externalProjectId, stableId, cloneSource });
    // Reconciliation starts from created_at: a clock that is ahead must not skip issues.
    const repository = await tx.one(
      idRow,
      `insert into repositories (id, integration_id, external_project_id, stable_id, clone_source, private, created_at)
       values ($1, $2, $3, $6, $4, $7, least($5, now()))
       on conflict (integration_id, external_project_id)
       do update set clone_source = coalesce(excluded.clone_source, repositories.clone_source),
                     private = excluded.private, stable_id = coalesce(excluded.stable_id, repositories.stable_id)
       returning id`,
      [ids.next(), integration.id, externalProjectId, cloneSource, now, stableId, isPrivate],
    );
    return await getRepository(tx, repository.id);
  });
}

const SELECT_REPOSITORY = `
  select r.id, r.integration_id, i.workspace_id, i.provider, r.external_project_id, r.stable_id,
    r.former_names, r.clone_source
  from repositories r join integrations i on i.id = r.integration_id`;

export async function getRepository(db: Db, id: string): Promise<StoredRepository> {
  return await db.one(repositoryRow, `${SELECT_REPOSITORY} where r.id = $1`, [id]);
}

/** The login with which Relay works in a repository. */
export async function botOf(db: Db, repositoryId: string): Promise<string> {
  const { bot } = await db.one(
    z.object({ bot: z.string() }),
    `select i.bot_username as bot from repositories r join integrations i on i.id = r.integration_id where r.id = $1`,
    [repositoryId],
  );
  return bot;
}

/**
 * The repositories whose code an issue is about; today always the issue's own repository. Everything that opens code or
 * pull requests for an issue calls this, so that only this place must change for a tracker without code, or for an
 * issue over several repositories.
 */
export async function repositoriesOf(db: Db, issue: IssueAddress): Promise<[StoredRepository, ...StoredRepository[]]> {
  const own = await findRepository(db, issue.provider, issue.externalProjectId);
  if (own !== null) return [own];
  throw new RelayError("internal", `${issueName(issue)} belongs to a repository that is no longer stored`);
}

/** The repository stored under this name. */
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

/** Repositories that people may mean by a name, ignoring case: `acme/shop`, `github/acme/shop`. */
export async function findRepositoriesNamed(db: Db, name: string): Promise<StoredRepository[]> {
  const slash = name.indexOf("/");
  const [provider, nameThere] = slash < 0 ? [null, null] : [name.slice(0, slash), name.slice(slash + 1)];
  return await db.query(
    repositoryRow,
    `${SELECT_REPOSITORY} where lower(r.external_project_id) in (lower($1), lower($2))
       and (lower(r.external_project_id) = lower($1) or i.provider = lower($3)) order by r.id`,
    [name, nameThere, provider],
  );
}

/** The repository by the tracker's own id, which survives renames. */
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

/** Updates a repository to its tracker's current name and address. */
export async function updateProject(
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
    await applyRename(tx, repository.integrationId, project);
    return await getRepository(tx, repository.id);
  });
}

/** Takes a repository's name away, because a repository that Relay does not work in has it now. */
export async function releaseName(
  db: Database,
  { integrationId }: StoredRepository,
  holder: NamedProject,
): Promise<void> {
  await db.transaction(async (tx) => void (await applyRename(tx, integrationId, holder)));
}

/** The only repository with tracked issues, if there is just one; two index lookups, however many issues there are. */
export async function onlyRepository(db: Db): Promise<{ kind: "none" | "several" } | { kind: "one"; id: string }> {
  const { first, last } = await db.one(
    z.object({ first: z.string().nullable(), last: z.string().nullable() }),
    `select (select min(repository_id) from issues) as first, (select max(repository_id) from issues) as last`,
    [],
  );
  if (first === null) return { kind: "none" };
  return first === last ? { kind: "one", id: first } : { kind: "several" };
}

/** All repositories of one provider, oldest first. */
export async function listRepositories(db: Db, provider: Provider): Promise<StoredRepository[]> {
  return await db.query(repositoryRow, `${SELECT_REPOSITORY} where i.provider = $1 order by r.id`, [provider]);
}

/** Repositories that had another name before, the last connected first; no more than people read. */
export async function listMovedRepositories(db: Db, provider: Provider): Promise<StoredRepository[]> {
  return await db.query(
    repositoryRow,
    `${SELECT_REPOSITORY} where i.provider = $1 and cardinality(r.former_names) > 0 order by r.id desc limit 20`,
    [provider],
  );
}

/** The local repository in this directory. */
export async function findRepositoryAt(db: Db, directory: string): Promise<StoredRepository | null> {
  return await db.maybeOne(
    repositoryRow,
    `${SELECT_REPOSITORY} where i.provider = 'local' and r.clone_source = $1 order by r.id limit 1`,
    [directory],
  );
}

/** Issues changed before this time were reconciled (R-IN-8); for a new repository, the time it was connected. */
export async function findSeenUntil(db: Db, repositoryId: string): Promise<{ until: Date; tag: string | null }> {
  return await db.one(
    z.object({ until: z.date(), tag: z.string().nullable() }),
    `select coalesce(seen_until, created_at) as until, list_tag as tag from repositories where id = $1`,
    [repositoryId],
  );
}

/**
 * Moves the time forward, never back, even with concurrent processes. `tag`: of a list that need not be compared again.
 */
export async function setSeenUntil(
  db: Db,
  repositoryId: string,
  { until, tag }: { until: Date | null; tag: string | null },
): Promise<void> {
  await db.execute(
    `update repositories set seen_until = greatest(seen_until, $2::timestamptz), list_tag = $3 where id = $1`,
    [repositoryId, until, tag],
  );
}

/**
 * Whether a day has passed since the repository's project was last looked up, or it never was; by the database's clock.
 */
export async function isLookUpDue(db: Db, repositoryId: string): Promise<boolean> {
  const row = await db.one(
    z.object({ due: z.boolean() }),
    `select coalesce(looked_up_at < now() - interval '23 hours 30 minutes', true) as due from repositories where id = $1`,
    [repositoryId],
  );
  return row.due;
}

export async function setLookedUp(db: Db, repositoryId: string): Promise<void> {
  await db.execute(`update repositories set looked_up_at = now() where id = $1`, [repositoryId]);
}

/** Stores whether only members can read the repository, according to its tracker. */
export async function setPrivate(db: Db, repositoryId: string, isPrivate: boolean): Promise<void> {
  await db.execute(`update repositories set private = $2 where id = $1 and private <> $2`, [repositoryId, isPrivate]);
}

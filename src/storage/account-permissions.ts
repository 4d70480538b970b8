import { z } from "zod";
import type { HostedName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

/** An account of a tracker, by the tracker's permanent id. */
export interface StoredAccount {
  provider: HostedName;
  accountId: string;
}

const permissionRow = camelRow({
  repositoryId: z.string(),
  externalProjectId: z.string(),
  private: z.boolean(),
  permission: z.string().nullable(),
  askedAt: z.date().nullable(),
});

/** A repository with the permission that the tracker last reported for the account; nulls if it was never asked. */
export type KnownPermission = z.infer<typeof permissionRow>;

/**
 * The repositories in which the last check, at `since` or later, found a permission for the account; at most `most`.
 */
export async function listKnown(
  db: Db,
  { provider, accountId }: StoredAccount,
  since: Date,
  most: number,
): Promise<KnownPermission[]> {
  return await db.query(
    permissionRow,
    `select r.id as repository_id, r.external_project_id, r.private, p.permission, p.asked_at
     from account_permissions p join repositories r on r.id = p.repository_id
     where p.provider = $1 and p.account_id = $2 and p.permission <> 'none' and p.asked_at >= $3
     order by p.repository_id limit $4`,
    [provider, accountId, since, most],
  );
}

/**
 * The repositories to ask the tracker about next, at most `most`: first those where the account had a permission, then
 * those never asked about, most recently active first, then the others, oldest answer first.
 */
export async function listToAsk(
  db: Db,
  { provider, accountId }: StoredAccount,
  asked: Date,
  most: number,
): Promise<KnownPermission[]> {
  return await db.query(
    permissionRow,
    `select r.id as repository_id, r.external_project_id, r.private, p.permission, p.asked_at
     from repositories r
     join integrations i on i.id = r.integration_id and i.provider = $1
     left join account_permissions p on p.repository_id = r.id and p.provider = $1 and p.account_id = $2
     where p.asked_at is null or p.asked_at < $3
     order by coalesce(p.permission <> 'none', false) desc, p.asked_at nulls first,
              (select max(s.updated_at) from issues s where s.repository_id = r.id) desc nulls last, r.id
     limit $4`,
    [provider, accountId, asked, most],
  );
}

export async function savePermission(
  db: Db,
  { provider, accountId }: StoredAccount,
  { repositoryId, permission }: { repositoryId: string; permission: string },
  clock: Clock,
): Promise<void> {
  await db.execute(
    `insert into account_permissions (provider, account_id, repository_id, permission, asked_at)
     values ($1, $2, $3, $4, $5)
     on conflict (provider, account_id, repository_id) do update set permission = excluded.permission,
       asked_at = excluded.asked_at`,
    [provider, accountId, repositoryId, permission, clock.now()],
  );
}

/** Whether to ask the tracker again, because the last time was before `since`; true for one caller only. */
export async function takeLook(
  db: Db,
  { provider, accountId }: StoredAccount,
  since: Date,
  clock: Clock,
): Promise<boolean> {
  const taken = await db.execute(
    `insert into accounts (provider, account_id, looked_at) values ($1, $2, $3)
     on conflict (provider, account_id) do update set looked_at = excluded.looked_at where accounts.looked_at < $4`,
    [provider, accountId, clock.now(), since],
  );
  return taken > 0;
}

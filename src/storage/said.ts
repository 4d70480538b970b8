import { z } from "zod";
import type { IssueAddress } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { record } from "./audit.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

const saidRow = camelRow({
  id: z.string(),
  issueId: z.string(),
  login: z.string(),
  accountId: z.string().nullable(),
  words: z.string(),
  saidAt: z.date(),
  commentId: z.string().nullable(),
  commentedAt: z.date().nullable(),
  planShown: z.string().nullable(),
  refused: z.string().nullable(),
});

/**
 * What somebody said at an issue from a page, the API or MCP; `commentId` once it stands in the thread, `refused` if it
 * could not. `accountId`: of the tracker; null in the local one. `planShown`: the plan that they had before them, as
 * `keepSaid` was told.
 */
export type Said = z.infer<typeof saidRow>;

interface NewWords extends Pick<Said, "issueId" | "login" | "accountId" | "words" | "planShown"> {
  key: string;
  /** The name of the personal token that says them; null where the person does. The audit log keeps it. */
  token: string | null;
}

/**
 * Stores what somebody says, unless they said it with this key before; returns what is stored (R-ACT-5). `planShown`: the id
 * of the plan that was shown beside the words; "0" without one, and null for the one that stands in the thread now.
 */
export async function keepSaid(
  tx: Db,
  { issueId, login, accountId, words, planShown, key, token }: NewWords,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<Said> {
  const added = await tx.execute(
    `insert into said (id, issue_id, login, account_id, words, key, said_at, plan_shown)
     values ($1, $2, $3, $4, $5, $6, $7, coalesce($8::bigint,
       (select id from plans where issue_id = $2 and posted_at is not null order by version desc limit 1), 0))
     on conflict do nothing`,
    [ids.next(), issueId, login, accountId, words, key, clock.now(), planShown],
  );
  if (added > 0 && token !== null) {
    await record(tx, { issueId, actor: login, what: "token.used", after: { token, words } }, { clock, ids });
  }
  return await tx.one(saidRow, `select * from said where issue_id = $1 and lower(login) = lower($2) and key = $3`, [
    issueId,
    login,
    key,
  ]);
}

/**
 * The key of what this person decided last at this gate; it stands until the thread goes on after it. Null if they did not
 * decide there. The tracker's time counts once the words stand in the thread.
 */
export async function lastSaid(
  tx: Db,
  { issueId, login, gate }: { issueId: string; login: string; gate: string },
): Promise<{ key: string; stands: boolean } | null> {
  return await tx.maybeOne(
    z.object({ key: z.string(), stands: z.boolean() }),
    `select w.key, w.refused is null and not exists (
       select 1 from messages m where m.issue_id = w.issue_id and m.external_id is distinct from w.comment_id
         and greatest(m.posted_at, m.edited_at) > coalesce(w.commented_at, w.said_at)) as stands
     from said w where w.issue_id = $1 and lower(w.login) = lower($2) and starts_with(w.key, $3 || '#')
     order by w.id desc limit 1`,
    [issueId, login, gate],
  );
}

/** Null if they were never said, or their issue was erased. */
export async function findSaid(db: Db, id: string): Promise<Said | null> {
  return await db.maybeOne(saidRow, `select * from said where id = $1`, [id]);
}

/** Of an issue, the words that stand in one of these comments, and those of these ids. */
export async function listSaidOf(
  db: Db,
  issue: IssueAddress,
  { comments, ids }: { comments: readonly string[]; ids: readonly string[] },
): Promise<Said[]> {
  return await db.query(
    saidRow,
    `select w.* from said w join issues s on s.id = w.issue_id join repositories r on r.id = s.repository_id
     join integrations i on i.id = r.integration_id
     where i.provider = $1 and r.external_project_id = $2 and s.external_issue_id = $3
       and (w.comment_id = any($4::text[]) or w.id = any($5::bigint[]))`,
    [issue.provider, issue.externalProjectId, issue.externalIssueId, comments, ids],
  );
}

/** By comment of an issue: the plan that was shown beside its words, where they came by a page, the API or MCP. */
export async function listShownBeside(db: Db, issueId: string): Promise<Map<string, string>> {
  const rows = await db.query(
    camelRow({ commentId: z.string(), planShown: z.string() }),
    `select comment_id, plan_shown from said where issue_id = $1 and comment_id is not null and plan_shown is not null`,
    [issueId],
  );
  return new Map(rows.map(({ commentId, planShown }) => [commentId, planShown]));
}

/** What waits to stand in the thread of an issue, and this person's last words there if they were refused. */
export async function listUnsaid(db: Db, issueId: string, login: string): Promise<Said[]> {
  return await db.query(
    saidRow,
    `select * from said where issue_id = $1 and comment_id is null
       and (refused is null or (lower(login) = lower($2) and id = (select max(id) from said where issue_id = $1 and lower(login) = lower($2))))
     order by id`,
    [issueId, login],
  );
}

/** Stores why the words cannot stand in the thread. */
export async function refuseSaid(db: Db, id: string, why: string): Promise<void> {
  await db.execute(`update said set refused = $2 where id = $1 and comment_id is null`, [id, why]);
}

/** Stores that the words stand in the thread. */
export async function setComment(tx: Db, id: string, comment: { id: string; at: Date }): Promise<Said> {
  return await tx.one(saidRow, `update said set comment_id = $2, commented_at = $3 where id = $1 returning *`, [
    id,
    comment.id,
    comment.at,
  ]);
}

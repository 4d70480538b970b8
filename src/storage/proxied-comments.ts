import { z } from "zod";
import type { IssueAddress } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { record } from "./audit.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

const proxiedRow = camelRow({
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
 * A comment that a person wrote on a page, or sent through the API or MCP, and that Relay posts for them; a row of the
 * table `said`. `commentId` is set once it is posted, `refused` if it may not be posted. `accountId` is the tracker's
 * account; null for the local one. `planShown` is the plan that its author had before them.
 */
export type ProxiedComment = z.infer<typeof proxiedRow>;

interface NewProxiedComment extends Pick<ProxiedComment, "issueId" | "login" | "accountId" | "words" | "planShown"> {
  key: string;
  /** The name of the personal token that sent it; null if the person sent it themselves. The audit log keeps it. */
  token: string | null;
}

/**
 * Stores a comment to post, unless its author already sent one with this key; returns the stored one (R-ACT-5).
 * `planShown`: the id of the plan that was shown next to the text; "0" without one, null for the plan that was posted
 * last.
 */
export async function saveProxiedComment(
  tx: Db,
  { issueId, login, accountId, words, planShown, key, token }: NewProxiedComment,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<ProxiedComment> {
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
  return await tx.one(proxiedRow, `select * from said where issue_id = $1 and lower(login) = lower($2) and key = $3`, [
    issueId,
    login,
    key,
  ]);
}

/**
 * The key of this person's last decision at this gate, and whether it stands: it does until something else is posted in
 * the thread. Null if they did not decide there. Once the comment is posted, the tracker's time counts.
 */
export async function lastDecision(
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

/** Null if there is none, or its issue was erased. */
export async function findProxiedComment(db: Db, id: string): Promise<ProxiedComment | null> {
  return await db.maybeOne(proxiedRow, `select * from said where id = $1`, [id]);
}

/** The comments of an issue that were posted with one of these comment ids, or have one of these ids themselves. */
export async function listProxiedComments(
  db: Db,
  issue: IssueAddress,
  { comments, ids }: { comments: readonly string[]; ids: readonly string[] },
): Promise<ProxiedComment[]> {
  return await db.query(
    proxiedRow,
    `select w.* from said w join issues s on s.id = w.issue_id join repositories r on r.id = s.repository_id
     join integrations i on i.id = r.integration_id
     where i.provider = $1 and r.external_project_id = $2 and s.external_issue_id = $3
       and (w.comment_id = any($4::text[]) or w.id = any($5::bigint[]))`,
    [issue.provider, issue.externalProjectId, issue.externalIssueId, comments, ids],
  );
}

/** The plan that was shown next to each comment, by the id of the posted comment. */
export async function listShownBeside(db: Db, issueId: string): Promise<Map<string, string>> {
  const rows = await db.query(
    camelRow({ commentId: z.string(), planShown: z.string() }),
    `select comment_id, plan_shown from said where issue_id = $1 and comment_id is not null and plan_shown is not null`,
    [issueId],
  );
  return new Map(rows.map(({ commentId, planShown }) => [commentId, planShown]));
}

/** The comments of an issue that wait to be posted, and this person's last one there if it was refused. */
export async function listUnposted(db: Db, issueId: string, login: string): Promise<ProxiedComment[]> {
  return await db.query(
    proxiedRow,
    `select * from said where issue_id = $1 and comment_id is null
       and (refused is null or (lower(login) = lower($2) and id = (select max(id) from said where issue_id = $1 and lower(login) = lower($2))))
     order by id`,
    [issueId, login],
  );
}

/** Stores why a comment cannot be posted. */
export async function refuseProxiedComment(db: Db, id: string, why: string): Promise<void> {
  await db.execute(`update said set refused = $2 where id = $1 and comment_id is null`, [id, why]);
}

/** Stores the posted comment. */
export async function markProxiedCommentPosted(
  tx: Db,
  id: string,
  comment: { id: string; at: Date },
): Promise<ProxiedComment> {
  return await tx.one(proxiedRow, `update said set comment_id = $2, commented_at = $3 where id = $1 returning *`, [
    id,
    comment.id,
    comment.at,
  ]);
}

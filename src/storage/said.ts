import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

const saidRow = camelRow({
  id: z.string(),
  issueId: z.string(),
  login: z.string(),
  words: z.string(),
  saidAt: z.date(),
  commentId: z.string().nullable(),
  commentedAt: z.date().nullable(),
});

/** What somebody said at an issue from a page, the API or MCP; `commentId` once it stands in the thread. */
export type Said = z.infer<typeof saidRow>;

/** Stores what somebody says, unless they said it with this key before; returns what is stored (R-ACT-5). */
export async function keepSaid(
  tx: Db,
  { issueId, login, words, key }: Pick<Said, "issueId" | "login" | "words"> & { key: string },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<Said> {
  await tx.execute(
    `insert into said (id, issue_id, login, words, key, said_at) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [ids.next(), issueId, login, words, key, clock.now()],
  );
  return await tx.one(saidRow, `select * from said where issue_id = $1 and lower(login) = lower($2) and key = $3`, [
    issueId,
    login,
    key,
  ]);
}

/** Stores that the words stand in the thread. */
export async function setComment(tx: Db, id: string, comment: { id: string; at: Date }): Promise<Said> {
  return await tx.one(saidRow, `update said set comment_id = $2, commented_at = $3 where id = $1 returning *`, [
    id,
    comment.id,
    comment.at,
  ]);
}

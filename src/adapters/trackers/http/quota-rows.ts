import { z } from "zod";
import { LONGEST_BLOCK, LONGEST_WINDOW } from "./limits.ts";
import type { QuotaNews } from "./quota.ts";
import { SAME_WINDOW_MS } from "./quota-state.ts";

/** What the limits need of a database. */
export interface Sql {
  maybeOne<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T | null>;
}

const rowSchema = z
  .object({ remaining: z.number().nullable(), resets_in: z.number().nullable(), blocked_for: z.number().nullable() })
  .transform((row): QuotaNews => ({
    limit: null,
    remaining: row.remaining,
    resetsInMs: row.resets_in,
    blockedForMs: row.blocked_for,
  }));

/** No moment that was written lies so far ahead: the database's clock was set back, and it is dropped. */
const STRAY = `interval '${Math.max(LONGEST_BLOCK, LONGEST_WINDOW) + 60_000} ms'`;
const COLUMNS = `
  case when q.resets_at between now() and now() + ${STRAY} then q.remaining end as remaining,
  case when q.resets_at between now() and now() + ${STRAY} then ${millis("q.resets_at - now()")} end as resets_in,
  case when q.blocked_until between now() and now() + ${STRAY}
    then ${millis("q.blocked_until - now()")} end as blocked_for`;

/** What all processes together know. Only the database's clock counts. */
export async function loadStanding(db: Sql, quota: string): Promise<QuotaNews | null> {
  return await db.maybeOne(rowSchema, `select ${COLUMNS} from tracker_quotas q where quota = $1`, [quota]);
}

/** Joins what one process knows to what is stored, by the rules of `withNews`, and gives what comes of it. */
export async function joinStanding(db: Sql, quota: string, news: QuotaNews): Promise<QuotaNews | null> {
  const known = `q.remaining is not null and q.resets_at between now() and now() + ${STRAY}`;
  const newer = `not (${known}) or excluded.resets_at > q.resets_at + interval '${SAME_WINDOW_MS} ms'`;
  const older = `excluded.resets_at is null or excluded.resets_at < q.resets_at - interval '${SAME_WINDOW_MS} ms'`;
  return await db.maybeOne(
    rowSchema,
    `insert into tracker_quotas as q (quota, remaining, resets_at, blocked_until, updated_at)
     values ($1, $2, now() + $3 * interval '1 ms', now() + $4 * interval '1 ms', now())
     on conflict (quota) do update set
       remaining = case when excluded.resets_at is not null and (${newer}) then excluded.remaining
                        when ${older} then q.remaining
                        else least(q.remaining, excluded.remaining) end,
       resets_at = case when excluded.resets_at is not null and (${newer}) then excluded.resets_at else q.resets_at end,
       blocked_until = greatest(case when q.blocked_until <= now() + ${STRAY} then q.blocked_until end,
                                excluded.blocked_until),
       updated_at = now()
     returning ${COLUMNS}`,
    [quota, news.remaining, news.resetsInMs, news.blockedForMs],
  );
}

/** A length of time in the database, in milliseconds. */
function millis(interval: string): string {
  return `(extract(epoch from ${interval}) * 1000)::float8`;
}

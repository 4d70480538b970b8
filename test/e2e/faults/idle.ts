import { z } from "zod";
import { sleep } from "../../../src/lib/clock.ts";
import type { Db } from "../../../src/storage/db.ts";

const counts = z.object({ deliveries: z.number(), waits: z.number(), jobs: z.number(), cycles: z.number() });

/**
 * Work that is left to do, now or when a wait is over. A cycle that the end of its issue cut off goes on if that does;
 * a task waits for a coding agent, of which there is none here.
 */
async function leftIn(db: Db, issue: string | null): Promise<z.infer<typeof counts>> {
  return await db.one(
    counts,
    `select (select count(*)::int from deliveries where processed_at is null and dead_lettered_at is null
              and event ->> 'externalIssueId' = coalesce($1, event ->> 'externalIssueId')) as deliveries,
            (select count(*)::int from issues where debounce_until is not null
              and external_issue_id = coalesce($1, external_issue_id)) as waits,
            (select count(*)::int from pgboss.job
              where name like 'relay-%' and name <> 'relay-task' and state in ('created', 'retry', 'active')
                and ($1::text is null or singleton_key like '%#' || $1
                  or singleton_key in (select id::text from issues where external_issue_id = $1))) as jobs,
            (select count(*)::int from cycles c join issues i on i.id = c.issue_id
              where c.status = 'running' and i.state not in ('closed', 'paused')
                and i.external_issue_id = coalesce($1, i.external_issue_id)) as cycles`,
    [issue],
  );
}

/** Waits until nothing is left, of one issue or of all; false where that takes longer. */
export async function waitUntilIdle(
  look: <T>(work: (db: Db) => Promise<T>) => Promise<T>,
  forMs: number,
  issue: string | null = null,
): Promise<boolean> {
  for (const end = performance.now() + forMs; performance.now() < end; await sleep(250)) {
    if (Object.values(await look(async (db) => await leftIn(db, issue))).every((count) => count === 0)) return true;
  }
  return false;
}

import { z } from "zod";
import { camelRow } from "./camel-row.ts";
import { type IssueAddress, PROVIDERS } from "../domain/issue.ts";
import type { Db } from "./db.ts";
import { WAITING } from "./deliveries.ts";

/* Work that must have a job, in pages: after an outage, very many issues may have some. */

const PAGE = 1_000;

const addressRow = z
  .object({ provider: z.enum(PROVIDERS), project: z.string(), issue: z.string() })
  .transform(({ provider, project, issue }) => ({ provider, externalProjectId: project, externalIssueId: issue }));

/** The issues with pending deliveries, of one project or of all, in pages. */
export async function* pagesWithDeliveries(
  db: Db,
  project: Pick<IssueAddress, "provider" | "externalProjectId"> | null = null,
): AsyncGenerator<IssueAddress[]> {
  for (let last: string[] | null = ["", "", ""]; last !== null;) {
    const page: IssueAddress[] = await db.query(
      addressRow,
      `select distinct provider, event ->> 'externalProjectId' as project, event ->> 'externalIssueId' as issue
       from deliveries
       where ${WAITING} and (provider, event ->> 'externalProjectId', event ->> 'externalIssueId') > ($1, $2, $3)
         and ($4::text is null or (provider = $4 and event ->> 'externalProjectId' = $5))
       order by 1, 2, 3 limit ${PAGE}`,
      [...last, project?.provider ?? null, project?.externalProjectId ?? null],
    );
    if (page.length > 0) yield page;
    const end = page.at(-1);
    last = end === undefined ? null : [end.provider, end.externalProjectId, end.externalIssueId];
  }
}

/** When an issue must be woken. */
export interface DueWake {
  issueId: string;
  at: Date;
}

/**
 * When issues with unfinished work are due, in pages: those with a running debounce, and those with an interrupted
 * cycle or spec, whose debounce it sets to end now.
 */
export async function* pagesOfUnfinished(db: Db): AsyncGenerator<DueWake[]> {
  await db.execute(
    `update issues set debounce_until = date_trunc('milliseconds', clock_timestamp())
     where debounce_until is null and state in ('planning', 'specifying') and wake_dead_lettered_at is null`,
    [],
  );
  for (let after: string | undefined = "0"; after !== undefined;) {
    const page: DueWake[] = await db.query(
      camelRow({ issueId: z.string(), at: z.date() }),
      `select id as issue_id, debounce_until as at from issues
       where debounce_until is not null and wake_dead_lettered_at is null and id > $1
       order by id limit ${PAGE}`,
      [after],
    );
    if (page.length > 0) yield page;
    after = page.at(-1)?.issueId;
  }
}

/** The jobs that an issue's tasks, plans and proxied comments may have, with their ids as keys. */
export async function listOwnJobs(
  db: Db,
  issueId: string,
): Promise<{ queue: "task" | "preflight" | "say"; key: string }[]> {
  return await db.query(
    z.object({ queue: z.enum(["task", "preflight", "say"]), key: z.string() }),
    `select 'task' as queue, id::text as key from tasks where issue_id = $1
     union all select 'preflight', id::text from plans where issue_id = $1
     union all select 'say', id::text from said where issue_id = $1`,
    [issueId],
  );
}

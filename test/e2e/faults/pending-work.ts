import { z } from "zod";
import type { Db } from "../../../src/storage/db.ts";

const LINES = 30;

const issueRow = z.object({ id: z.string(), name: z.string(), facts: z.string(), jobs: z.array(z.string()) });
const factRow = z.object({ facts: z.string() });

/** Where the issue that `i` stands for has work to do. */
const RESTLESS = `i.debounce_until is not null
  or exists (select from cycles c where c.issue_id = i.id and c.status = 'running' and i.state not in ('closed', 'paused'))
  or exists (select from deliveries d where d.processed_at is null and d.dead_lettered_at is null
    and d.event ->> 'externalIssueId' = i.external_issue_id and d.provider = g.provider)`;
const LEFT = `j.name like 'relay-%' and j.state in ('created', 'retry', 'active')`;

/** All that is known of the issues that are not idle, to find the reason. */
export async function pendingWorkIn(db: Db, logs: readonly { name: string; text: string }[]): Promise<string> {
  const issues = await db.query(
    issueRow,
    `select i.id::text, g.provider || '/' || r.external_project_id || '#' || i.external_issue_id as name,
       concat_ws(' ', i.state, 'quiet until', i.debounce_until, 'wakes failed', i.wake_attempts, i.wake_error,
         'failed cycles', i.failed_cycles) as facts,
       coalesce((select array_agg(j.id::text) from pgboss.job j where j.singleton_key in (i.id::text,
         g.provider || '/' || r.external_project_id || '#' || i.external_issue_id) and ${LEFT}), '{}') as jobs
     from issues i join repositories r on r.id = i.repository_id join integrations g on g.id = r.integration_id
     where ${RESTLESS}`,
    [],
  );
  const told: string[] = [];
  for (const { id, name, facts, jobs } of issues) {
    const rows = await db.query(
      factRow,
      `select concat_ws(' ', 'cycle', number, status, planner, started_at, ended_at) as facts from cycles
         where issue_id = $1 and number > (select max(number) - 3 from cycles where issue_id = $1)
       union all
       select concat_ws(' ', 'action', id, action ->> 'type', 'round', round, status, attempts, 'tries', error)
         from actions where issue_id = $1 and status = 'pending'
       union all
       select concat_ws(' ', 'delivery', delivery_id, event ->> 'kind', attempts, error) from deliveries
         where processed_at is null and dead_lettered_at is null and event ->> 'externalIssueId' = $2`,
      [id, name.slice(name.lastIndexOf("#") + 1)],
    );
    told.push(`${name} (${id}): ${facts}`, ...rows.map((row) => row.facts), ...said(logs, [id, name, ...jobs]));
  }
  const around = await db.query(
    factRow,
    `select concat_ws(' ', 'job', j.id, j.name, j.singleton_key, j.state, 'tried again', j.retry_count, 'starts in',
         j.start_after - now(), 'begun', j.started_on - now(), 'heartbeat', j.heartbeat_on - now(),
         left(j.output::text, 200)) as facts
       from pgboss.job j where ${LEFT}
     union all
     select concat_ws(' ', 'lock', l.classid, l.objid, l.granted, 'of', a.pid, a.client_port, a.state, a.state_change - now())
       from pg_locks l join pg_stat_activity a using (pid) where l.locktype = 'advisory' and l.database =
         (select oid from pg_database where datname = current_database())
     union all
     select concat_ws(' ', 'statement', pid, application_name, state, wait_event, state_change - now(), left(query, 200))
       from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    [],
  );
  return [...told, ...around.map(({ facts }) => facts)].join("\n");
}

/** The last lines of each process that name one of these. */
function said(logs: readonly { name: string; text: string }[], names: readonly string[]): string[] {
  return logs.flatMap(({ name, text }) => {
    const lines = text.split("\n").filter((line) => names.some((one) => line.includes(one)));
    return lines.slice(-LINES).map((line) => `  ${name}: ${line.slice(0, 500)}`);
  });
}

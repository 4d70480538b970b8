import { z } from "zod";
import { RUN_STATUSES } from "../domain/work.ts";
import type { Db } from "./db.ts";

/** How much work waits and goes on, and what runs came to. */
export interface WorkFigures {
  /** Tasks that wait for a worker, in repositories where Relay carries plans out. */
  queued: number;
  /** Runs that have not ended; one whose worker died counts until another has taken it to its end. */
  running: number;
  /** Of those that ended, by what they came to: how many, and the seconds that they took together. */
  ended: { outcome: string; runs: number; seconds: number }[];
}

const row = z.object({ status: z.enum(RUN_STATUSES), runs: z.number(), seconds: z.number() });

/** Counts tasks and runs for the metrics (R-OBS-3). */
export async function countWork(db: Db): Promise<WorkFigures> {
  const { queued } = await db.one(
    z.object({ queued: z.number() }),
    `select count(*)::int as queued from tasks t
     join issues i on i.id = t.issue_id join repositories r on r.id = i.repository_id
     where t.status = 'queued' and r.mode = 'implement'`,
    [],
  );
  const rows = await db.query(
    row,
    `select status, count(*)::int as runs,
            coalesce(sum(extract(epoch from ended_at - started_at)), 0)::float8 as seconds
     from runs group by status order by status`,
    [],
  );
  const ended = rows.filter(({ status }) => status !== "running");
  return {
    queued,
    running: rows.find(({ status }) => status === "running")?.runs ?? 0,
    ended: ended.map(({ status, runs, seconds }) => ({ outcome: status, runs, seconds: Math.max(0, seconds) })),
  };
}

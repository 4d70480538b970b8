import { z } from "zod";
import type { RunLogEntry } from "../domain/work.ts";
import { LOG_KINDS } from "../domain/work.ts";
import type { Db } from "./db.ts";

const entryRow = z.object({
  seq: z.number(),
  at: z.date(),
  iteration: z.number(),
  kind: z.enum(LOG_KINDS),
  text: z.string(),
});

/** Appends to the log of a run (R-WORK-9); an entry whose number is there already is left as it is. */
export async function appendLog(db: Db, runId: string, entries: readonly RunLogEntry[]): Promise<void> {
  await db.execute(
    `insert into run_log (run_id, seq, at, iteration, kind, text)
     select $1, e.seq, e.at, e.iteration, e.kind, e.text
     from jsonb_to_recordset($2) as e (seq int, at timestamptz, iteration int, kind text, text text)
     on conflict (run_id, seq) do nothing`,
    [runId, JSON.stringify(entries)],
  );
}

/** The entries after the one of that number, in order, at most so many. */
export async function listLog(db: Db, runId: string, after = 0, most = 1_000): Promise<RunLogEntry[]> {
  return await db.query(
    entryRow,
    `select seq, at, iteration, kind, text from run_log where run_id = $1 and seq > $2 order by seq limit $3`,
    [runId, after, most],
  );
}

/** The number of the last entry; 0 where there is none. */
export async function lastLogged(db: Db, runId: string): Promise<number> {
  const row = z.object({ seq: z.number() });
  const sql = `select coalesce(max(seq), 0)::int as seq from run_log where run_id = $1`;
  return (await db.one(row, sql, [runId])).seq;
}

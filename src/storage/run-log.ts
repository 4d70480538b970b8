import { z } from "zod";
import { LOG_KINDS, type RunLogEntry } from "../domain/work.ts";
import type { Db } from "./db.ts";

const logRow = z.object({
  seq: z.number(),
  at: z.date(),
  iteration: z.number(),
  kind: z.enum(LOG_KINDS),
  text: z.string(),
});

/** Appends to the log of a run (R-WORK-9); entries whose number exists are ignored. */
export async function appendLog(db: Db, runId: string, entries: readonly RunLogEntry[]): Promise<void> {
  await db.execute(
    `insert into run_log (run_id, seq, at, iteration, kind, text)
     select $1, e.seq, e.at, e.iteration, e.kind, e.text
     from jsonb_to_recordset($2) as e (seq int, at timestamptz, iteration int, kind text, text text)
     on conflict (run_id, seq) do nothing`,
    [runId, JSON.stringify(entries)],
  );
}

/** The entries after number `after`, in order, at most `most`. */
export async function listLog(db: Db, runId: string, after = 0, most = 1_000): Promise<RunLogEntry[]> {
  return await db.query(
    logRow,
    `select seq, at, iteration, kind, text from run_log where run_id = $1 and seq > $2 order by seq limit $3`,
    [runId, after, most],
  );
}

/** The newest entries before number `before`, or of all, in order, at most `most`. */
export async function listLogBefore(
  db: Db,
  runId: string,
  before: number | null,
  most: number,
): Promise<RunLogEntry[]> {
  const newest = await db.query(
    logRow,
    `select seq, at, iteration, kind, text from run_log
     where run_id = $1 and ($2::int is null or seq < $2) order by seq desc limit $3`,
    [runId, before, most],
  );
  return newest.toReversed();
}

/** The hosts that a run's log reports as refused, each once, at most 50. */
export async function listRefusals(db: Db, runId: string): Promise<string[]> {
  const rows = await db.query(
    z.object({ text: z.string() }),
    `select text, min(seq) as first from run_log
     where run_id = $1 and kind = 'problem' and text like 'not let through to %' group by text order by first limit 50`,
    [runId],
  );
  return rows.map(({ text }) => text);
}

/** The number of the last entry; 0 without any. */
export async function lastLogged(db: Db, runId: string): Promise<number> {
  const row = z.object({ seq: z.number() });
  const sql = `select coalesce(max(seq), 0)::int as seq from run_log where run_id = $1`;
  return (await db.one(row, sql, [runId])).seq;
}

import { expect, test } from "vitest";
import { z } from "zod";
import type { Database } from "../../src/storage/db.ts";
import { addManyIssues } from "../support/many-issues.ts";
import { relay, specArgs, startRelay } from "./cli-harness.ts";
import { newSetUpDesk } from "./configured-desk.ts";
import { PATIENT } from "./serving-fixture.ts";

/** What the database did: rows of tables and entries of indexes that were read, and rows that were written. */
const workRow = z.object({ read: z.coerce.number(), written: z.coerce.number() });
type Work = z.infer<typeof workRow>;

/**
 * As far as it has ended: a connection tells when it ends. Jobs do not count: how often they are looked for follows the time
 * that a step takes.
 */
async function workIn(db: Database): Promise<Work> {
  const others = `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and application_name = 'relay'`;
  await expect.poll(async () => await db.query(z.unknown(), others, []), PATIENT).toEqual([]);
  return await db.one(
    workRow,
    `select (select sum(seq_tup_read) from pg_stat_user_tables where schemaname <> 'pgboss')
              + (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname <> 'pgboss') as read,
            (select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables where schemaname <> 'pgboss') as written`,
    [],
  );
}

/** What each step costs where there are so many other issues. */
async function costsAmong(issues: number): Promise<Record<string, Work>> {
  const desk = await newSetUpDesk();
  const { db } = desk;
  await relay(desk, ["migrate"]);
  await addManyIssues(db, { repositories: 2, issues, messagesPerIssue: 5 });
  // Those are in no tracker that could be asked.
  await db.execute(`update issues set state = 'done', synced_state = 'done' where state = 'in_review'`, []);
  await db.execute(`update issues set synced_labels = '["relay:done"]' where state = 'done'`, []);
  // Work of the last days is looked at by upkeep: here there is none.
  await db.execute(`update tasks set updated_at = updated_at - interval '60 days'`, []);
  // However few rows there are: what has an index is read by it.
  await db.execute(
    `do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$`,
    [],
  );
  const costs: Record<string, Work> = {};
  const measure = async (step: string, work: () => Promise<void>) => {
    await db.execute("select pg_stat_force_next_flush()", []);
    const before = await workIn(db);
    await work();
    const after = await workIn(db);
    costs[step] = { read: after.read - before.read, written: after.written - before.written };
  };
  const command = async (...args: string[]) =>
    await measure(`relay ${args[0]}`, async () => {
      expect(await relay(desk, args)).toMatchObject({ code: 0 });
    });
  await command(...specArgs(desk));
  const issue = "local/quillbill#57";
  for (const name of ["status", "log", "dossier", "pause", "resume"]) await command(name, issue);
  await command("rate", issue, "4");
  await measure("a start of relay serve, with its upkeep", async () => {
    const serving = startRelay(desk, ["serve"], { env: { RELAY_PORT: "0" } });
    const done = `select id from pgboss.job where name = 'relay-upkeep' and state = 'completed'`;
    await expect.poll(async () => (await db.query(z.unknown(), done, [])).length, PATIENT).toBeGreaterThan(0);
    serving.child.kill("SIGTERM");
    await serving.ended;
  });
  await command("forget", issue, "--yes");
  return costs;
}

/**
 * Rows more that a step may read: it looks more often where it takes longer, and upkeep takes up to a page of some lists. A
 * table that is read whole has 950 more.
 */
const SLACK = 700;

test("a delivery, a cycle, each command on one issue, a start and upkeep cost the same among 50 and 1,000 issues (R-SCALE-1)", async () => {
  const few = await costsAmong(50);
  const many = await costsAmong(1_000);
  const more = Object.entries(many).filter(([step, { read, written }]) => {
    const before = few[step] ?? { read: 0, written: 0 };
    return read - before.read > SLACK || written - before.written > SLACK;
  });
  expect(more.map(([step, work]) => ({ step, ...work, few: few[step] }))).toEqual([]);
});

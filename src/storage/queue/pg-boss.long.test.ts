import { expect, test } from "vitest";
import { z } from "zod";
import { describeQueue } from "../../../test/contracts/queue.ts";
import { freshDatabase } from "../../../test/support/database.ts";
import { sleep } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { type Log, silentLog } from "../../lib/log.ts";
import { openQueue } from "./pg-boss.ts";

async function open() {
  const { db, connection } = await freshDatabase();
  const queue = await openQueue(connection, { works: true, log: silentLog });
  return { db, connection, queue };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

describeQueue("on pg-boss", open);

test("a job that fails beyond hope is given up, and its successors run", async () => {
  const { db, queue } = await open();
  const ran: string[] = [];
  await queue.send("event", { key: "a", subject: "poison" });
  // As if it had been tried for long.
  await db.execute("update pgboss.job set retry_count = 100 where name = 'relay-event'", []);
  await queue.send("event", { key: "a", subject: "next" });
  await queue.work("event", 2, async (job) => {
    ran.push(job.subject);
    await Promise.resolve();
    if (job.subject === "poison") throw new TypeError("a fault of the program");
  });
  await until(() => ran.includes("next"));
  expect(ran).toEqual(["poison", "next"]);
  await queue.stop();
});

test("a job that outlives the stop of its queue is told of once, and what it ran into then is no fault", async () => {
  const { connection } = await freshDatabase();
  const lines: { level: string; message: string; fields: object }[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields });
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const queue = await openQueue(connection, { works: true, log, graceMs: 1_000 });
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await queue.send("wake", { key: "a", subject: "slow" });
  await queue.work("wake", 1, async () => {
    begun.resolve();
    await answer.promise;
  });
  await begun.promise;
  await queue.stop();
  answer.reject(new Error("Cannot use a pool after calling end on the pool"));
  await expect.poll(() => lines.at(-1)?.message).toBe("job ended after its queue was stopped");
  expect(lines.filter(({ level }) => level === "warn" || level === "error")).toEqual([
    { level: "warn", message: "jobs had no more time; the next process takes them again", fields: { jobs: 1 } },
  ]);
  // Another process has it at once.
  const next = await openQueue(connection, { works: true, log });
  const again = Promise.withResolvers<string>();
  await next.work("wake", 1, async ({ subject }) => await Promise.resolve(again.resolve(subject)));
  expect(await again.promise).toBe("slow");
  await next.stop();
});

test("passing trouble is waited out, however often", async () => {
  const { db, queue } = await open();
  let tries = 0;
  await queue.send("event", { key: "a", subject: "patient" });
  await db.execute("update pgboss.job set retry_count = 50, retry_delay_max = 1 where name = 'relay-event'", []);
  await queue.work("event", 1, async () => {
    tries += 1;
    await Promise.resolve();
    if (tries === 1) throw new RelayError("unavailable", "the tracker is down");
  });
  await until(() => tries > 1);
  expect(tries).toBe(2);
  await queue.stop();
});

test("a job that was left behind often, by processes that died, has not failed so often", async () => {
  const { db, queue } = await open();
  let tries = 0;
  await queue.send("event", { key: "a", subject: "unlucky" });
  await db.execute("update pgboss.job set retry_count = 20 where name = 'relay-event'", []);
  await queue.work("event", 1, async () => {
    tries += 1;
    await Promise.resolve();
    if (tries === 1) throw new RelayError("unavailable", "the tracker is down");
  });
  await expect.poll(() => tries).toBe(2);
  await queue.stop();
});

test("a job of a process that died is given out again soon, however often that happened", async () => {
  const { db, queue } = await open();
  await queue.send("event", { key: "a", subject: "left" });
  await db.execute(
    `update pgboss.job set retry_count = 20, state = 'active', started_on = now(), heartbeat_on = now() - interval '1 min'
     where name = 'relay-event'`,
    [],
  );
  const given = "select 1 from pgboss.job where state = 'retry' and start_after < now() + interval '35 s'";
  await expect.poll(async () => await db.execute(given, [])).toBe(1);
  await queue.stop();
});

test("a wake-up is moved without reading all that wait, also after statistics of an empty table", async () => {
  const { db, queue } = await open();
  await db.execute("analyze pgboss.job", []);
  const keys = Array.from({ length: 500 }, (_, n) => String(n));
  await queue.sendAll(
    "wake",
    keys.map((key) => ({ key, subject: key, delayMs: 3_600_000 })),
  );
  const rows = await db.transaction(async (tx) => {
    await queue.debounce("wake", { key: "77", subject: "77" }, 1_000, tx);
    const read = `select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_all_tables where schemaname = 'pgboss'
      and relname like 'job%'`;
    return (await tx.one(z.object({ rows: z.number() }), read, [])).rows;
  });
  expect(rows).toBeLessThan(10);
  await queue.stop();
});

test("upkeep that many processes ask for runs once", async () => {
  const { connection, queue } = await open();
  const other = await openQueue(connection, { works: true, log: silentLog });
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let runs = 0;
  const upkeep = async () => {
    runs += 1;
    begun.resolve();
    await held.promise;
  };
  for (const each of [queue, other]) {
    await each.work("upkeep", 1, upkeep);
    await each.repeat("upkeep", { key: "upkeep", subject: "hourly" }, "17 * * * *");
    await each.send("upkeep", { key: "upkeep", subject: "start" });
  }
  await begun.promise;
  await other.send("upkeep", { key: "upkeep", subject: "start" });
  held.resolve();
  await Promise.all([queue.stop(), other.stop()]);
  expect(runs).toBe(1);
});

import { expect, test } from "vitest";
import { freshDatabase } from "../../../test/support/database.ts";
import { sleep } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import { openQueue } from "./pg-boss.ts";

async function openBoth() {
  const { db, connection } = await freshDatabase();
  const queue = await openQueue(connection, { works: true, log: silentLog });
  return { db, connection, queue };
}

const inAnHour = () => new Date(Date.now() + 3_600_000);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

test("jobs of one key run in order and never at once; other keys go on meanwhile", async () => {
  const { queue } = await openBoth();
  const ran: string[] = [];
  const running = new Set<string>();
  for (let n = 0; n < 12; n += 1) await queue.send("event", { key: `issue-${n % 3}`, subject: String(n) });
  await queue.work("event", 4, async (job) => {
    expect(running.has(job.key)).toBe(false);
    running.add(job.key);
    await sleep(5);
    running.delete(job.key);
    ran.push(job.subject);
  });
  await until(() => ran.length === 12);
  for (const key of [0, 1, 2]) {
    const own = ran.map(Number).filter((n) => n % 3 === key);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
  }
  await queue.stop();
});

test("a long job holds up its own key only", async () => {
  const { queue } = await openBoth();
  const long = Promise.withResolvers<void>();
  const ran: string[] = [];
  await queue.work("event", 2, async (job) => {
    if (job.key === "long") await long.promise;
    ran.push(job.subject);
  });
  await queue.send("event", { key: "long", subject: "long" });
  for (let n = 0; n < 3; n += 1) await queue.send("event", { key: "short", subject: `short ${n}` });
  await until(() => ran.length === 3);
  expect(ran).toEqual(["short 0", "short 1", "short 2"]);
  long.resolve();
  await until(() => ran.includes("long"));
  await queue.stop();
});

test("a job that fails runs again before its successors", async () => {
  const { queue } = await openBoth();
  const ran: string[] = [];
  await queue.send("event", { key: "a", subject: "first" });
  await queue.send("event", { key: "a", subject: "second" });
  await queue.work("event", 2, async (job) => {
    ran.push(job.subject);
    await Promise.resolve();
    if (ran.length === 1) throw new Error("not yet");
  });
  await until(() => ran.length === 3);
  expect(ran).toEqual(["first", "first", "second"]);
  await queue.stop();
});

test("a job that fails beyond hope is given up, and its successors run", async () => {
  const { db, queue } = await openBoth();
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

test("passing trouble is waited out, however often", async () => {
  const { db, queue } = await openBoth();
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
  const { db, queue } = await openBoth();
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
  const { db, queue } = await openBoth();
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

test("the wake-up of an issue is one job that later calls move", async () => {
  const { db, queue } = await openBoth();
  const ran: string[] = [];
  await queue.work("wake", 2, async (job) => {
    ran.push(job.subject);
    await Promise.resolve();
  });
  for (let n = 0; n < 4; n += 1) await queue.debounce("wake", { key: "a", subject: `call ${n}` }, inAnHour());
  await queue.debounce("wake", { key: "a", subject: "call 4" }, new Date());
  await until(() => ran.length > 0);
  const left = "select 1 from pgboss.job where name = 'relay-wake' and state not in ('active', 'completed')";
  expect(await db.execute(left, [])).toBe(0);
  expect(ran).toEqual(["call 4"]);
  await queue.stop();
});

test("a job sent within a transaction that fails does not exist", async () => {
  const { db, queue } = await openBoth();
  const failing = db.transaction(async (tx) => {
    await queue.send("event", { key: "a", subject: "lost" }, tx);
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  await db.transaction(async (tx) => {
    await queue.send("event", { key: "a", subject: "kept" }, tx);
  });
  const ran: string[] = [];
  await queue.work("event", 1, async (job) => {
    ran.push(job.subject);
    await Promise.resolve();
  });
  await until(() => ran.length > 0);
  expect(ran).toEqual(["kept"]);
  await queue.stop();
});

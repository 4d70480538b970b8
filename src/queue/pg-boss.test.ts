import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../../test/database.ts";
import { sleep } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import { silentLog } from "../lib/log.ts";
import { openQueue } from "./pg-boss.ts";

const QUEUES = { event: "in_order", wake: "alarm" } as const;
const ids = snowflakes();

async function openBoth() {
  const { db, connection } = await freshDatabase();
  const open = async (works: boolean) => {
    const queue = await openQueue(QUEUES, connection, { works, log: silentLog, ids });
    onTestFinished(async () => await queue.stop());
    return queue;
  };
  return { db, connection, open, queue: await open(true) };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

test("jobs of one key run in order and never at once; other keys go on meanwhile", async () => {
  const { queue, open } = await openBoth();
  const sender = await open(false);
  const ran: string[] = [];
  const running = new Set<string>();
  for (let n = 0; n < 60; n += 1) await sender.send("event", { key: `issue-${n % 3}`, subject: String(n) });
  await queue.work("event", 4, async (job) => {
    expect(running.has(job.key)).toBe(false);
    running.add(job.key);
    await sleep(5);
    running.delete(job.key);
    ran.push(job.subject);
  });
  await until(() => ran.length === 60);
  for (const key of [0, 1, 2]) {
    const own = ran.map(Number).filter((n) => n % 3 === key);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
  }
});

test("jobs that one transaction sends keep their order", async () => {
  const { db, queue } = await openBoth();
  const subjects = Array.from({ length: 20 }, (_, n) => String(n));
  await db.transaction(async (tx) => {
    for (const subject of subjects) await queue.send("event", { key: "a", subject }, { within: tx });
  });
  const ran: string[] = [];
  await queue.work("event", 3, async (job) => void (await Promise.resolve(ran.push(job.subject))));
  await until(() => ran.length === subjects.length);
  expect(ran).toEqual(subjects);
});

test("a job that takes long holds up its own key only", async () => {
  const { queue } = await openBoth();
  const done = Promise.withResolvers<void>();
  const ran: string[] = [];
  await queue.send("event", { key: "long", subject: "long" });
  for (let n = 0; n < 10; n += 1) await queue.send("event", { key: `short-${n}`, subject: "short" });
  await queue.work("event", 2, async (job) => {
    if (job.key === "long") await done.promise;
    ran.push(job.subject);
  });
  await until(() => ran.length === 10);
  done.resolve();
  await until(() => ran.length === 11);
  expect(ran.at(-1)).toBe("long");
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
});

test("a job that failed for good is listed, holds its key back, and runs when it is retried", async () => {
  const { db, queue } = await openBoth();
  const ran: string[] = [];
  let works = false;
  await queue.send("event", { key: "a", subject: "first" });
  await db.execute("update relay_jobs.job set retry_limit = 0", []);
  await queue.send("event", { key: "a", subject: "second" });
  await queue.work("event", 2, async (job) => {
    await Promise.resolve();
    if (!works) throw new Error("the tracker is gone");
    ran.push(job.subject);
  });
  await until(async () => (await queue.failed("event")).length > 0);
  const [failed] = await queue.failed("event");
  expect(failed).toMatchObject({ key: "a", subject: "first", attempts: 1, reason: "the tracker is gone" });
  works = true;
  expect(await queue.retry("event", failed?.id ?? "")).toBe(true);
  await until(() => ran.length === 2);
  expect(ran).toEqual(["first", "second"]);
  expect(await queue.retry("event", failed?.id ?? "")).toBe(false);
  expect(await queue.failed("event")).toEqual([]);
});

test("cancelling a key takes away what waits and what failed, and nothing of other keys", async () => {
  const { db, queue } = await openBoth();
  const ran: string[] = [];
  await queue.send("event", { key: "a", subject: "fails" });
  await db.execute("update relay_jobs.job set retry_limit = 0", []);
  await queue.work("event", 1, async (job) => {
    await Promise.resolve();
    if (job.subject === "fails") throw new Error("no");
    ran.push(job.subject);
  });
  await until(async () => (await queue.failed("event")).length > 0);
  await queue.send("event", { key: "a", subject: "behind it" });
  await queue.send("event", { key: "b", subject: "other" }, { startAfter: new Date(Date.now() + 500) });
  await queue.debounce("wake", { key: "a", subject: "later" }, new Date(Date.now() + 60_000));
  expect(await queue.cancel("event", "a")).toBe(2);
  expect(await queue.cancel("wake", "a")).toBe(1);
  expect(await queue.cancel("wake", "a")).toBe(0);
  await queue.send("event", { key: "a", subject: "after" });
  await until(() => ran.length === 2);
  expect(ran).toEqual(["after", "other"]);
});

test("the wake-up of a key is one job that later calls move", async () => {
  const { queue } = await openBoth();
  const ran: { subject: string; at: number }[] = [];
  await queue.work(
    "wake",
    2,
    async (job) => void (await Promise.resolve(ran.push({ subject: job.subject, at: Date.now() }))),
  );
  for (let n = 0; n < 4; n += 1) {
    await queue.debounce("wake", { key: "a", subject: `call ${n}` }, new Date(Date.now() + 100));
    await queue.debounce("wake", { key: "a", subject: `call ${n}` }, new Date(Date.now() + 60_000));
  }
  const due = Date.now() + 1_500;
  await Promise.all(
    [4, 5, 6].map(async () => await queue.debounce("wake", { key: "a", subject: "last" }, new Date(due))),
  );
  await queue.debounce("wake", { key: "b", subject: "other" }, new Date());
  await until(() => ran.length === 2);
  expect(ran.map((run) => run.subject)).toEqual(["other", "last"]);
  expect(ran[1]?.at).toBeGreaterThanOrEqual(due);
  expect(await queue.cancel("wake", "a")).toBe(0);
});

test("a job or a wake-up of a transaction that fails does not exist", async () => {
  const { db, queue } = await openBoth();
  const failing = db.transaction(async (tx) => {
    await queue.send("event", { key: "a", subject: "lost" }, { within: tx });
    await queue.debounce("wake", { key: "a", subject: "lost" }, new Date(), { within: tx });
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  await db.transaction(async (tx) => {
    await queue.send("event", { key: "a", subject: "kept" }, { within: tx });
  });
  const ran: string[] = [];
  await queue.work("event", 1, async (job) => void (await Promise.resolve(ran.push(job.subject))));
  await until(() => ran.length > 0);
  expect(ran).toEqual(["kept"]);
  expect(await queue.cancel("wake", "a")).toBe(0);
});

test("many processes may open the queues of a fresh database at once", async () => {
  const { connection } = await freshDatabase();
  const open = async () => await openQueue(QUEUES, connection, { works: false, log: silentLog, ids });
  const queues = await Promise.all([open(), open(), open(), open()]);
  await Promise.all(queues.map(async (queue, n) => await queue.send("event", { key: "a", subject: String(n) })));
  expect(await queues[0]?.cancel("event", "a")).toBe(4);
  await Promise.all(queues.map(async (queue) => await queue.stop()));
});

test("stopping waits for the jobs that run", async () => {
  const { queue } = await openBoth();
  const steps: string[] = [];
  const begun = Promise.withResolvers<void>();
  await queue.send("event", { key: "a", subject: "first" });
  await queue.work("event", 2, async () => {
    begun.resolve();
    await sleep(300);
    steps.push("job done");
  });
  await begun.promise;
  await queue.stop();
  steps.push("stopped");
  expect(steps).toEqual(["job done", "stopped"]);
});

test("the job of a worker that was killed is taken up again, before its successors", { timeout: 90_000 }, async () => {
  const { queue, connection } = await openBoth();
  await queue.send("event", { key: "a", subject: "first" });
  await queue.send("event", { key: "a", subject: "second" });
  const program = join(import.meta.dirname, "../../test/children/queue-worker.ts");
  const worker = spawn(process.execPath, [program, JSON.stringify(connection)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = await once(worker.stdout, "data");
  expect(String(output)).toBe("took first\n");
  worker.kill("SIGKILL");
  await once(worker, "close");
  const ran: string[] = [];
  await queue.work("event", 2, async (job) => void (await Promise.resolve(ran.push(job.subject))));
  await until(() => ran.length === 2);
  expect(ran).toEqual(["first", "second"]);
});

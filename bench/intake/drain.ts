import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";
import { sleep } from "../../src/lib/clock.ts";
import type { Queue } from "../../src/storage/queue/queue.ts";
import type { Connecting, Database } from "../../src/storage/db.ts";
import { median } from "../figures.ts";
import { takeIn } from "./acks.ts";

const WORKER = join(import.meta.dirname, "worker.ts");
const DELIVERIES = 1_500;
const ISSUES = 200;
const LOOKS = 15;

export interface Drained {
  processes: number;
  perSecond: number;
}

const left = z.object({ count: z.number() });
const LEFT = "select count(*)::int as count from deliveries where processed_at is null and dead_lettered_at is null";

/** How fast other processes work off what waits. */
export async function measureDrain(db: Database, to: Connecting, queue: Queue): Promise<Drained[]> {
  const take = takeIn(db, queue);
  const results: Drained[] = [];
  for (const processes of [1, 2, 4]) {
    await clear(db);
    const workers = await startWorkers(processes, to);
    await Promise.all(Array.from({ length: DELIVERIES }, async (_, n) => await take(`new-${n % ISSUES}`)));
    const start = performance.now();
    for (const worker of workers) worker.stdin.write("go\n");
    while ((await db.one(left, LEFT, [])).count > 0) await sleep(20);
    results.push({ processes, perSecond: (1000 * DELIVERIES) / (performance.now() - start) });
    await stopWorkers(workers);
  }
  return results;
}

/** Milliseconds from the acknowledgement of a delivery until its processing is over, with one idle worker. */
export async function measurePickUp(db: Database, to: Connecting, queue: Queue): Promise<number> {
  const take = takeIn(db, queue);
  await clear(db);
  const workers = await startWorkers(1, to);
  for (const worker of workers) worker.stdin.write("go\n");
  const times: number[] = [];
  for (let n = 0; n < LOOKS; n += 1) {
    await take(`look-${n}`);
    const start = performance.now();
    while ((await db.one(left, LEFT, [])).count > 0) await sleep(1);
    times.push(performance.now() - start);
  }
  await stopWorkers(workers);
  return median(times);
}

/** Milliseconds from the acknowledgement of a delivery until the reaction to its message, with one idle worker. */
export async function measureReaction(db: Database, to: Connecting, queue: Queue): Promise<number> {
  const take = takeIn(db, queue);
  await clear(db);
  const workers = await startWorkers(1, to);
  for (const worker of workers) worker.stdin.write("go\n");
  const times: number[] = [];
  for (let n = 1; n <= LOOKS; n += 1) {
    const reacted = Promise.race(workers.map(async ({ stdout }) => await once(stdout, "data")));
    await take(`tracked-${n}`);
    const start = performance.now();
    await reacted;
    times.push(performance.now() - start);
  }
  await stopWorkers(workers);
  return median(times);
}

/** Nothing waits from what was measured before. */
async function clear(db: Database): Promise<void> {
  await db.execute("update deliveries set processed_at = now() where processed_at is null", []);
  await db.execute("delete from pgboss.job where name in ('relay-event', 'relay-acknowledge')", []);
  await db.execute("vacuum analyze deliveries", []);
  await db.execute("vacuum analyze pgboss.job", []);
}

async function startWorkers(count: number, to: Connecting): Promise<ChildProcessWithoutNullStreams[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const worker = spawn(process.execPath, ["--no-warnings", WORKER, JSON.stringify(to)]);
      worker.stderr.pipe(process.stderr);
      await once(worker.stdout, "data");
      return worker;
    }),
  );
}

async function stopWorkers(workers: ChildProcessWithoutNullStreams[]): Promise<void> {
  const ended = workers.map(async (worker) => await once(worker, "exit"));
  for (const worker of workers) worker.stdin.end();
  await Promise.all(ended);
}

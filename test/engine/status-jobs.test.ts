import { expect, test } from "vitest";
import { jobsOn } from "../../src/engine/send-jobs.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openMemoryQueue } from "../../src/storage/queue/memory.ts";
import { freshDatabase } from "../support/database.ts";

const ISSUE = { id: "1", provider: "github", resumesAs: null } as const;
const AN_HOUR = 3_600_000;

test("where an issue stands is told soon, although what Relay did before was to be told later (R-LIFE-9)", async () => {
  const { db, connection } = await freshDatabase();
  const queue = await openMemoryQueue(connection, { log: silentLog });
  const jobs = jobsOn(async () => await Promise.resolve(queue), { shownAfterMs: { settled: 1, working: AN_HOUR } });
  const told: string[] = [];
  await queue.work("status", 1, async ({ subject }) => void told.push(await Promise.resolve(subject)));
  await db.transaction(async (tx) => await jobs.sendStatus({ ...ISSUE, state: "specifying" }, tx));
  await db.transaction(async (tx) => await jobs.sendStatus({ ...ISSUE, state: "waiting_confirmation" }, tx));
  await expect.poll(() => told).toEqual(["1"]);
  expect(await queue.listKeys("status")).toEqual([]);
  await queue.stop();
});

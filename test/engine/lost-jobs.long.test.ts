import { expect, onTestFinished, test } from "vitest";
import { jobsOn, sendAccessGiven, sendPushed } from "../../src/engine/send-jobs.ts";
import { releaseOrphanedJobs, lockOf, takeJobs } from "../../src/engine/take-jobs.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openQueue } from "../../src/storage/queue/pg-boss.ts";
import type { TakenJob } from "../../src/storage/queue/queue.ts";
import { connectAgain, freshDatabase } from "../support/database.ts";
import { trackedIssue, trackedRepository } from "../support/tracked-issue.ts";

const IDLE = {
  acknowledge: async () => await Promise.resolve(),
  processDeliveries: async () => await Promise.resolve([]),
  wake: async () => await Promise.resolve({ failures: [], error: null, again: null }),
  recover: async () => await Promise.resolve(),
  updateStatus: async () => await Promise.resolve(),
  postProxiedComment: async () => await Promise.resolve(),
};
const SOON = { timeout: 60_000 };

test("a job whose process died is given to another one at once, one that is worked on is not", SOON, async () => {
  const { db, connection } = await freshDatabase();
  const { id: wakeOf } = await trackedIssue(db, (await trackedRepository(db)).id, "3");
  const first = await openQueue(connection, { works: true, log: silentLog });
  const second = await openQueue(connection, { works: true, log: silentLog });
  const over = Promise.withResolvers<void>();
  onTestFinished(async () => {
    over.resolve();
    await Promise.all([first.stop(), second.stop()]);
  });

  // The process of the first has the lock of one issue; of the others, what is gone with a process is gone.
  const other = connectAgain(connection);
  const begun: string[] = [];
  const hang = async ({ key, subject }: { key: string; subject: string }) => {
    const work = async () => {
      begun.push(subject);
      await over.promise;
    };
    await (key === "local/shop#1" ? other.withLock(lockOf(key), work) : work());
  };
  // One worker, and the one that is kept for such jobs.
  await first.work("event", 1, hang);
  await first.work("wake", 1, hang);
  await first.send("event", { key: "local/shop#1", subject: "a" });
  await first.send("event", { key: "local/shop#2", subject: "b" });
  await first.send("event", { key: "local/shop#2", subject: "behind" });
  await first.send("wake", { key: wakeOf, subject: wakeOf });
  await expect.poll(() => begun.toSorted(), SOON).toEqual([wakeOf, "a", "b"]);

  const taken: string[] = [];
  const takeIn = async ({ subject }: { subject: string }) => void (await Promise.resolve(taken.push(subject)));
  await second.work("event", 2, takeIn);
  await second.work("wake", 1, takeIn);
  const atOnce = {
    ...second,
    listTaken: async (name: Parameters<typeof second.listTaken>[0]): Promise<TakenJob[]> =>
      await second.listTaken(name, 0),
  };
  await releaseOrphanedJobs(atOnce, db);
  // The engine by itself would miss the process after 10 s, and give them to nobody before.
  const again = () => [...begun.slice(3), ...taken].toSorted();
  await expect.poll(again, { timeout: 9_000 }).toEqual([wakeOf, "b", "behind"]);
  const left = async () => (await second.listTaken("event", 0)).map(({ key, subject }) => `${key} ${subject}`);
  await expect.poll(left, { timeout: 9_000 }).toEqual(["local/shop#1 a"]);
});

test("processes that start again and again pile up no jobs for what waits already", SOON, async () => {
  const { connection } = await freshDatabase();
  const queue = await openQueue(connection, { works: false, log: silentLog });
  onTestFinished(async () => await queue.stop());
  const jobs = jobsOn(async () => await Promise.resolve(queue));
  const [known, lost] = ["local/shop#1", "local/shop#2"].map((issue) => ({ issue, priority: "normal" as const }));
  if (!known || !lost) throw new Error("no issues");
  await jobs.sendEvents([known, known]);
  await jobs.sendMissingEvents([known, lost]);
  await jobs.sendMissingEvents([known, lost]);
  expect(await queue.listWaiting("event", known.issue)).toHaveLength(2);
  expect(await queue.listWaiting("event", lost.issue)).toHaveLength(1);
});

test("a job that finds all done takes those behind it along", SOON, async () => {
  const { connection } = await freshDatabase();
  const queue = await openQueue(connection, { works: true, log: silentLog });
  onTestFinished(async () => await queue.stop());
  const jobs = jobsOn(async () => await Promise.resolve(queue));
  await jobs.sendEvents(Array.from({ length: 20 }, () => ({ issue: "local/shop#1", priority: "normal" as const })));
  let looks = 0;
  const orchestrator = {
    ...IDLE,
    processDeliveries: async () => {
      looks += 1;
      return await Promise.resolve([]);
    },
  };
  await takeJobs(queue, orchestrator, 1, async () => await Promise.resolve());
  await expect.poll(async () => await queue.listKeys("event"), SOON).toEqual([]);
  expect(looks).toBe(2);
});

test("each push is one job, however often it is told of; upkeep learns what it is about", SOON, async () => {
  const { connection } = await freshDatabase();
  const queue = await openQueue(connection, { works: true, log: silentLog });
  onTestFinished(async () => await queue.stop());
  const push = { externalProjectId: "acme/Shop", stableProjectId: "7", commit: "c1", files: ["a b.ts"] };
  await sendPushed(queue, "github", push);
  await sendPushed(queue, "github", push);
  await sendPushed(queue, "github", { ...push, commit: "c2", files: null });
  await sendAccessGiven(queue, "github", "acme");
  const seen: unknown[] = [];
  await takeJobs(queue, IDLE, 1, async (about) => void (await Promise.resolve(seen.push(about))));
  await expect.poll(async () => await queue.listKeys("upkeep"), SOON).toEqual([]);
  expect(seen).toHaveLength(4);
  expect(seen).toEqual(
    expect.arrayContaining([
      { provider: "github", push },
      { provider: "github", push: { ...push, commit: "c2", files: null } },
      { account: "github/acme" },
      { all: "start" },
    ]),
  );
});

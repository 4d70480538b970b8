import { expect, onTestFinished, test, vi } from "vitest";
import { describeQueue } from "../../../test/contracts/queue.ts";
import { freshDatabase } from "../../../test/support/database.ts";
import { sleep } from "../../lib/clock.ts";
import { silentLog } from "../../lib/log.ts";
import { openMemoryQueue } from "./memory.ts";

async function open() {
  const { db, connection } = await freshDatabase();
  return { db, queue: await openMemoryQueue(connection, { log: silentLog, firstBackoffMs: 1 }) };
}

describeQueue("in memory", open);

test("it is drained when what was sent, and what that sent, is done", async () => {
  const { db, queue } = await open();
  const ran: string[] = [];
  await queue.work("event", 1, async ({ key, subject }) => {
    ran.push(subject);
    if (ran.length < 3) await db.transaction(async (tx) => await queue.send("event", { key, subject: "next" }, tx));
  });
  await db.transaction(async (tx) => await queue.send("event", { key: "a", subject: "first" }, tx));
  await queue.drain();
  expect(ran).toEqual(["first", "next", "next"]);
  await queue.stop();
});

test("a job that becomes due while the queue looks for work is not left for the next look", async () => {
  const { queue } = await open();
  const ran: string[] = [];
  await queue.work("wake", 1, async ({ key }) => void ran.push(await Promise.resolve(key)));
  const now = Date.now();
  let reads = 0;
  // Each reading of the clock is a millisecond later than the one before.
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now + (reads += 1));
  onTestFinished(() => clock.mockRestore());
  for (let n = 0; n < 8; n += 1) {
    await queue.debounce("wake", { key: `issue-${n}`, subject: "" }, new Date(now + reads + n));
    for (let tries = 0; tries < 500 && ran.length <= n; tries += 1) await sleep(5);
    expect(ran).toHaveLength(n + 1);
  }
  await queue.stop();
});

test("a job that goes first is taken before other direct ones, and so are those that it sends", async () => {
  const { queue } = await open();
  const ran: string[] = [];
  const send = async (key: string, first: boolean) =>
    await queue.send("event", { key, subject: key, priority: "direct", first });
  await queue.send("wake", { key: "chatter", subject: "", priority: "direct" });
  await send("chatter", false);
  await send("halts", true);
  await queue.work("event", 1, async ({ key }) => {
    ran.push(key);
    if (key === "halts") await queue.debounce("wake", { key, subject: "", priority: "direct" }, 0);
  });
  await expect.poll(() => ran).toHaveLength(2);
  await queue.work("wake", 1, async ({ key }) => void ran.push(await Promise.resolve(`wake ${key}`)));
  await queue.drain();
  expect(ran).toEqual(["halts", "chatter", "wake halts", "wake chatter"]);
  await queue.stop();
});

import { expect, test } from "vitest";
import { freshDatabase } from "../../../test/support/database.ts";
import { RelayError } from "../../lib/errors.ts";
import { silentLog } from "../../lib/log.ts";
import { openQueue } from "./pg-boss.ts";

const PATIENCE = { timeout: 60_000 };
const SLOW = { timeout: 120_000 };

async function open() {
  const { db, connection } = await freshDatabase();
  const queue = await openQueue(connection, { works: true, log: silentLog });
  return { db, connection, queue };
}

test("a job that is told when to come back keeps its place and leaves its worker to others", SLOW, async () => {
  const { queue } = await open();
  const ran: string[] = [];
  await queue.sendAll("event", [{ key: "a", subject: "a1" }]);
  await queue.sendAll("event", [{ key: "a", subject: "a2" }]);
  await queue.work("event", 1, async ({ key, subject }) => {
    ran.push(subject);
    if (subject === "a1" && ran.length === 1) {
      await queue.send("event", { key: "b", subject: "b1" });
      throw new RelayError("rate_limited", "too many requests", { retryAfterMs: 3_000 });
    }
    await Promise.resolve(key);
  });
  await expect.poll(() => ran.length, PATIENCE).toBe(4);
  expect(ran).toEqual(["a1", "b1", "a1", "a2"]);
  await queue.stop();
});

test("what a person waits for goes first, and the background goes on while that never ends", SLOW, async () => {
  const { queue } = await open();
  const held = Promise.withResolvers<void>();
  const ran: string[] = [];
  for (const priority of ["background", "normal", "direct"] as const) {
    for (const n of [1, 2]) await queue.send("wake", { key: `${priority} ${n}`, subject: priority, priority });
  }
  await queue.work("wake", 1, async ({ subject }) => {
    ran.push(subject);
    if (subject === "direct") await held.promise;
  });
  // The one worker for everything is held by the first direct call; those for the rest are not.
  await expect.poll(() => ran.toSorted(), PATIENCE).toEqual(["background", "background", "direct", "normal", "normal"]);
  held.resolve();
  await expect.poll(() => ran.filter((one) => one === "direct").length, PATIENCE).toBe(2);
  await queue.stop();
});

test("upkeep that many processes ask for runs once", SLOW, async () => {
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

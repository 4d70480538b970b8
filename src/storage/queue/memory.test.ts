import { expect, test } from "vitest";
import { describeQueue } from "../../../test/contracts/queue.ts";
import { freshDatabase } from "../../../test/support/database.ts";
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

import { Client } from "pg";
import { expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../../test/support/database.ts";
import { silentLog } from "../../lib/log.ts";
import { openQueue } from "./pg-boss.ts";
import type { JobOfQueue, SqlExecutor } from "./queue.ts";

const PAIR: JobOfQueue[] = [
  { queue: "event", key: "a direct", subject: "a", priority: "direct", trace: "00-1-2-01" },
  { queue: "acknowledge", key: "local 1", subject: "local 1", priority: "direct" },
  { queue: "wake", key: "7", subject: "7", priority: "background" },
];

async function open() {
  const { db, connection } = await freshDatabase();
  const queue = await openQueue(connection, { works: false, log: silentLog });
  return { db, connection, queue, close: async () => await queue.stop() };
}

test("jobs of several queues that are sent together are stored as pg-boss stores them", async () => {
  const { db, queue, close } = await open();
  const stored = async (send: (tx: SqlExecutor) => Promise<void>) => {
    await db.transaction(send);
    // What differs is its own id and the time of its transaction.
    const { rows } = await db.executeSql(
      `select to_jsonb(job) - '{id,created_on,start_after,keep_until}'::text[] as job, start_after = created_on as due,
         keep_until - created_on as kept from pgboss.job order by name`,
    );
    await db.execute("delete from pgboss.job", []);
    return rows;
  };
  const one = await stored(async (tx) => {
    for (const { queue: name, ...job } of PAIR) await queue.send(name, job, tx);
  });
  expect(one).toHaveLength(3);
  expect(await stored(async (tx) => await queue.sendTogether(PAIR, tx))).toEqual(one);
  await close();
});

test("jobs that are sent together wake the workers that pg-boss would wake, once for each queue", async () => {
  const { db, connection, queue, close } = await open();
  let channel = "";
  await queue.send(
    "event",
    { key: "x", subject: "x" },
    {
      executeSql: async (sql) => {
        const expression = /pg_notify\((.+), 'relay-event'\)/.exec(sql)?.[1];
        channel = await db
          .one(z.object({ name: z.string() }), `select ${expression} as name`, [])
          .then((row) => row.name);
        return { rows: [] };
      },
    },
  );
  const listener = new Client({ ...connection, ...("host" in connection ? { ssl: false } : {}) });
  await listener.connect();
  await listener.query(`listen ${channel}`);
  const told: string[] = [];
  listener.on("notification", ({ payload = "" }) => told.push(payload));
  await queue.sendTogether([...PAIR, { queue: "event", key: "b", subject: "b" }]);
  // The one that waits is not sent again, and nobody is told of it.
  await queue.sendTogether([{ queue: "wake", key: "7", subject: "7" }]);
  await listener.query("select 1");
  expect(told.toSorted()).toEqual(["relay-acknowledge", "relay-event", "relay-wake"]);
  await listener.end();
  await close();
});

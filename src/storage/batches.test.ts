import { expect, test } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";

async function withNotes() {
  const fresh = await freshDatabase();
  await fresh.db.execute("create table notes (n int unique deferrable initially deferred)", []);
  const add = (n: number) => ({ sql: "insert into notes values ($1) returning n", parameters: [String(n)] });
  const stored = async () => (await fresh.db.executeSql("select n from notes order by n")).rows;
  return { ...fresh, add, stored };
}

test("a batch answers with the rows of each of its statements, in one transaction", async () => {
  const { db, add, stored } = await withNotes();
  const nothing = { sql: "update notes set n = n where false", parameters: [] };
  const values = {
    sql: "select $1::timestamptz as at, $2::jsonb as data, $3::text as none, txid_current_if_assigned() is not null as begun",
    parameters: [new Date("2026-01-02T03:04:05Z"), ["a"], null],
  };
  expect(await db.batch([add(1), nothing, add(2), values])).toEqual([
    { rows: [{ n: 1 }] },
    { rows: [] },
    { rows: [{ n: 2 }] },
    { rows: [{ at: new Date("2026-01-02T03:04:05Z"), data: ["a"], none: null, begun: true }] },
  ]);
  expect(await db.batch([add(3)])).toEqual([{ rows: [{ n: 3 }] }]);
  expect(await stored()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test("a batch that fails, at a statement or at its end, leaves nothing, and is told why", async () => {
  const { db, add, stored } = await withNotes();
  const fails = { sql: "select 1 / $1::int", parameters: ["0"] };
  // Neither statement was prepared before: the failure leaves the first prepared and the last not.
  await expect(db.batch([add(1), fails, { sql: "select 'behind'", parameters: [] }])).rejects.toThrow(
    /division by zero/,
  );
  await expect(db.batch([add(1), add(1)])).rejects.toMatchObject({ code: "conflict" });
  expect(await stored()).toEqual([]);
  expect(await db.batch([add(1), { sql: "select 'behind' as word", parameters: [] }])).toEqual([
    { rows: [{ n: 1 }] },
    { rows: [{ word: "behind" }] },
  ]);
});

test("batches that run at the same time do not fail one another", async () => {
  const { db, add, stored } = await withNotes();
  const nonsense = { sql: "select nonsense", parameters: [] };
  const outcomes = await Promise.allSettled([
    db.batch([nonsense, add(1)]),
    db.batch([add(2)]),
    db.batch([add(3), nonsense]),
    db.batch([add(4)]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
  expect(await stored()).toEqual([{ n: 2 }, { n: 4 }]);
});

test("a batch does not wait for another one that waits for a lock", async () => {
  const { db, add, stored } = await withNotes();
  const { promise: held, resolve: take } = Promise.withResolvers<undefined>();
  const { promise: done, resolve: release } = Promise.withResolvers<undefined>();
  const holding = db.transaction(async (tx) => {
    await tx.execute("select pg_advisory_xact_lock(7)", []);
    take(undefined);
    await done;
  });
  await held;
  const waiting = db.batch([{ sql: "select pg_advisory_xact_lock(7)", parameters: [] }, add(1)]);
  await db.batch([add(2)]);
  expect(await stored()).toEqual([{ n: 2 }]);
  release(undefined);
  await Promise.all([holding, waiting]);
  expect(await stored()).toEqual([{ n: 1 }, { n: 2 }]);
});

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../test/database.ts";
import type { Db } from "./db.ts";
import { openDatabase } from "./db.ts";

const number = z.object({ n: z.number() });

const add = async (to: Db, n: number) => await to.execute("insert into numbers values ($1)", [n]);
const touch = async (to: Db, n: number) => await to.execute("update numbers set n = n where n = $1", [n]);

const failIn = async (tx: Db, n: number) =>
  await tx
    .transaction(async (inner) => {
      await add(inner, n);
      await add(inner, n);
    })
    .catch(() => {});

async function open() {
  const { db, connection } = await freshDatabase();
  await db.execute("create table numbers (n int primary key)", []);
  const all = async () => (await db.query(number, "select n from numbers order by n", [])).map((row) => row.n);
  return { db, connection, all };
}

describe("transactions", () => {
  test("all of it or nothing, and the caller gets its own error", async () => {
    const { db, all } = await open();
    const failing = db.transaction(async (tx) => {
      await add(tx, 1);
      throw new TypeError("mine");
    });
    await expect(failing).rejects.toThrow(new TypeError("mine"));
    expect(await all()).toEqual([]);
    expect(await db.transaction(async (tx) => await add(tx, 2))).toBe(1);
    expect(await all()).toEqual([2]);
  });

  test("a nested one that fails takes back its own part only, at any depth, one after another", async () => {
    const { db, all } = await open();
    await db.transaction(async (tx) => {
      await add(tx, 1);
      await failIn(tx, 2);
      await tx.transaction(async (inner) => {
        await add(inner, 3);
        await failIn(inner, 4);
        await inner.transaction(async (innermost) => void (await add(innermost, 5)));
      });
      await failIn(tx, 6);
      await tx.transaction(async (inner) => void (await add(inner, 7)));
    });
    expect(await all()).toEqual([1, 3, 5, 7]);
  });

  test("an outer failure takes back what nested ones did", async () => {
    const { db, all } = await open();
    const failing = db.transaction(async (tx) => {
      await tx.transaction(async (inner) => void (await add(inner, 1)));
      throw new Error("late");
    });
    await expect(failing).rejects.toThrow("late");
    expect(await all()).toEqual([]);
  });

  test("a connection that breaks in the middle is not given to the next", async () => {
    const { db, all } = await open();
    const failing = db.transaction(async (tx) => {
      await add(tx, 1);
      await tx.executeSql("select pg_terminate_backend(pg_backend_pid())");
    });
    await expect(failing).rejects.toMatchObject({ code: "unavailable", retryable: true });
    expect(await all()).toEqual([]);
  });
});

describe("locks", () => {
  test("of one name exclude each other, between pools too; other names go on meanwhile", async () => {
    const { db, connection } = await open();
    const other = openDatabase(connection, 1);
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const inside = Promise.withResolvers<void>();
    const first = db.withLock("a", async () => {
      inside.resolve();
      await gate.promise;
      order.push("first");
    });
    await inside.promise;
    const second = other.withLock("a", async () => await Promise.resolve(order.push("second")));
    await other.withLock("b", async () => await Promise.resolve(order.push("elsewhere")));
    gate.resolve();
    await Promise.all([first, second]);
    await other.close();
    expect(order).toEqual(["elsewhere", "first", "second"]);
  });

  test("are released when the work throws, and its error goes through", async () => {
    const { db, connection } = await open();
    const failing = db.withLock("a", async () => await Promise.reject(new TypeError("mine")));
    await expect(failing).rejects.toThrow(new TypeError("mine"));
    const other = openDatabase(connection, 1);
    expect(await other.withLock("a", async () => await Promise.resolve("in"))).toBe("in");
    await other.close();
  });

  test("more waiters than query connections starve nobody who works", async () => {
    const { db, all } = await open();
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    await Promise.all(numbers.map(async (n) => await db.withLock("a", async () => void (await add(db, n)))));
    expect(await all()).toEqual(numbers);
  });
});

describe("failures", () => {
  test("what is there already is a conflict that no retry mends", async () => {
    const { db } = await open();
    await add(db, 1);
    await expect(add(db, 1)).rejects.toMatchObject({ code: "conflict", retryable: false });
  });

  test("no row where one must be is not_found; maybe none is null", async () => {
    const { db } = await open();
    await expect(db.one(number, "select n from numbers", [])).rejects.toMatchObject({ code: "not_found" });
    expect(await db.maybeOne(number, "select n from numbers", [])).toBeNull();
  });

  test("a deadlock may be tried again", async () => {
    const { db } = await open();
    await add(db, 1);
    await add(db, 2);
    const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const crossing = async (here: number, there: number, arrived: () => void) =>
      await db.transaction(async (tx) => {
        await touch(tx, here);
        arrived();
        await Promise.all([one.promise, two.promise]);
        await touch(tx, there);
      });
    const results = await Promise.allSettled([crossing(1, 2, one.resolve), crossing(2, 1, two.resolve)]);
    const failed = results.filter((result) => result.status === "rejected");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toMatchObject({ code: "conflict", retryable: true });
  });

  test.each([
    { connectionString: "postgresql://nobody@127.0.0.1:1/none" },
    { host: "/nowhere", user: "nobody", database: "none" },
  ])("a server that is not there is unavailable, for queries, transactions and locks: %j", async (to) => {
    const db = openDatabase(to, 1);
    const unavailable = { code: "unavailable", retryable: true };
    await expect(db.execute("select 1", [])).rejects.toMatchObject(unavailable);
    await expect(db.transaction(async (tx) => await tx.execute("select 1", []))).rejects.toMatchObject(unavailable);
    await expect(db.withLock("a", async () => await Promise.resolve())).rejects.toMatchObject(unavailable);
    await db.close();
  });

  test("a fault in the SQL goes through as it is", async () => {
    const { db } = await open();
    await expect(db.execute("select nonsense", [])).rejects.toMatchObject({ code: "42703" });
  });
});

import { type Socket, connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { lineTo } from "../../test/support/database-proxy.ts";
import { freshDatabase } from "../../test/support/database.ts";
import { type Database, openDatabase } from "./db.ts";

const note = z.object({ n: z.number() });
const backend = z.object({ pid: z.number() });

/** PostgreSQL's words for a server whose connections are all taken. */
const TOO_MANY = errorResponse("SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0");

function errorResponse(fields: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  return Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)]);
}

async function withNotes() {
  const fresh = await freshDatabase();
  await fresh.db.execute("create table notes (n int primary key)", []);
  const stored = async () => (await fresh.db.query(note, "select n from notes order by n", [])).map((row) => row.n);
  return { ...fresh, stored };
}

test("values arrive as the domain has them: big numbers as text, times as dates, JSON as it is", async () => {
  const { db } = await freshDatabase();
  const row = z.object({ id: z.string(), at: z.date(), data: z.unknown() });
  const sql = `select 9007199254740993::bigint as id, timestamptz '2026-01-02T03:04:05Z' as at, '{"a":[1]}'::jsonb as data`;
  expect(await db.one(row, sql, [])).toEqual({
    id: "9007199254740993",
    at: new Date("2026-01-02T03:04:05Z"),
    data: { a: [1] },
  });
});

test("one row means one: none is not found, several are an error, a wrong one says where", async () => {
  const { db } = await freshDatabase();
  await expect(db.one(note, "select 1 as n where false", [])).rejects.toMatchObject({ code: "not_found" });
  await expect(db.one(note, "select generate_series(1, 2) as n", [])).rejects.toMatchObject({ code: "internal" });
  await expect(db.one(note, "select 'x' as n", [])).rejects.toThrow(/a row is not what was expected, at n:/);
  expect(await db.maybeOne(note, "select 1 as n where false", [])).toBeNull();
});

test("a transaction that fails leaves nothing, a savepoint that fails leaves the rest", async () => {
  const { db, stored } = await withNotes();
  const failing = db.transaction(async (tx) => {
    await tx.execute("insert into notes values (1)", []);
    throw new Error("stop");
  });
  await expect(failing).rejects.toThrow("stop");
  await db.transaction(async (tx) => {
    await tx.execute("insert into notes values (2)", []);
    const inner = tx.transaction(async (savepoint) => {
      await savepoint.execute("insert into notes values (3)", []);
      await savepoint.transaction(async (deeper) => void (await deeper.execute("insert into notes values (4)", [])));
      await savepoint.execute("insert into notes values (2)", []);
    });
    await expect(inner).rejects.toMatchObject({ code: "conflict" });
    await tx.transaction(async (savepoint) => void (await savepoint.execute("insert into notes values (5)", [])));
  });
  expect(await stored()).toEqual([2, 5]);
});

test("work under one lock never overlaps, other names go on, whoever only tries is told", async () => {
  const { db, connection } = await freshDatabase();
  const other = openDatabase(connection, 1);
  const steps: string[] = [];
  const held = Promise.withResolvers<void>();
  const inside = Promise.withResolvers<void>();
  const first = db.withLock("issue 1", async () => {
    inside.resolve();
    await held.promise;
    steps.push("first");
  });
  await inside.promise;
  const second = other.withLock("issue 1", async () => void (await Promise.resolve(steps.push("second"))));
  expect(await other.tryLock("issue 1", async () => await Promise.resolve("got it"))).toEqual({ kind: "taken" });
  expect(await other.tryLock("issue 2", async () => await Promise.resolve("got it"))).toEqual({
    kind: "done",
    value: "got it",
  });
  held.resolve();
  await Promise.all([first, second]);
  expect(steps).toEqual(["first", "second"]);
  expect(await other.tryLock("issue 1", async () => await Promise.resolve(1))).toEqual({ kind: "done", value: 1 });
  await other.close();
});

test("a lock is free again when its work fails", async () => {
  const { db } = await freshDatabase();
  await expect(db.withLock("a", async () => await Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await db.tryLock("a", async () => await Promise.resolve(1))).toEqual({ kind: "done", value: 1 });
});

test("a connection that is cut under a transaction or a lock is an error of its work, not the end of the program", async () => {
  const { db, stored } = await withNotes();
  const cut = async (pid: number) => await db.execute("select pg_terminate_backend($1, 5000)", [pid]);
  const broken = db.transaction(async (tx) => {
    await tx.execute("insert into notes values (1)", []);
    await cut((await tx.one(backend, "select pg_backend_pid() as pid", [])).pid);
    await tx.execute("insert into notes values (2)", []);
  });
  await expect(broken).rejects.toMatchObject({ code: "unavailable", retryable: true });
  const locks =
    "select pid from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())";
  const value = await db.withLock("a", async () => {
    await cut((await db.one(backend, locks, [])).pid);
    return "done";
  });
  expect(value).toBe("done");
  await db.execute("insert into notes values (3)", []);
  expect(await stored()).toEqual([3]);
});

test("what PostgreSQL refuses has the code that callers tell apart", async () => {
  const { db } = await withNotes();
  await db.execute("insert into notes values (1)", []);
  await expect(db.execute("insert into notes values (1)", [])).rejects.toMatchObject({ code: "conflict" });
  await expect(db.execute("select $1::text", ["a\u0000b"])).rejects.toMatchObject({ code: "invalid" });
  const full = "do $$ begin raise exception 'no space left' using errcode = '53100'; end $$";
  await expect(db.execute(full, [])).rejects.toMatchObject({ code: "io" });
  await expect(db.execute("select nonsense", [])).rejects.toThrow(/nonsense/);
});

test("a server that is full for a moment is asked again, and no connection is left behind", async () => {
  const { connection } = await freshDatabase();
  const line = new URL((await lineTo(connection)).url);
  const target = Number(line.port);
  const open = new Set<Socket>();
  const refusal = { made: false, over: false };
  const server = createServer((client) => {
    if (!refusal.made) {
      refusal.made = true;
      client.once("data", () => client.end(TOO_MANY));
      client.on("close", () => (refusal.over = true));
      return;
    }
    open.add(client);
    const upstream = connect(target, line.hostname);
    client.on("close", () => {
      open.delete(client);
      upstream.destroy();
    });
    client.pipe(upstream);
    upstream.pipe(client);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  line.port = String(z.object({ port: z.number() }).parse(server.address()).port);
  const db = openDatabase({ connectionString: line.href });
  const ask = async () => await db.batch([{ sql: "select 1", parameters: [] }]);
  const first = ask();
  await expect.poll(() => refusal.over, { interval: 5 }).toBe(true);
  await Promise.all([first, ask()]);
  await db.close();
  await expect.poll(() => open.size).toBe(0);
});

test("a server that is not there is unavailable, and may be tried again", async () => {
  const nowhere = openDatabase({ connectionString: "postgres://relay@localhost:1/relay" }, 1);
  await expect(nowhere.execute("select 1", [])).rejects.toMatchObject({
    code: "unavailable",
    retryable: true,
    message: expect.stringMatching(/does not answer: .+/),
  });
  await nowhere.close();
});

/** Ends the connection that holds this lock, as a partition or a restart of the database does. */
async function endLock(db: Database, name: string): Promise<void> {
  await db.query(
    z.object({}),
    `select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and objsubid = 1
       and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0)`,
    [name],
  );
}

test("who lost a lock goes on until another takes it, and then changes nothing (R-IN-12)", async () => {
  const { db, connection, stored } = await withNotes();
  const other = openDatabase(connection, 2);
  const kept = other.withLock("issue 1", async () => {
    await endLock(db, "issue 1");
    await other.execute("insert into notes values (1)", []);
    const begun = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const mine = db.withLock("issue 1", async () => {
      await db.execute("insert into notes values (2)", []);
      begun.resolve();
      await over.promise;
      await db.transaction(async (tx) => void (await tx.execute("insert into notes values (3)", [])));
    });
    await begun.promise;
    const lost = { name: "Postponed", retryable: true };
    await expect(other.execute("insert into notes values (7)", [])).rejects.toMatchObject(lost);
    const nested = other.transaction(async (tx) => void (await tx.execute("insert into notes values (8)", [])));
    await expect(nested).rejects.toMatchObject(lost);
    await expect(other.confirmLocks()).rejects.toMatchObject(lost);
    await expect(other.tryLock("task 1", async () => await other.confirmLocks())).rejects.toMatchObject(lost);
    over.resolve();
    await mine;
  });
  await kept;
  expect(await stored()).toEqual([1, 2, 3]);
  await other.close();
});

test("what was begun under a lock and outlives it needs no lock", async () => {
  const { db, stored } = await withNotes();
  const over = Promise.withResolvers<void>();
  const { promise: later } = await db.withLock("issue 1", async () => {
    const promise = over.promise.then(async () => await db.execute("insert into notes values (1)", []));
    return await Promise.resolve({ promise });
  });
  await db.withLock("issue 1", async () => await Promise.resolve());
  over.resolve();
  await later;
  expect(await stored()).toEqual([1]);
});

test("a transaction that has begun is waited for by the next holder", async () => {
  const { db, connection, stored } = await withNotes();
  const other = openDatabase(connection, 2);
  const order: string[] = [];
  await other.withLock("issue 1", async () => {
    const ended = Promise.withResolvers<void>();
    const next = ended.promise.then(
      async () => await db.withLock("issue 1", async () => void (await Promise.resolve(order.push("next")))),
    );
    await other.transaction(async (tx) => {
      await endLock(db, "issue 1");
      ended.resolve();
      await tx.execute("insert into notes values (1)", []);
      order.push("first");
    });
    await next;
  });
  expect(order).toEqual(["first", "next"]);
  expect(await stored()).toEqual([1]);
  await other.close();
});

import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { connectAgain, emptyDatabase, freshDatabase } from "../../test/support/database.ts";
import { addManyIssues } from "../../test/support/many-issues.ts";
import { LOGIN_TABLES, copyTables, emptyOwn, pasteTables } from "./copy-tables.ts";
import type { Connecting, Db } from "./db.ts";
import { listObjects, migrate } from "./migrate.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");

async function textOf(connection: Connecting, without?: readonly string[]): Promise<string> {
  return await text(copyTables(connection, MIGRATIONS, without && { without }));
}

/** In small pieces, whose ends are not those of lines. */
function inPieces(copy: string): Readable {
  const bytes = Buffer.from(copy);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 997) }, (_, n) =>
    bytes.subarray(n * 997, (n + 1) * 997),
  );
  return Readable.from(pieces);
}

const paste = async (to: Connecting, copy: string) => await pasteTables(to, inPieces(copy), MIGRATIONS);

/** Text that means something to COPY, on lines of its own. */
const ODD = 'a\tb\\c\n\\.\n{"end":true}\r\n\\N 🙂';

test("R-SHIP-2: a copy has each row as it was, and what is counted besides", async () => {
  const { db, connection } = await freshDatabase();
  await addManyIssues(db, { repositories: 2, issues: 120, messagesPerIssue: 2 });
  await db.execute("update issues set title = $1", [ODD]);
  const copy = await textOf(connection);
  const other = await emptyDatabase();
  await paste(other.connection, copy);
  expect(await textOf(other.connection)).toBe(copy);
  expect(copy.split("\n").length).toBeGreaterThan(5_000);
  const titles = await other.db.query(z.object({ title: z.string() }), "select distinct title from issues", []);
  expect(titles).toEqual([{ title: ODD }]);
  // Relay goes on there: sequences, triggers and keys are in force again.
  await addManyIssues(other.db, { repositories: 2, issues: 5, messagesPerIssue: 1 });
  await expect(other.db.execute("update audit_log set id = id", [])).rejects.toThrow(/append/i);
});

test("a copy is of one moment, while others write", async () => {
  const { db, connection } = await freshDatabase();
  await addManyIssues(db, { repositories: 1, issues: 3, messagesPerIssue: 1 });
  const before = await textOf(connection);
  const copying = copyTables(connection, MIGRATIONS);
  const first = await copying.next();
  await addManyIssues(db, { repositories: 1, issues: 3, messagesPerIssue: 1 });
  const copy = z.instanceof(Buffer).parse(first.value).toString("utf8") + (await text(copying));
  // Sequences belong to no moment: a number that is not used does no harm.
  const rows = (whole: string) => whole.replace(/^\{"sequences".*$/m, "");
  expect(rows(copy)).toBe(rows(before));
});

test("tables that let somebody in can be left out", async () => {
  const { db, connection } = await freshDatabase();
  await db.execute(
    "insert into begun_logins (state_sha256, browser_sha256, provider, verifier, target, expires_at) values ('s', 'b', 'github', 'the verifier', '/', now())",
    [],
  );
  expect(await textOf(connection)).toContain("the verifier");
  expect(await textOf(connection, LOGIN_TABLES)).not.toContain("the verifier");
});

test("a copy by an older version is brought up to date; one by a newer is refused", async () => {
  const older = await mkdtemp(join(tmpdir(), "relay-migrations-"));
  onTestFinished(async () => await rm(older, { recursive: true, force: true }));
  for (const name of (await readdir(MIGRATIONS)).filter((one) => one < "0031")) {
    await copyFile(join(MIGRATIONS, name), join(older, name));
  }
  const from = await emptyDatabase();
  await migrate(from.db, older);
  await from.db.execute("insert into workspaces (id, name, created_at) values (7, 'ours', now())", []);
  const copy = await textOf(from.connection);
  const to = await emptyDatabase();
  await paste(to.connection, copy);
  await migrate(to.db, MIGRATIONS);
  expect(await to.db.query(z.object({ name: z.string() }), "select name from workspaces", [])).toEqual([
    { name: "ours" },
  ]);
  const newer = copy.replace('"0001_relay.sql"', '"0001_relay.sql","9999_later.sql"');
  const another = await emptyDatabase();
  await expect(paste(another.connection, newer)).rejects.toMatchObject({
    code: "config",
    message: expect.stringMatching(/newer Relay \(it has 9999_later/),
  });
});

test("a copy that is cut, or none, fills nothing; a database in use is not overwritten, and can be emptied", async () => {
  const { db, connection } = await freshDatabase();
  await addManyIssues(db, { repositories: 1, issues: 3, messagesPerIssue: 1 });
  const copy = await textOf(connection);
  await expect(paste(connection, copy)).rejects.toMatchObject({ code: "config" });
  const to = await emptyDatabase();
  for (const wrong of [
    "",
    "{}\n",
    copy.slice(0, copy.length / 2),
    copy.slice(0, -5),
    copy.replace('"table":"issues"', '"table":"nothing"'),
  ]) {
    await expect(paste(to.connection, wrong)).rejects.toMatchObject({ code: "invalid" });
    const { count } = await to.db.one(
      z.object({ count: z.string() }),
      "select count(*) from pg_tables where schemaname = 'public' and tablename = 'issues' and exists (select from pg_stat_user_tables where relname = 'issues' and n_live_tup > 0)",
      [],
    );
    expect(count).toBe("0");
    await emptyOwn(to.connection);
  }
  await paste(to.connection, copy);
  expect(await textOf(to.connection)).toBe(copy);
});

/** All that is in the schema, with the rows of other programs' tables. */
async function inSchema(db: Db): Promise<unknown[]> {
  const names = "select relname as name from pg_class where relnamespace = 'public'::regnamespace order by 1";
  return await db.query(z.object({ name: z.string() }), names, []);
}

const RAILS = [
  "create table schema_migrations (version varchar primary key)",
  "insert into schema_migrations values ('20260101')",
  "create table articles (id bigserial primary key)",
];
// As Relay leaves them where its first migration met tables that are called like its own.
const MISTAKEN = [
  "create table schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())",
  "create table issues (id bigserial primary key)",
];

test.each([
  ["that has migrations of its own", RAILS],
  ["whose tables are called like Relay's", MISTAKEN],
  ["with tables of partitions only", ["create table parts (day date) partition by range (day)"]],
])("another program's database %s is refused and left as it is", async (_, made) => {
  const from = await freshDatabase();
  const copy = await textOf(from.connection);
  const { db, connection } = await emptyDatabase();
  for (const sql of made) await db.execute(sql, []);
  const before = await inSchema(db);
  await expect(paste(connection, copy)).rejects.toMatchObject({
    code: "config",
    message: expect.stringContaining("not Relay's"),
  });
  expect(await inSchema(db)).toEqual(before);
  await expect(textOf(connection)).rejects.toMatchObject({ code: "not_found" });
});

test("what others have beside Relay's tables is not in a copy, and stays where one is brought to", async () => {
  const { db, connection } = await freshDatabase();
  await db.execute("insert into workspaces (id, name, created_at) values (7, 'ours', now())", []);
  const others = [
    "create table articles (id bigserial primary key, body text)",
    "insert into articles (body) values ('theirs')",
    "create function stamp() returns trigger language plpgsql as $$ begin return new; end $$",
    "create table pgboss.theirs (id int)",
  ];
  for (const sql of others) await db.execute(sql, []);
  const copy = await textOf(connection);
  expect(copy).toContain("ours");
  expect(copy).not.toMatch(/theirs|articles/);
  const to = await freshDatabase();
  for (const sql of others) await to.db.execute(sql, []);
  await paste(to.connection, copy);
  expect(await textOf(to.connection)).toBe(copy);
  const there =
    "select body, to_regproc('stamp') is not null and to_regclass('pgboss.theirs') is not null as rest from articles";
  expect(await to.db.query(z.looseObject({}), there, [])).toEqual([{ body: "theirs", rest: true }]);
});

test("Relay's tables may be in another schema", async () => {
  const within = async () => {
    const { db, connection } = await emptyDatabase();
    const name = (await db.one(z.object({ name: z.string() }), "select current_database() as name", [])).name;
    await db.execute("create schema relay", []);
    await db.execute(`alter database ${name} set search_path = relay`, []);
    return { db: connectAgain(connection), connection };
  };
  const from = await within();
  await migrate(from.db, MIGRATIONS);
  await from.db.execute("insert into workspaces (id, name, created_at) values (7, 'ours', now())", []);
  const copy = await textOf(from.connection);
  expect(copy).toContain("ours");
  const to = await within();
  await paste(to.connection, copy);
  expect(await textOf(to.connection)).toBe(copy);
});

test("a migration waits for a copy that has begun: it would seem to have no rows", async () => {
  const { db, connection } = await freshDatabase();
  await db.execute("insert into workspaces (id, name, created_at) values (7, 'ours', now())", []);
  const copying = copyTables(connection, MIGRATIONS);
  const first = await copying.next();
  const rewriting = db.execute("alter table workspaces add column made uuid default gen_random_uuid()", []);
  const copy = z.instanceof(Buffer).parse(first.value).toString("utf8") + (await text(copying));
  await rewriting;
  expect(copy).toContain("ours");
});

test("the names of Relay's tables and functions are those that its migrations make", async () => {
  const { db } = await freshDatabase();
  const names = z.object({ name: z.string() });
  const made = async (sql: string) => (await db.query(names, sql, [])).map(({ name }) => name);
  const { tables, functions } = await listObjects(db, MIGRATIONS);
  expect(["schema_migrations", ...tables].toSorted()).toEqual(
    await made("select tablename as name from pg_tables where schemaname = 'public' order by tablename collate \"C\""),
  );
  expect(functions.toSorted()).toEqual(
    await made(
      "select proname as name from pg_proc where pronamespace = 'public'::regnamespace order by proname collate \"C\"",
    ),
  );
});

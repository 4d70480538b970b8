import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { connectAgain, emptyDatabase } from "../../test/support/database.ts";
import { type Db, openDatabase } from "./db.ts";
import { lookAtSchema, migrate } from "./migrate.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-migrations-"));
  await write("0001_notes.sql", "create table notes (n int);\ninsert into notes values (1);\n");
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, sql: string): Promise<void> {
  await writeFile(join(folder, name), sql);
}

const count = z.object({ count: z.number() });

test("each file is applied once, in the order of the numbers", async () => {
  const { db } = await emptyDatabase();
  await write("0002_more.sql", "insert into notes select n + 1 from notes;");
  expect(await migrate(db, folder)).toEqual({ applied: ["0001_notes.sql", "0002_more.sql"] });
  await write("0003_third.sql", "insert into notes values (3);");
  expect(await migrate(db, folder)).toEqual({ applied: ["0003_third.sql"] });
  expect(await migrate(db, folder)).toEqual({ applied: [] });
  expect(await db.one(count, "select count(*)::int as count from notes", [])).toEqual({ count: 3 });
});

test("many processes that start at once apply each file once", async () => {
  const { connection } = await emptyDatabase();
  const databases = Array.from({ length: 6 }, () => openDatabase(connection, 2));
  const results = await Promise.all(databases.map(async (db) => await migrate(db, folder)));
  expect(results.flatMap((result) => result.applied)).toEqual(["0001_notes.sql"]);
  await Promise.all(databases.map(async (db) => await db.close()));
});

test("a file that fails leaves nothing of itself, and keeps what went before", async () => {
  const { db } = await emptyDatabase();
  await write("0002_broken.sql", "insert into notes values (2); insert into nowhere values (1);");
  await expect(migrate(db, folder)).rejects.toThrow(/migration 0002_broken.sql failed: .*nowhere/);
  expect(await db.one(count, "select count(*)::int as count from notes", [])).toEqual({ count: 1 });
  await write("0002_broken.sql", "insert into notes values (2);");
  expect(await migrate(db, folder)).toEqual({ applied: ["0002_broken.sql"] });
});

test("a file that was changed after it was applied is refused, other line ends are no change", async () => {
  const { db } = await emptyDatabase();
  await migrate(db, folder);
  await write("0001_notes.sql", "create table notes (n int);\r\ninsert into notes values (1);\r\n");
  expect(await migrate(db, folder)).toEqual({ applied: [] });
  await write("0001_notes.sql", "create table notes (n bigint);\n");
  await expect(migrate(db, folder)).rejects.toMatchObject({
    code: "config",
    message: "migration 0001_notes.sql was changed after it was applied; restore the original file",
  });
});

test("a database that is newer than the program is refused", async () => {
  const { db } = await emptyDatabase();
  await write("0002_newer.sql", "insert into notes values (2);");
  await migrate(db, folder);
  await rm(join(folder, "0002_newer.sql"));
  await expect(migrate(db, folder)).rejects.toThrow(
    "the database was made by a newer Relay (it has 0002_newer.sql); update this one",
  );
});

test("a program goes on with a database that only has more than it knows, also while a newer one runs", async () => {
  const { db, connection } = await emptyDatabase();
  const older = await mkdtemp(join(tmpdir(), "relay-migrations-"));
  await copyFile(join(folder, "0001_notes.sql"), join(older, "0001_notes.sql"));
  await write(
    "0002_more.sql",
    "-- additive: a column that has a default\nalter table notes add column more int default 7;\n",
  );
  const other = openDatabase(connection, 2);
  const both = await Promise.all([migrate(db, folder), migrate(other, older)]);
  expect(both[0].applied).toContain("0002_more.sql");
  expect(await migrate(other, older)).toEqual({ applied: [] });
  await other.execute("insert into notes (n) values (2)", []);
  expect(await db.one(count, "select count(*)::int as count from notes where more = 7", [])).toEqual({ count: 2 });
  await write("0003_less.sql", "alter table notes drop column n;");
  await migrate(db, folder);
  await expect(migrate(other, older)).rejects.toThrow(/made by a newer Relay \(it has 0003_less.sql\)/);
  await other.close();
  await rm(older, { recursive: true });
});

test("a file that would have to go before one that was applied, or shares its number, is refused", async () => {
  const { db } = await emptyDatabase();
  await write("0003_third.sql", "insert into notes values (3);");
  await migrate(db, folder);
  await write("0002_late.sql", "insert into notes values (2);");
  await expect(migrate(db, folder)).rejects.toThrow(/0002_late.sql would go before 0003_third.sql/);
  await write("0003_again.sql", "insert into notes values (4);");
  await expect(migrate(db, folder)).rejects.toThrow(/two migrations have the number 0003/);
});

/** All that is in the schema. */
async function relationsIn(db: Db): Promise<string[]> {
  const sql = "select relname as name from pg_class where relnamespace = 'public'::regnamespace order by 1";
  return (await db.query(z.object({ name: z.string() }), sql, [])).map(({ name }) => name);
}

test("a look says what is missing, and changes nothing", async () => {
  const { db } = await emptyDatabase();
  expect(await lookAtSchema(db, folder)).toEqual({ isNew: true, missing: ["0001_notes.sql"] });
  expect(await relationsIn(db)).toEqual([]);
  await migrate(db, folder);
  expect(await lookAtSchema(db, folder)).toEqual({ isNew: false, missing: [] });
  await write("0002_more.sql", "create table more (n int);");
  const before = await relationsIn(db);
  expect(await lookAtSchema(db, folder)).toEqual({ isNew: false, missing: ["0002_more.sql"] });
  expect(await relationsIn(db)).toEqual(before);
});

test.each([
  ["of any kind", ["create table articles (id bigint)"], "articles"],
  ["among them a list of migrations", ["create table schema_migrations (version text)"], "schema_migrations"],
  [
    "that an earlier Relay had met",
    ["create table schema_migrations (name text, sha256 text)", "create table issues (id bigint)"],
    "issues",
  ],
  [
    "in number",
    ["create table a (n int)", "create table b (n int)", "create table c (n int)", "create table d (n int)"],
    "a, b, c and 1 more",
  ],
])("a database with tables of another program, %s, is refused and left as it is", async (_, made, named) => {
  const { db } = await emptyDatabase();
  for (const sql of made) await db.execute(sql, []);
  const before = await relationsIn(db);
  for (const attempt of [migrate, lookAtSchema]) {
    await expect(attempt(db, folder)).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining(`the database holds tables of something else (${named}), and none of Relay's`),
    });
  }
  expect(await relationsIn(db)).toEqual(before);
});

test("a newer database is left as it is, also one whose list of migrations is of the oldest form", async () => {
  const { db } = await emptyDatabase();
  await db.execute("create table schema_migrations (name text, sha256 text)", []);
  await db.execute("insert into schema_migrations values ('0009_newer.sql', 'x')", []);
  for (const attempt of [migrate, lookAtSchema]) {
    await expect(attempt(db, folder)).rejects.toThrow(/made by a newer Relay \(it has 0009_newer.sql\)/);
  }
  expect(await db.query(z.looseObject({}), "select * from schema_migrations", [])).toEqual([
    { name: "0009_newer.sql", sha256: "x" },
  ]);
});

test("beside another program's tables, Relay may have a schema of its own", async () => {
  const { db, connection } = await emptyDatabase();
  await db.execute("create table schema_migrations (version text)", []);
  await db.execute("create schema relay", []);
  const { name } = await db.one(z.object({ name: z.string() }), "select current_database() as name", []);
  await db.execute(`alter database ${name} set search_path = relay, public`, []);
  const again = connectAgain(connection);
  expect(await migrate(again, folder)).toEqual({ applied: ["0001_notes.sql"] });
  expect(await relationsIn(again)).toEqual(["schema_migrations"]);
});

test("tables that others make later are no reason to refuse", async () => {
  const { db } = await emptyDatabase();
  await migrate(db, folder);
  await db.execute("create table articles (id bigint)", []);
  await write("0002_more.sql", "create table more (n int);");
  expect(await migrate(db, folder)).toEqual({ applied: ["0002_more.sql"] });
});

test("an account that may make no tables is told so before anything fails", async () => {
  const { db } = await emptyDatabase();
  const refused = db.transaction(async (tx) => {
    await tx.execute("create role relay_guest", []);
    await tx.execute("set local role relay_guest", []);
    await lookAtSchema(tx, folder);
  });
  await expect(refused).rejects.toThrow(/the account relay_guest may not make tables in the schema public/);
});

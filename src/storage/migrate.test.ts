import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { emptyDatabase } from "../../test/support/database.ts";
import { openDatabase } from "./db.ts";
import { migrate } from "./migrate.ts";

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

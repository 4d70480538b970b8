import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../test/database.ts";
import { openDatabase } from "./db.ts";
import { migrate } from "./migrate.ts";

/** A folder of migrations, and a database that has none of them yet. */
async function open(files: Record<string, string>) {
  const { db, connection } = await freshDatabase();
  await db.execute("drop table schema_migrations", []);
  const folder = await mkdtemp(join(tmpdir(), "relay-migrations-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const write = async (name: string, sql: string) => await writeFile(join(folder, name), sql);
  for (const [name, sql] of Object.entries(files)) await write(name, sql);
  const names = async () =>
    (await db.query(z.object({ name: z.string() }), "select name from schema_migrations order by name", [])).map(
      (row) => row.name,
    );
  return { db, connection, folder, write, names };
}

const ONE = { "0001_one.sql": "create table one (n int);" };

test("files are applied in their order, once, and others in the folder are no migrations", async () => {
  const { db, folder, write, names } = await open({
    "0002_two.sql": "insert into one values (1);",
    ...ONE,
    "README.md": "not sql",
    "0003_draft.sql.bak": "not sql",
  });
  expect(await migrate(db, folder)).toEqual({ applied: ["0001_one.sql", "0002_two.sql"] });
  expect(await migrate(db, folder)).toEqual({ applied: [] });
  await write("0003_three.sql", "insert into one values (3);");
  expect(await migrate(db, folder)).toEqual({ applied: ["0003_three.sql"] });
  expect(await names()).toEqual(["0001_one.sql", "0002_two.sql", "0003_three.sql"]);
});

test("of two processes that start at once, one applies and the other finds it done", async () => {
  const { db, connection, folder } = await open({ "0001_one.sql": "create table one (n int); select pg_sleep(0.2);" });
  const other = openDatabase(connection, 2);
  const results = await Promise.all([migrate(db, folder), migrate(other, folder)]);
  await other.close();
  expect(results.flatMap((result) => result.applied)).toEqual(["0001_one.sql"]);
});

test("a file that fails leaves nothing of itself, and what came before it stays", async () => {
  const { db, folder, write, names } = await open({
    ...ONE,
    "0002_two.sql": "insert into one values (2); insert into nowhere values (1);",
  });
  await expect(migrate(db, folder)).rejects.toThrow(/0002_two\.sql.*nowhere/);
  expect(await names()).toEqual(["0001_one.sql"]);
  expect(await db.query(z.unknown(), "select * from one", [])).toEqual([]);
  await write("0002_two.sql", "insert into one values (2);");
  expect(await migrate(db, folder)).toEqual({ applied: ["0002_two.sql"] });
});

test("a file that was edited after it was applied is refused, and nothing is applied", async () => {
  const { db, folder, write, names } = await open(ONE);
  await migrate(db, folder);
  await write("0001_one.sql", "create table one (n bigint);");
  await write("0002_two.sql", "create table two (n int);");
  await expect(migrate(db, folder)).rejects.toMatchObject({
    code: "config",
    message: "migration 0001_one.sql was changed after it was applied; restore the original file",
  });
  expect(await names()).toEqual(["0001_one.sql"]);
});

test("a database of a newer Relay is refused", async () => {
  const { db, folder } = await open(ONE);
  await migrate(db, folder);
  await db.execute("insert into schema_migrations (name, sha256) values ('0009_future.sql', 'x')", []);
  await expect(migrate(db, folder)).rejects.toMatchObject({
    code: "config",
    message: "the database was made by a newer Relay (it has 0009_future.sql); update this one",
  });
});

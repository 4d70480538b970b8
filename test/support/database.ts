import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { type Connecting, type Database, openDatabase } from "../../src/storage/db.ts";
import { migrate } from "../../src/storage/migrate.ts";

export { listQuotas } from "../../src/storage/figures.ts";
export { quotaStore } from "../../src/storage/quotas.ts";

export interface TestDatabase {
  db: Database;
  connection: Connecting;
}

export function serverOf(server: Connecting, database: string): Connecting {
  if (!("connectionString" in server)) return { ...server, database };
  const url = new URL(server.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

/** The server of the run, and the migrated database that others are cloned from. */
export function testServer(): { server: Connecting; template: string } {
  const [server, template] = [inject("server"), inject("template")];
  if (server && template) return { server, template };
  throw new Error("this test's project has no database: name its folder under DATABASE in vitest.config.ts");
}

/** A migrated database of this test's own, gone when the test is over. */
export async function freshDatabase(): Promise<TestDatabase> {
  return await databaseFrom(testServer().template);
}

/** The same database as another process has it, with connections of its own until the test is over. */
export function connectAgain(connection: Connecting, size = 2): Database {
  const db = openDatabase(connection, size);
  onTestFinished(async () => await db.close());
  return db;
}

/** The same without any table. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return await databaseFrom("template1");
}

/** A database as the program had it before a migration, and what brings it up to date. */
export async function databaseBefore(migration: string): Promise<TestDatabase & { update: () => Promise<void> }> {
  const all = join(import.meta.dirname, "../../migrations");
  const older = await mkdtemp(join(tmpdir(), "relay-migrations-"));
  onTestFinished(async () => await rm(older, { recursive: true, force: true }));
  for (const name of await readdir(all)) if (name < migration) await copyFile(join(all, name), join(older, name));
  const { db, connection } = await emptyDatabase();
  await migrate(db, older);
  return { db, connection, update: async () => void (await migrate(db, all)) };
}

async function databaseFrom(template: string): Promise<TestDatabase> {
  const { server } = testServer();
  const name = `relay_test_${randomBytes(6).toString("hex")}`;
  const root = openDatabase(server, 1);
  // By files: what is small is copied faster than it is logged.
  await root.execute(`create database ${name} template ${template} strategy file_copy`, []);
  const connection = serverOf(server, name);
  const db = openDatabase(connection);
  onTestFinished(async () => {
    await db.close();
    await root.execute(`drop database ${name} with (force)`, []);
    await root.close();
  });
  return { db, connection };
}

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { silentLog } from "../../src/lib/log.ts";
import { openQueue } from "../../src/storage/queue/pg-boss.ts";
import { type Connecting, openDatabase } from "../../src/storage/db.ts";
import { migrate } from "../../src/storage/migrate.ts";
import { serverOf } from "./database.ts";
import { startTemporaryPostgres } from "./temporary-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    server?: Connecting;
    template?: string;
  }
}

/**
 * One server for the whole run, with a migrated template that each test's database is cloned from: the embedded one,
 * or another PostgreSQL when `RELAY_TEST_DATABASE_URL` names one.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["RELAY_TEST_DATABASE_URL"];
  const embedded = given === undefined ? await startTemporaryPostgres() : null;
  const server: Connecting = embedded?.connection ?? { connectionString: given ?? "" };
  // Several runs may share a server that was given.
  const template = `relay_template_${randomBytes(6).toString("hex")}`;
  const root = openDatabase(server, 1);
  const tearDown = async () => {
    await root.execute(`drop database if exists ${template} with (force)`, []);
    await root.close();
    await embedded?.close();
  };
  try {
    await root.execute(`create database ${template}`, []);
    const migrated = openDatabase(serverOf(server, template), 1);
    try {
      await migrate(migrated, join(import.meta.dirname, "../../migrations"));
    } finally {
      await migrated.close();
    }
    // The tables of the job engine are in it too: to make them takes longer than all the rest.
    await (await openQueue(serverOf(server, template), { works: false, log: silentLog })).stop();
  } catch (error) {
    await tearDown();
    throw error;
  }
  project.provide("server", server);
  project.provide("template", template);
  return tearDown;
}

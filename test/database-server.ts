import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { silentLog } from "../src/lib/log.ts";
import type { Connecting } from "../src/store/db.ts";
import { openDatabase } from "../src/store/db.ts";
import { openEmbedded } from "../src/store/embedded/server.ts";
import { migrate } from "../src/store/migrate.ts";
import { serverOf } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    server: Connecting;
  }
}

/**
 * One server for the whole run, with a migrated template that each test's database is cloned from: the embedded one,
 * or another PostgreSQL when `RELAY_TEST_DATABASE_URL` names one.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["RELAY_TEST_DATABASE_URL"];
  const home = mkdtempSync(join(tmpdir(), "relay-test-"));
  const embedded = given === undefined ? await openEmbedded({ home, log: silentLog }) : null;
  const server: Connecting = embedded?.connection ?? { connectionString: given ?? "" };
  const root = openDatabase(server, 1);
  await root.execute("drop database if exists relay_template", []);
  await root.execute("create database relay_template", []);
  await root.close();
  const template = openDatabase(serverOf(server, "relay_template"), 1);
  await migrate(template, join(import.meta.dirname, "../migrations"));
  await template.close();
  project.provide("server", server);
  return async () => {
    await embedded?.close();
    if (embedded) rmSync(embedded.folder, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  };
}

import { join } from "node:path";
import { expect, test } from "vitest";
import { freshDatabase } from "../../../test/support/database.ts";
import { exec } from "../../lib/exec.ts";
import type { QueueConnection } from "./pg-boss.ts";

const USER = join(import.meta.dirname, "../../../test/children/queue-user.ts");

function urlOf(to: QueueConnection): string {
  if ("connectionString" in to) return to.connectionString;
  return `postgres://${to.user}@/${to.database}?host=${encodeURIComponent(to.host)}&port=${to.port ?? 5432}`;
}

test("a queue that fails half-way while it is opened keeps no program alive", async () => {
  const { db, connection } = await freshDatabase();
  const opening = async () => await exec(process.execPath, [USER, urlOf(connection)], { timeoutMs: 240_000 });
  expect((await opening()).stdout.toString("utf8")).toBe("opened\n");
  // From here on it starts, and cannot make its queues.
  await db.execute("alter table pgboss.queue rename to queue_gone", []);
  expect((await opening()).stdout.toString("utf8")).toMatch(/^failed: the job queue in the database does not answer: /);
});

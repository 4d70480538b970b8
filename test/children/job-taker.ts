import { transitions } from "../support/transitions.ts";
// Takes the jobs of a database (a connection as JSON) and notes each delivery that it works off, until its input ends.

import { once } from "node:events";
import { z } from "zod";
import type { TrackerEvent } from "../../src/domain/event.ts";
import { jobsOn } from "../../src/engine/send-jobs.ts";
import { inTurns, takeJobs } from "../../src/engine/take-jobs.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openQueue } from "../../src/storage/queue/pg-boss.ts";
import { openDatabase } from "../../src/storage/db.ts";
import { findRepository } from "../../src/storage/repositories.ts";
import { localTracker } from "../../src/adapters/trackers/local/tracker.ts";
import { type ProcessDeps, processDeliveries } from "../../src/engine/process-deliveries.ts";

const place = z.object({
  host: z.string(),
  port: z.number().optional(),
  user: z.string(),
  database: z.string(),
  password: z.string().optional(),
});
const { host, port, user, database, password } = place
  .or(z.object({ connectionString: z.string() }).transform(({ connectionString }) => inUrl(connectionString)))
  .parse(JSON.parse(process.argv[2] ?? ""));
const connection = { host, user, database, ...(port ? { port } : {}), ...(password === undefined ? {} : { password }) };

const db = openDatabase(connection);
const queue = await openQueue(connection, { works: true, log: silentLog });
const ids = snowflakes();
const nothing = async () => await Promise.resolve();
const deps: ProcessDeps = {
  db,
  clock: systemClock,
  ids,
  log: silentLog,
  transition: transitions({ clock: systemClock, ids }),
  detectLanguage: () => "en",
  repositoryOf: async (event: TrackerEvent) => {
    await db.execute("insert into worked (issue, delivery, pid) values ($1, $2, $3)", [
      event.externalIssueId,
      event.text,
      process.pid,
    ]);
    await sleep(5);
    return await findRepository(db, event.provider, event.externalProjectId);
  },
  trackerFor: async () => await Promise.resolve(localTracker(db, { bot: "relay", clock: systemClock, ids })),
  codeHostFor: async () => await Promise.resolve(localTracker(db, { bot: "relay", clock: systemClock, ids })),
  withIssueLock: inTurns(db),
  jobs: jobsOn(async () => await Promise.resolve(queue)),
  debounce: nothing,
  syncLabels: nothing,
};
await takeJobs(
  queue,
  {
    acknowledge: async () => await Promise.resolve(),
    processDeliveries: async (issue) => await processDeliveries(issue, deps),
    wake: async () => await Promise.resolve({ failures: [], error: null, again: null }),
    recover: nothing,
    updateStatus: nothing,
    postProxiedComment: nothing,
  },
  4,
  nothing,
);
process.stdout.write("working\n");
process.stdin.resume();
await once(process.stdin, "end");
await queue.stop();
await db.close();

function inUrl(url: string) {
  const { hostname, port: given, username, password: secret, pathname } = new URL(url);
  return { host: hostname, port: Number(given) || 5432, user: username, database: pathname.slice(1), password: secret };
}

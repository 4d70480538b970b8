// A process that takes jobs: `node worker.ts CONNECTION`, where CONNECTION is JSON. Works after a line on its
// input, and prints a line for each reaction.

import { once } from "node:events";
import { acknowledge } from "../../src/engine/acknowledge.ts";
import { createExecutor } from "../../src/engine/transition.ts";
import { inTurns, takeJobs } from "../../src/engine/take-jobs.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openQueue } from "../../src/storage/queue/pg-boss.ts";
import { openDatabase } from "../../src/storage/db.ts";
import { findRepository } from "../../src/storage/repositories.ts";
import type { Forge } from "../../src/adapters/trackers/code-host.ts";
import { localTracker } from "../../src/adapters/trackers/local/tracker.ts";
import { processDeliveries } from "../../src/engine/process-deliveries.ts";

const CONCURRENCY = 4;

const connection = JSON.parse(process.argv[2] ?? "");
const db = openDatabase(connection);
const queue = await openQueue(connection, { works: true, log: silentLog });
const ids = snowflakes();
const tracker: Forge = {
  ...localTracker(db, { bot: "relay", clock: systemClock, ids }),
  // So slow that the issue is locked while its reaction is due.
  getIssue: async () => {
    await sleep(200);
    throw new RelayError("unavailable", "the tracker does not answer");
  },
  addReaction: async () => await Promise.resolve(void process.stdout.write("reacted\n")),
};
const nothing = async () => await Promise.resolve();
process.stdout.write("ready\n");
await once(process.stdin, "data");
const orchestrator = {
  acknowledge: async (name: string) =>
    await acknowledge(name, {
      db,
      clock: systemClock,
      ids: snowflakes(),
      log: silentLog,
      trackerFor: async () => await Promise.resolve(tracker),
      confirmation: { confirmers: [], thumbsUp: false },
    }),
  processDeliveries: async (issue: Parameters<typeof processDeliveries>[0]) =>
    await processDeliveries(issue, {
      db,
      clock: systemClock,
      ids,
      log: silentLog,
      transition: createExecutor({ clock: systemClock, ids, sendTask: nothing }),
      detectLanguage: () => "en",
      repositoryOf: async (event) => await findRepository(db, event.provider, event.externalProjectId),
      trackerFor: async () => await Promise.resolve(tracker),
      codeHostFor: async () => await Promise.resolve(tracker),
      withIssueLock: inTurns(db),
      jobs: { sendEvents: nothing, sendAcknowledgements: nothing, setWake: nothing, ensureWakes: nothing },
      debounce: nothing,
      syncLabels: nothing,
    }),
  wake: async () => await Promise.resolve({ failures: [], error: null, again: null }),
  recover: nothing,
  updateStatus: nothing,
  postProxiedComment: nothing,
};
await takeJobs(queue, orchestrator, CONCURRENCY, nothing);
await once(process.stdin, "end");
await queue.stop();
await db.close();

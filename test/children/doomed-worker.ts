import { transitions } from "../support/transitions.ts";
// Carries out a task, or takes tasks from the queue, and is killed at the given point of its way. Tells each point on stdout.
import { random } from "../../src/lib/random.ts";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { CodingAgent } from "../../src/adapters/agents/agent.ts";
import { STATE_LABELS } from "../../src/domain/state-labels.ts";
import { openRepository } from "../../src/code/git/repository.ts";
import { jobsOn } from "../../src/engine/send-jobs.ts";
import { lockOf, takeTasks } from "../../src/engine/take-jobs.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openQueue } from "../../src/storage/queue/pg-boss.ts";
import { settingsReader } from "../../src/app/code/repository-settings.ts";
import { findSandbox } from "../../src/adapters/sandbox/find.ts";
import { createLabelSync } from "../../src/notify/sync-labels.ts";
import { localSpecStore } from "../../src/adapters/spec-stores/local.ts";
import { openDatabase } from "../../src/storage/db.ts";
import { localTracker } from "../../src/adapters/trackers/local/tracker.ts";
import { executeTask } from "../../src/implementation/execute-task.ts";
import type { WorkerDeps } from "../../src/implementation/worker.ts";
import { WORK_SETTINGS } from "../support/work-settings.ts";
import { obey } from "./obedient.ts";

const { connection, folder, repository, taskId, killAt } = z
  .object({
    connection: z
      .object({ connectionString: z.string() })
      .or(z.object({ host: z.string(), port: z.number(), user: z.string(), database: z.string() }))
      .or(z.object({ host: z.string(), user: z.string(), database: z.string() })),
    folder: z.string(),
    repository: z.string(),
    /** Null takes the tasks of the queue. */
    taskId: z.string().nullable(),
    /** A point's number, from 1, or the beginning of its name; null lives on. */
    killAt: z.number().or(z.string()).nullable(),
  })
  .parse(JSON.parse(process.argv[2] ?? ""));

let points = 0;
function point(name: string): void {
  points += 1;
  writeSync(1, `${name}\n`);
  const isHere = typeof killAt === "string" ? name.startsWith(killAt) : points === killAt;
  if (isHere) process.kill(process.pid, "SIGKILL");
}

/** The same, with a point before each call of a method and one after its answer. */
function watched<T extends object>(name: string, of: T): T {
  return new Proxy(of, {
    get: (target, key): unknown => {
      const found: unknown = Reflect.get(target, key);
      if (typeof found !== "function") return found;
      return (...args: unknown[]): unknown => {
        const about = typeof args[0] === "string" ? ` ${args[0].replaceAll(/\s+/g, " ").trim().slice(0, 50)}` : "";
        point(`before ${name}.${String(key)}${about}`);
        const result: unknown = Reflect.apply(found, target, args);
        if (!(result instanceof Promise)) return result;
        return result.then((value: unknown) => {
          point(`after ${name}.${String(key)}${about}`);
          return value;
        });
      };
    },
  });
}

const agent: CodingAgent = {
  name: "tester",
  program: null,
  hosts: [],
  variables: [],
  run: async ({ directory }) => {
    await obey(directory, () => point("in the middle of the agent's work"));
    const ending = { kind: "finished" as const };
    return { ending, summary: "An empty cart costs 0.", denied: [], usd: null, tokens: null };
  },
};

const clock = systemClock;
const ids = snowflakes(7);
const home = join(folder, ".relay");
const log = silentLog;
const db = openDatabase(connection, 3);
const code = await openRepository(repository);
const queue = await openQueue(connection, { works: taskId === null, log });
const tracker = watched("tracker", localTracker(db, { bot: "relay", clock, ids }));
const trackerFor = async () => await Promise.resolve(tracker);
const work: WorkerDeps = {
  db: watched("db", db),
  clock,
  ids,
  log,
  random,
  transition: transitions({ clock, ids }),
  home,
  specStore: watched("specs", localSpecStore({ root: join(folder, "relay_specs"), clock })),
  trackerFor,
  codeHostFor: trackerFor,
  settingsOf: settingsReader({
    operator: { mode: "implement", fastTrack: false },
    log,
    withCode: async (_, look) => await look(code),
  }),
  withSource: async (_, look) =>
    await look({ code, defaultBranch: "main", remote: null, refresh: async () => await Promise.resolve() }),
  withIssueLock: async (name, alone) => await db.withLock(lockOf(name), alone),
  catchUp: async () => await Promise.resolve(),
  syncLabels: createLabelSync({
    db,
    clock,
    ids,
    log,
    home,
    labels: STATE_LABELS,
    trackerFor,
    jobs: { sendStatusAt: async () => {} },
  }),
  jobs: jobsOn(async () => await Promise.resolve(queue)),
  confirmers: [],
  budgets: { issue: "off", repositoryDay: "off", workspaceMonth: "off", unpricedPerMillion: 5 },
  agentName: agent.name,
  equip: async () => {
    const sandbox = await findSandbox({ wanted: "none", container: null });
    return { agent: watched("agent", agent), sandbox: watched("sandbox", sandbox) };
  },
  settings: WORK_SETTINGS,
};
if (taskId === null) await takeTasks(queue, async (id) => await executeTask(id, work), 1);
else {
  await executeTask(taskId, work);
  await queue.stop();
  await code.close();
  await db.close();
}

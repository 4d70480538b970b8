import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { type CompareDeps, compareInTurn, compareOne, findNew, orLater } from "./compare-trackers.ts";
import { servedName } from "../../config/served-repositories.ts";
import { learnNow } from "../trackers/known-repositories.ts";
import type { Issue, Provider } from "../../domain/issue.ts";
import { releaseOrphanedJobs, takeJobs } from "../../engine/take-jobs.ts";
import type { Maintenance } from "../../engine/maintenance-jobs.ts";
import type { Orchestrator } from "../../engine/orchestrator.ts";
import { sendWaiting, takeNotices } from "../notices.ts";
import { directoryOf } from "../code/repositories.ts";
import type { Queue } from "../../storage/queue/queue.ts";
import { type RetentionDeps, removeOld } from "./retention.ts";
import type { Database } from "../../storage/db.ts";
import { getIssue } from "../../storage/issues.ts";
import { listEndedRuns, listRepositoriesWorkedIn, listRunning } from "../../storage/runs.ts";
import {
  type StoredRepository,
  findRepository,
  findStableRepository,
  getRepository,
  listRepositories,
} from "../../storage/repositories.ts";
import { copyTexts } from "../../specification/copies.ts";
import type { Push } from "../../adapters/trackers/webhook.ts";
import { type DriftDeps, checkDrift } from "../../specification/drift.ts";
import { sweepWorkspaces } from "../../implementation/run/workspace/run-paths.ts";
import { pruneRunHeads } from "../../implementation/run/workspace/source.ts";

/** Takes jobs until the queue is stopped; see `takeJobs`. Those of dead processes are released first. */
export async function takeWork(
  queue: Queue,
  concurrency: number,
  deps: MaintenanceDeps & { orchestrator: Orchestrator },
  looksForMissed: boolean,
): Promise<void> {
  await releaseOrphanedJobs(queue, deps.db);
  await takeNotices(queue, deps.config, deps);
  const run = async (wanted: Maintenance) => {
    if ("push" in wanted) await maintainAfterPush(wanted, deps);
    else if ("account" in wanted) await maintainAccount(wanted.account, deps);
    else if ("repository" in wanted) await compareInTurn(wanted.repository, comparing(deps));
    else await maintain(deps, wanted.all);
    if ("all" in wanted) await orLater({}, deps, async () => await sendWaiting(queue, deps.config, deps));
  };
  await takeJobs(queue, deps.orchestrator, concurrency, run, looksForMissed);
}

interface MaintenanceDeps extends DriftDeps, RetentionDeps, Omit<CompareDeps, "lookForDrift"> {
  config: Config;
  db: Database;
  orchestrator: Pick<Orchestrator, "receive" | "syncLabels" | "checkReviews" | "retryHeldUp">;
  /** Sends the job that updates the status comment of an issue. */
  sendStatus: (issue: Issue) => Promise<void>;
}

function comparing(deps: MaintenanceDeps): CompareDeps {
  return { ...deps, lookForDrift: async (repository) => await lookForDrift(repository, deps, null) };
}

/**
 * Maintenance, at the start and hourly: looks for work whose delivery was lost (R-IN-8), syncs stale labels (R-LIFE-5),
 * copies texts of specs that the database lacks, removes leftovers of killed workers and what is kept for a time only
 * (R-SCALE-3). Sends jobs that compare repositories with their trackers, at the start all, then each at its own moment
 * (R-SCALE-2). A failing tracker or repository is logged, holds up no other, and is retried the next time.
 */
export async function maintain(deps: MaintenanceDeps, when: "start" | "hourly"): Promise<void> {
  const { db, config, connections, orchestrator, log } = deps;
  for (const repository of await listRepositories(db, "local")) {
    await orLater({ project_id: repository.externalProjectId }, deps, async () => {
      await orchestrator.checkReviews(repository.id, []);
      await lookForDrift(repository, deps, null);
    });
  }
  await orLater({}, deps, async () => await orchestrator.syncLabels());
  await orLater({}, deps, async () => {
    await sweepWorkspaces(resolve(config.home), async () => await listRunning(db), log);
  });
  await sweepRuns(deps, when);
  await orLater({}, deps, async () => void (await copyTexts(deps)));
  await orLater({}, deps, async () => await removeOld(deps));
  for (const { provider } of connections.values()) {
    const { served = [], others = [] } = Object.groupBy(await listRepositories(db, provider), (one) =>
      servedName(one, config) === null ? "others" : "served",
    );
    if (when === "start" && others.length > 0) {
      const told = {
        provider,
        repositories: others.map(({ externalProjectId }) => externalProjectId).slice(0, MOST_TOLD),
      };
      deps.log.warn(told, "Relay worked in these, and `repositories` does not name them any more: they are left alone");
    }
    await deps.sendCompares(
      served.map(({ id }) => id),
      when === "start" ? "now" : "hourly",
    );
  }
  // Last: if the quota postpones this, the job starts over, and everything before it asks no tracker.
  for (const connection of connections.values()) {
    await orLater(
      { provider: connection.provider },
      deps,
      async () => await findNew(connection, when, comparing(deps)),
    );
  }
}

/** Names in one line of the log. */
const MOST_TOLD = 20;

/**
 * Maintains the repositories of one account (`github/acme`) that Relay just got access to: work that waited continues.
 */
export async function maintainAccount(account: string, deps: MaintenanceDeps): Promise<void> {
  for (const connection of deps.connections.values()) {
    const prefix = `${connection.provider}/`;
    if (!account.startsWith(prefix)) continue;
    const owner = `${account.slice(prefix.length)}/`;
    const repositories = await listRepositories(deps.db, connection.provider);
    for (const repository of repositories) {
      if (!repository.externalProjectId.toLowerCase().startsWith(owner)) continue;
      const about = { project_id: repository.externalProjectId };
      // The first call may fail: Relay may still have the old answer about its access.
      await orLater(about, deps, async () => await learnNow(repository, connection, deps));
      await orLater(about, deps, async () => {
        await compareOne(repository, connection, comparing(deps));
        await deps.orchestrator.retryHeldUp(repository);
      });
    }
  }
}

/** After a push to the default branch: checks the specs of that repository that cite a changed file (R-SPEC-15). */
async function maintainAfterPush(
  { provider, push }: { provider: Provider; push: Push },
  deps: DriftDeps & Pick<MaintenanceDeps, "sendStatus">,
): Promise<void> {
  const { externalProjectId, stableProjectId, files } = push;
  const stable = stableProjectId && (await findStableRepository(deps.db, provider, stableProjectId));
  const repository = stable || (await findRepository(deps.db, provider, externalProjectId));
  if (repository === null) return;
  await orLater({ project_id: externalProjectId }, deps, async () => await lookForDrift(repository, deps, files));
}

/** Checks specs for drift, and updates the status comments of issues whose spec became stale or is true again. */
async function lookForDrift(
  repository: StoredRepository,
  deps: DriftDeps & Pick<MaintenanceDeps, "sendStatus">,
  files: readonly string[] | null,
): Promise<void> {
  for (const issueId of await checkDrift(repository, deps, files)) {
    await deps.sendStatus(await getIssue(deps.db, issueId));
  }
}

/** Removes commits of runs that no worker will resume, such as a stuck run whose task was cancelled. */
async function sweepRuns(deps: MaintenanceDeps, when: "start" | "hourly"): Promise<void> {
  const { db, config } = deps;
  for (const id of await listRepositoriesWorkedIn(db, when === "start" ? 7 : 1)) {
    const repository = await getRepository(db, id);
    const directory = directoryOf(repository, config.home);
    if (directory === null) continue;
    await orLater({ project_id: repository.externalProjectId }, deps, async () => {
      await pruneRunHeads(directory, async (runs) => await listEndedRuns(db, runs));
    });
  }
}

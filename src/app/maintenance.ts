import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { type Connections, connectHosted, isServed, learnNow } from "./tracker-connections.ts";
import { type Issue, type IssueAddress, type Provider, PROVIDERS } from "../domain/issue.ts";
import { releaseOrphanedJobs, takeJobs } from "../engine/jobs.ts";
import type { Orchestrator } from "../engine/orchestrator.ts";
import type { EventJob } from "../intake/receive.ts";
import { reconcile } from "../intake/reconcile.ts";
import { messageOf } from "../lib/errors.ts";
import { directoryOf } from "./repositories.ts";
import type { Queue } from "../storage/queue/queue.ts";
import { type RetentionDeps, removeOld } from "./retention.ts";
import type { Database } from "../storage/db.ts";
import { getIssue } from "../storage/issues.ts";
import { listEndedRuns, listRunning } from "../storage/runs.ts";
import {
  type StoredRepository,
  findRepository,
  findStableRepository,
  listRepositories,
  setSeenUntil,
} from "../storage/repositories.ts";
import type { ForgeConnection } from "../adapters/trackers/connection.ts";
import { copyTexts } from "../specification/copies.ts";
import type { Push } from "../adapters/trackers/webhook.ts";
import { type DriftDeps, checkDrift } from "../specification/drift.ts";
import { sweepWorkspaces } from "../implementation/run/workspace/run-paths.ts";
import { pruneRunHeads } from "../implementation/run/workspace/source.ts";

/** Takes jobs until the queue is stopped; see `takeJobs`. Those of dead processes are released first. */
export async function takeWork(
  queue: Queue,
  concurrency: number,
  deps: UpkeepDeps & { flow: Orchestrator },
): Promise<void> {
  await releaseOrphanedJobs(queue, deps.db);
  await takeJobs(queue, deps.flow, concurrency, async (wanted) => {
    if ("push" in wanted) await pushUpkeep(wanted, deps);
    else await (wanted.account === null ? upkeep(deps) : accessUpkeep(wanted.account, deps));
  });
}

interface UpkeepDeps extends DriftDeps, RetentionDeps {
  db: Database;
  config: Config;
  connections: Connections;
  flow: Pick<Orchestrator, "receive" | "syncLabels" | "checkReviews" | "goOn">;
  sendEvents: (jobs: EventJob[]) => Promise<void>;
  /** Has the status comment of an issue say where it stands now. */
  sendStatus: (issue: Issue) => Promise<void>;
  /** Name of the workspace that new repositories belong to. */
  workspace: string;
}

/**
 * Maintenance, at the start and hourly: reconciles repositories with their trackers (R-IN-8), syncs stale labels
 * (R-LIFE-5), marks specs stale whose code changed (R-SPEC-15), copies texts of specs that the database lacks, removes
 * leftovers of killed workers and what is kept for a time only (R-SCALE-3). A failing tracker or repository is logged, holds up no other, and is retried
 * the next time.
 */
export async function upkeep(deps: UpkeepDeps): Promise<void> {
  for (const connection of deps.connections.values()) {
    await orLater({ provider: connection.provider }, deps, async () => await compareAll(connection, deps));
  }
  await orLater({}, deps, async () => await deps.flow.syncLabels());
  await orLater({}, deps, async () => await deps.flow.checkReviews());
  await orLater({}, deps, async () => {
    await sweepWorkspaces(resolve(deps.config.home), async () => await listRunning(deps.db), deps.log);
  });
  await sweepRuns(deps);
  for (const repository of await allRepositories(deps)) {
    await orLater({ project_id: repository.externalProjectId }, deps, async () => {
      await lookForDrift(repository, deps, null);
    });
  }
  await orLater({}, deps, async () => void (await copyTexts(deps)));
  await orLater({}, deps, async () => await removeOld(deps));
}

/** The same for the repositories of one account (`github/acme`) to which Relay was given access: what waits goes on. */
export async function accessUpkeep(account: string, deps: UpkeepDeps): Promise<void> {
  for (const connection of deps.connections.values()) {
    const prefix = `${connection.provider}/`;
    if (!account.startsWith(prefix)) continue;
    const owner = `${account.slice(prefix.length)}/`;
    const repositories = await listRepositories(deps.db, connection.provider);
    for (const repository of repositories) {
      if (!repository.externalProjectId.toLowerCase().startsWith(owner)) continue;
      await orLater({ project_id: repository.externalProjectId }, deps, async () => {
        await compareOne(repository, connection, [], deps);
        await deps.flow.goOn(repository);
      });
    }
  }
}

/** After a push to the default branch: the same for the specs of that repository that cite what changed (R-SPEC-15). */
export async function pushUpkeep(
  { provider, push }: { provider: Provider; push: Push },
  deps: DriftDeps & Pick<UpkeepDeps, "sendStatus">,
): Promise<void> {
  const { externalProjectId, stableProjectId, files } = push;
  const stable = stableProjectId && (await findStableRepository(deps.db, provider, stableProjectId));
  const repository = stable || (await findRepository(deps.db, provider, externalProjectId));
  if (repository === null) return;
  await orLater({ project_id: externalProjectId }, deps, async () => await lookForDrift(repository, deps, files));
}

/** Looks at specs for what changed under them, and has status comments say what became of it. */
async function lookForDrift(
  repository: StoredRepository,
  deps: DriftDeps & Pick<UpkeepDeps, "sendStatus">,
  files: readonly string[] | null,
): Promise<void> {
  for (const issueId of await checkDrift(repository, deps, files)) {
    await deps.sendStatus(await getIssue(deps.db, issueId));
  }
}

/** Removes commits of runs that no worker will resume, such as a stuck run whose task was cancelled. */
async function sweepRuns(deps: UpkeepDeps): Promise<void> {
  for (const repository of await allRepositories(deps)) {
    const directory = directoryOf(repository, deps.config.home);
    if (directory === null) continue;
    await orLater({ project_id: repository.externalProjectId }, deps, async () => {
      await pruneRunHeads(directory, async (runs) => await listEndedRuns(deps.db, runs));
    });
  }
}

async function allRepositories({ db }: UpkeepDeps): Promise<StoredRepository[]> {
  return (await Promise.all(PROVIDERS.map(async (provider) => await listRepositories(db, provider)))).flat();
}

async function compareAll(connection: ForgeConnection, deps: UpkeepDeps): Promise<void> {
  const { db, config, clock } = deps;
  const assigned = await connection.listAssigned();
  const known = await listRepositories(db, connection.provider);
  const names = new Set(known.map(({ externalProjectId }) => externalProjectId));
  const projects = new Set(assigned.map(({ externalProjectId }) => externalProjectId));
  for (const project of projects) {
    if (names.has(project) || !isServed(project, config)) continue;
    await orLater({ project_id: project }, deps, async () => {
      await connectHosted(project, connection, config, deps);
    });
  }
  const ids = new Set(known.flatMap(({ stableId }) => stableId ?? []));
  for (const { externalProjectId, since } of await connection.listMissedProjects(clock.now(), ids)) {
    if (!isServed(externalProjectId, config)) continue;
    await orLater({ project_id: externalProjectId }, deps, async () => {
      await setSeenUntil(db, (await connectHosted(externalProjectId, connection, config, deps)).id, since);
    });
  }
  for (const repository of known) {
    await orLater({ project_id: repository.externalProjectId }, deps, async () => {
      await learnNow(repository, connection, deps);
    });
  }
  const repositories = await listRepositories(db, connection.provider);
  for (const repository of repositories.filter(({ externalProjectId }) => isServed(externalProjectId, config))) {
    await orLater({ project_id: repository.externalProjectId }, deps, async () => {
      await compareOne(repository, connection, assigned, deps);
    });
  }
}

async function compareOne(
  repository: StoredRepository,
  connection: ForgeConnection,
  assigned: readonly IssueAddress[],
  { db, flow, log }: UpkeepDeps,
): Promise<void> {
  await reconcile(repository, {
    db,
    tracker: await connection.tracker(),
    assigned,
    missedDeliveries: async (since) => await connection.listMissedDeliveries(repository.externalProjectId, since),
    receive: flow.receive,
    log,
  });
}

async function orLater(
  about: Record<string, unknown>,
  { log }: Pick<UpkeepDeps, "log">,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ ...about, error: messageOf(error) }, "a part of the upkeep failed; the next hour tries it again");
  }
}

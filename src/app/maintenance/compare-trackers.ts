import type { ForgeConnection } from "../../adapters/trackers/connection.ts";
import type { Config } from "../../config/config.ts";
import type { Orchestrator } from "../../engine/orchestrator.ts";
import type { OrchestratorDeps } from "../../engine/wake.ts";
import { type ReconcileDeps, compareAssigned, reconcile } from "../../intake/reconcile.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import {
  type StoredRepository,
  findRepository,
  getRepository,
  listRepositories,
  isLookUpDue,
  setLookedUp,
  setSeenUntil,
} from "../../storage/repositories.ts";
import { isServed, servedName } from "../../config/served-repositories.ts";
import type { Connections } from "../trackers/connections.ts";
import { type ConnectingDeps, connectHosted, learnNow } from "../trackers/known-repositories.ts";

export interface CompareDeps extends ConnectingDeps, Pick<OrchestratorDeps["jobs"], "sendCompares"> {
  config: Config;
  connections: Connections;
  orchestrator: Pick<Orchestrator, "receive" | "checkReviews">;
  /** Checks whether the specs of a repository are stale. */
  lookForDrift: (repository: StoredRepository) => Promise<void>;
}

/**
 * Compares a repository with its tracker, checks its reviews, and schedules the next comparison. Once a day it also
 * looks up the project, and checks the specs for drift by a push whose delivery was lost (R-SPEC-15).
 */
export async function compareInTurn(repositoryId: string, deps: CompareDeps): Promise<void> {
  const repository = await getRepository(deps.db, repositoryId);
  const connection = deps.connections.get(repository.provider);
  if (connection === undefined || servedName(repository, deps.config) === null) return;
  await orLater({ project_id: repository.externalProjectId }, deps, async () => {
    const isDaily = await isLookUpDue(deps.db, repositoryId);
    if (isDaily) await learnNow(repository, connection, deps);
    const current = await getRepository(deps.db, repositoryId);
    const hasMerged = await compareOne(current, connection, deps);
    if (isDaily || hasMerged) await deps.lookForDrift(current);
    if (isDaily) await setLookedUp(deps.db, repositoryId);
  });
  await deps.sendCompares([repositoryId], "hourly");
}

/** Milliseconds by which lists of a tracker may lag behind. */
const MARGIN_MS = 10 * 60_000;
const DAY_MS = 86_400_000;
/** Own requests that changed this long before a start may have been missed; older ones get their daily look. */
const MISSED_REQUESTS_MS = 3 * DAY_MS;

/** How far the lists of a connection were read, in this process. */
interface Read {
  /** Where to continue the list of assigned issues; null for its beginning. */
  assigned: Date | null;
  /** When that list was last begun from its beginning. */
  begun: Date;
  requests: Date;
}
const reads = new WeakMap<ForgeConnection, Read>();

/**
 * Looks in the lists of all projects for lost deliveries: issues assigned to Relay (all of them at the start and once a
 * day, else those that changed), calls in projects that it does not know, and changes of its own requests.
 */
export async function findNew(connection: ForgeConnection, when: "start" | "hourly", deps: CompareDeps): Promise<void> {
  const { db, config, clock, log } = deps;
  const now = clock.now();
  const before = reads.get(connection) ?? {
    assigned: null,
    begun: now,
    requests: new Date(now.getTime() - MISSED_REQUESTS_MS),
  };
  const begins = when === "start" || now.getTime() - before.begun.getTime() >= DAY_MS;
  const { issues, cutAt } = await connection.listAssigned(begins ? null : before.assigned);
  if (cutAt !== null) {
    const told = { provider: connection.provider, compared: issues.length, until: cutAt };
    log.warn(
      told,
      "more issues are assigned to Relay than one look compares; the next hour goes on with those that changed later",
    );
  }
  for (const [project, assigned] of Map.groupBy(issues, (one) => one.externalProjectId)) {
    const stored = await findRepository(db, connection.provider, project);
    if (!isServed(project, config) && (stored === null || servedName(stored, config) === null)) continue;
    await orLater({ project_id: project }, deps, async () => {
      const isNew = stored === null;
      const repository = stored ?? (await connectHosted(project, connection, config, deps));
      await compareAssigned(repository, assigned, await comparing(repository, connection, deps));
      if (isNew) await deps.sendCompares([repository.id], "hourly");
    });
  }
  const known = await listRepositories(db, connection.provider);
  const ids = new Set(known.flatMap(({ stableId }) => stableId ?? []));
  for (const { externalProjectId, since } of await connection.listMissedProjects(now, ids)) {
    if (!isServed(externalProjectId, config)) continue;
    await orLater({ project_id: externalProjectId }, deps, async () => {
      const repository = await connectHosted(externalProjectId, connection, config, deps);
      await setSeenUntil(db, repository.id, { until: since, tag: null });
      await compareOne(repository, connection, deps);
    });
  }
  const changed = await connection.listChangedRequests(before.requests);
  for (const [project, requests] of Map.groupBy(changed, (one) => one.externalProjectId)) {
    const repository = known.find(({ externalProjectId }) => externalProjectId === project);
    if (repository !== undefined) await deps.orchestrator.checkReviews(repository.id, requests);
  }
  const read = new Date(now.getTime() - MARGIN_MS);
  reads.set(connection, { assigned: cutAt ?? read, begun: begins ? now : before.begun, requests: read });
}

/** Compares a repository, and wakes issues whose review may have changed. Returns whether a request ended. */
export async function compareOne(
  repository: StoredRepository,
  connection: ForgeConnection,
  deps: CompareDeps,
): Promise<boolean> {
  const { requests } = await reconcile(repository, await comparing(repository, connection, deps));
  await deps.orchestrator.checkReviews(repository.id, requests);
  return requests.some(({ state }) => state === "closed");
}

async function comparing(
  repository: StoredRepository,
  connection: ForgeConnection,
  deps: CompareDeps,
): Promise<ReconcileDeps> {
  const { db, orchestrator, log } = deps;
  let isConfirmed = false;
  return {
    db,
    tracker: await connection.tracker(),
    missedDeliveries: async (since) => await connection.listMissedDeliveries(repository.externalProjectId, since),
    receive: async (delivery) => {
      // Another repository may have taken the name, and its issues do not belong to this one.
      if (!isConfirmed) await learnNow(repository, connection, deps);
      isConfirmed = true;
      const { externalProjectId } = await getRepository(db, repository.id);
      if (externalProjectId === repository.externalProjectId) return await orchestrator.receive(delivery);
      throw new RelayError(
        "conflict",
        `${repository.externalProjectId} is now ${externalProjectId}; it is compared again`,
      );
    },
    log,
  };
}

/** Logs a failure: the next hour retries. Throws at the tracker's limit: the queue retries then. */
export async function orLater(
  about: Record<string, unknown>,
  { log }: { log: Log },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    // The job runs again when the tracker, or the share of background work, allows it.
    if (error instanceof RelayError && error.code === "rate_limited") throw error;
    log.warn({ ...about, error: messageOf(error) }, "a part of the maintenance failed; the next hour tries it again");
  }
}

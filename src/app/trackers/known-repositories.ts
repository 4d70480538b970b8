import type { Config } from "../../config/config.ts";
import { type TrackerEvent, isOfPullRequest } from "../../domain/event.ts";
import { issueName } from "../../domain/issue.ts";
import { callsFor } from "../../intake/decide.ts";
import type { EventJob } from "../../intake/receive.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import { currentPriority } from "../../lib/priority.ts";
import type { Log } from "../../lib/log.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Database } from "../../storage/db.ts";
import {
  type StoredRepository,
  connectRepository,
  findRepository,
  findStableRepository,
  updateProject,
  releaseName,
} from "../../storage/repositories.ts";
import { stateFilesIn } from "../../storage/state-files.ts";
import { pagesWithDeliveries } from "../../storage/unfinished.ts";
import { unlessMissing } from "../../adapters/trackers/missing.ts";
import type { ForgeConnection } from "../../adapters/trackers/connection.ts";
import type { TrackerProject } from "../../adapters/trackers/code-host.ts";
import { isAmong } from "../../domain/login.ts";
import type { Connections } from "./connections.ts";
import { isServedProject } from "./served-projects.ts";

export interface ConnectingDeps {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  workspace: string;
  config: Pick<Config, "home">;
  /** Sends the jobs of issues with pending deliveries. */
  sendEvents: (jobs: EventJob[]) => Promise<void>;
}

/**
 * The repository of an event, registered when Relay is first called there. Null if Relay is not called in it, or the
 * configuration excludes it. Throws the tracker's errors.
 */
export async function repositoryOf(
  event: TrackerEvent,
  connections: Connections,
  config: Config,
  deps: ConnectingDeps,
): Promise<StoredRepository | null> {
  const { provider, externalProjectId } = event;
  if (provider === "local") return await findRepository(deps.db, provider, externalProjectId);
  if (!(await isServedProject(provider, event, { config, db: () => deps.db }))) return null;
  const connection = connections.get(provider);
  const known = await knownRepository(event, connection, deps);
  if (isOfPullRequest(event)) return known;
  if (known !== null || connection === undefined) return known;
  const tracker = await connection.tracker();
  if (!callsFor(event, tracker.calledAs) && !isAssignedTo(event, tracker.calledAs)) return null;
  return await connectHosted(externalProjectId, connection, config, deps);
}

/**
 * The repository of an event if it is known, under any name: people rename and move repositories, and others reuse the
 * freed names. The tracker decides which name is the newer one.
 */
async function knownRepository(
  event: TrackerEvent,
  connection: ForgeConnection | undefined,
  deps: ConnectingDeps,
): Promise<StoredRepository | null> {
  const { provider, externalProjectId, stableProjectId } = event;
  const named = await findRepository(deps.db, provider, externalProjectId);
  if (stableProjectId === undefined || named?.stableId === stableProjectId) return named;
  const same = await findStableRepository(deps.db, provider, stableProjectId);
  if (connection === undefined || (same === null && named?.stableId == null)) return same ?? named;
  const project = await unlessMissing((await connection.tracker()).getProject(externalProjectId));
  if (project?.stableId === stableProjectId && same !== null) return await learn(same, project, deps);
  // Only the name matches one that Relay works in: it is another repository.
  return same;
}

/**
 * Updates a repository's name and address from the tracker. If another repository has taken the name, the name goes to
 * that one, or is at least released: Relay must not read from it or post to it by mistake.
 */
export async function learnNow(
  repository: StoredRepository,
  connection: ForgeConnection,
  deps: ConnectingDeps,
): Promise<void> {
  const project = await (await connection.tracker()).getProject(repository.externalProjectId);
  const { externalProjectId, stableId } = project;
  if (stableId === null || repository.stableId === null || stableId === repository.stableId) {
    await learn(repository, project, deps);
    return;
  }
  const holder = await findStableRepository(deps.db, repository.provider, stableId);
  if (holder !== null) await learn(holder, project, deps);
  else await releaseName(deps.db, repository, { externalProjectId, stableId, cloneSource: project.cloneUrl });
}

async function learn(
  repository: StoredRepository,
  { externalProjectId, stableId, cloneUrl }: TrackerProject,
  { db, log, config, sendEvents }: ConnectingDeps,
): Promise<StoredRepository> {
  if (stableId === null) return repository;
  const learned = await updateProject(db, repository, { externalProjectId, stableId, cloneSource: cloneUrl });
  if (learned.externalProjectId === repository.externalProjectId) return learned;
  log.info({ project_id: externalProjectId, before: repository.externalProjectId }, "the repository has another name");
  await stateFilesIn(config.home, db)
    .renamed(learned, repository.externalProjectId)
    .catch((error: unknown) => log.warn({ error: messageOf(error) }, "state files not moved"));
  // Deliveries under the old name have jobs of that name only.
  for await (const page of pagesWithDeliveries(db, learned)) {
    await sendEvents(page.map((issue) => ({ issue: issueName(issue), priority: currentPriority() })));
  }
  return learned;
}

/** Registers a repository of a hosted tracker, with the address of its code. */
export async function connectHosted(
  externalProjectId: string,
  connection: ForgeConnection,
  config: Config,
  deps: ConnectingDeps,
): Promise<StoredRepository> {
  const { db, clock, ids, workspace } = deps;
  const tracker = await connection.tracker();
  const project = await tracker.getProject(externalProjectId);
  const { cloneUrl, stableId, isPrivate } = project;
  const known = stableId === null ? null : await findStableRepository(db, connection.provider, stableId);
  if (known !== null) return await learn(known, project, deps);
  return await connectRepository(
    db,
    {
      workspace,
      provider: connection.provider,
      baseUrl: connection.baseUrl,
      botUsername: tracker.bot,
      externalProjectId: project.externalProjectId,
      stableId,
      cloneSource: cloneUrl,
      isPrivate,
    },
    { clock, ids },
  );
}

function isAssignedTo(event: TrackerEvent, names: readonly string[]): boolean {
  return event.kind === "assigned" && event.assignee !== null && isAmong(event.assignee, names);
}

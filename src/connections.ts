import { matchesGlob } from "node:path/posix";
import type { Config } from "./config.ts";
import { githubAccess, gitlabToken } from "./config.ts";
import type { TrackerEvent } from "./domain/event.ts";
import { callsFor } from "./intake/decide.ts";
import type { Clock } from "./lib/clock.ts";
import type { Ids } from "./lib/ids.ts";
import type { Log } from "./lib/log.ts";
import type { Database } from "./store/db.ts";
import type { StoredRepository } from "./store/rows.ts";
import { connectRepository, findRepository } from "./store/tracked.ts";
import type { TrackerConnection } from "./trackers/connection.ts";
import type { QuotaRules } from "./trackers/http/shared-quotas.ts";

const elapsed = () => performance.now();

interface ConnectionDeps {
  db: Database;
  clock: Clock;
  sleep: (ms: number) => Promise<void>;
  log: Log;
}

type Hosted = "github" | "gitlab";

/** The hosted trackers that Relay has credentials for, by their providers. Nothing is asked of them yet. */
export type Connections = ReadonlyMap<Hosted, TrackerConnection>;

/**
 * Throws `config` where credentials are set that cannot be used. The adapters are loaded only where there are
 * credentials for them: most commands need none.
 */
export async function openConnections(config: Config, deps: ConnectionDeps): Promise<Connections> {
  const connections = new Map<Hosted, TrackerConnection>();
  const credentials = githubAccess(config);
  if (credentials !== null) {
    const [{ githubConnection }, { GITHUB_RULES, sharedQuotas }] = await Promise.all([
      import("./trackers/github/connection.ts"),
      import("./trackers/http/shared-quotas.ts"),
    ]);
    const options = {
      apiUrl: config.github.api_url,
      credentials,
      botUsername: config.bot.username ?? null,
      webhookUrl: webhookUrl(config, "github"),
    };
    const quotas = sharedQuotas({ ...deps, elapsed }, rulesOf(GITHUB_RULES, config.github.writes_per_minute));
    connections.set("github", githubConnection(options, { quotas, clock: deps.clock }));
  }
  const token = gitlabToken();
  if (token !== null) {
    const [{ gitlabConnection }, { GITLAB_RULES, sharedQuotas }] = await Promise.all([
      import("./trackers/gitlab/connection.ts"),
      import("./trackers/http/shared-quotas.ts"),
    ]);
    const options = {
      url: config.gitlab.url,
      token,
      botUsername: config.bot.username ?? null,
      webhookUrl: webhookUrl(config, "gitlab"),
    };
    const quotas = sharedQuotas({ ...deps, elapsed }, rulesOf(GITLAB_RULES, config.gitlab.writes_per_minute));
    connections.set("gitlab", gitlabConnection(options, { quotas, clock: deps.clock }));
  }
  return connections;
}

/** Writes are spaced as configured; a tenth of a minute's may go out at once. */
function rulesOf(rules: QuotaRules, perMinute: number | "off"): QuotaRules {
  const writes = perMinute === "off" ? null : { perMinute, burst: Math.max(1, Math.ceil(perMinute / 8)) };
  return { ...rules, writes };
}

function webhookUrl({ server }: Config, provider: Hosted): string | null {
  return server.public_url === undefined ? null : `${server.public_url.replace(/\/+$/, "")}/webhooks/${provider}`;
}

/**
 * The repository of an event, made known when Relay is called there for the first time. Null for one that it is not
 * called in, or that the configuration keeps it out of. Throws the tracker's errors.
 */
export async function repositoryOf(
  event: TrackerEvent,
  connections: Connections,
  config: Config,
  deps: { db: Database; clock: Clock; ids: Ids; workspace: string },
): Promise<StoredRepository | null> {
  const { provider, externalProjectId } = event;
  if (provider === "local") return await findRepository(deps.db, provider, externalProjectId);
  if (!isServed(externalProjectId, config)) return null;
  const known = await findRepository(deps.db, provider, externalProjectId);
  const connection = connections.get(provider);
  if (known !== null || connection === undefined) return known;
  const tracker = await connection.tracker();
  if (!callsFor(event, tracker.calledAs) && !isAssignedTo(event, tracker.calledAs)) return null;
  return await connectHosted(externalProjectId, connection, config, deps);
}

/** Makes a repository of a hosted tracker known, with the address of its code. */
export async function connectHosted(
  externalProjectId: string,
  connection: TrackerConnection,
  config: Config,
  { db, clock, ids, workspace }: { db: Database; clock: Clock; ids: Ids; workspace: string },
): Promise<StoredRepository> {
  const tracker = await connection.tracker();
  const { cloneUrl } = await tracker.getProject(externalProjectId);
  return await connectRepository(
    db,
    {
      workspace,
      provider: connection.provider,
      baseUrl: connection.baseUrl,
      botUsername: tracker.bot,
      externalProjectId,
      cloneSource: cloneUrl,
      mode: config.mode,
    },
    { clock, ids },
  );
}

/** Whether the configuration lets Relay work in a repository. Names differ by more than case. */
export function isServed(externalProjectId: string, { repositories }: Pick<Config, "repositories">): boolean {
  const name = externalProjectId.toLowerCase();
  return repositories.some((glob) => matchesGlob(name, glob.toLowerCase()));
}

function isAssignedTo(event: TrackerEvent, names: readonly string[]): boolean {
  const assignee = event.assignee?.toLowerCase();
  return event.kind === "assigned" && names.some((name) => name.toLowerCase() === assignee);
}

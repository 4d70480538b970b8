import type { Config } from "../../config/config.ts";
import { environment } from "../../config/environment.ts";
import type { HostedName, Provider } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { Database } from "../../storage/db.ts";
import { HOSTED, HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import type { ConnectDeps, PublicReader } from "../../adapters/trackers/provider.ts";
import type { Tracker } from "../../adapters/trackers/tracker.ts";
import type { ForgeConnection } from "../../adapters/trackers/connection.ts";
import { quotaStore } from "../../storage/quotas.ts";
import { type Quotas, unlimited } from "../../adapters/trackers/http/quota.ts";
import type { QuotaRules } from "../../adapters/trackers/http/shared-quotas.ts";

const elapsed = () => performance.now();

interface ConnectionDeps {
  /** Null: limits are not shared with other processes. */
  db: Database | null;
  clock: Clock;
  sleep: (ms: number) => Promise<void>;
  log: Log;
  /** The source of credentials, if not the environment of this process. */
  env?: Record<string, string | undefined>;
}

/** The hosted trackers that have credentials, by provider. No request has been made yet. */
export type Connections = ReadonlyMap<Provider, ForgeConnection>;

/** Throws `config` for unusable credentials. Loads only the adapters that have credentials: most commands need none. */
export async function openConnections(config: Config, deps: ConnectionDeps): Promise<Connections> {
  const connections = new Map<Provider, ForgeConnection>();
  for (const { name } of HOSTED_PROVIDERS) {
    const connection = await openConnection(name, config, deps);
    if (connection !== null) connections.set(name, connection);
  }
  return connections;
}

/** The connection to one tracker; null without credentials for it. */
export async function openConnection(
  provider: HostedName,
  config: Config,
  deps: ConnectionDeps,
): Promise<ForgeConnection | null> {
  return await HOSTED[provider].connect(config, environment(deps.env), connectDeps(provider, config, deps));
}

function connectDeps(provider: HostedName, config: Config, deps: ConnectionDeps): ConnectDeps {
  return {
    clock: deps.clock,
    webhookUrl: webhookUrl(config, provider),
    quotasFor: async (rules, perMinute) => await quotasOf(rulesOf(rules, perMinute), deps),
  };
}

/** Reads issues with their discussions, and permissions if the credentials allow it. */
export type IssueReader = PublicReader & Partial<Pick<Tracker, "permissionOf">>;

/** A reader with the configured credentials, or a public one; null if the tracker has no public reader. */
export async function openReader(
  provider: HostedName,
  config: Config,
  deps: ConnectionDeps,
): Promise<IssueReader | null> {
  const connection = await openConnection(provider, config, deps);
  if (connection !== null) return await connection.tracker();
  const { publicReader } = HOSTED[provider];
  return publicReader === null ? null : await publicReader(config, connectDeps(provider, config, deps));
}

async function quotasOf(rules: QuotaRules, { db, ...deps }: ConnectionDeps): Promise<Quotas> {
  if (db === null) return unlimited;
  const { sharedQuotas } = await import("../../adapters/trackers/http/shared-quotas.ts");
  const quotas = sharedQuotas({ ...deps, store: quotaStore(db), elapsed }, rules);
  return {
    ...quotas,
    admit: async (quota, kind, priority) => {
      await quotas.admit(quota, kind, priority);
      // A process that lost the lock of an issue must not write there (R-IN-12).
      if (kind === "write") await db.confirmLocks();
    },
  };
}

/** Share of the writes per minute that is kept for reactions; most of these may come at once. */
const REACTIONS = 1 / 2;

/**
 * The configured rate of writes, with the hourly limit in proportion; bursts may use an eighth of a minute's writes.
 */
function rulesOf(rules: QuotaRules, perMinute: number | "off"): QuotaRules {
  if (perMinute === "off") return { ...rules, writes: null };
  const { writes } = rules;
  const reactions = Math.max(1, Math.floor(perMinute * REACTIONS));
  const perHour =
    writes?.perHour === undefined ? {} : { perHour: Math.ceil((writes.perHour * perMinute) / writes.perMinute) };
  return {
    ...rules,
    writes: { perMinute: Math.max(1, perMinute - reactions), burst: Math.max(1, Math.ceil(perMinute / 8)), ...perHour },
    reactions: { perMinute: reactions, burst: Math.ceil(reactions * 0.9) },
  };
}

function webhookUrl({ server }: Config, provider: HostedName): string | null {
  return server.public_url === undefined ? null : `${server.public_url.replace(/\/+$/, "")}/webhooks/${provider}`;
}

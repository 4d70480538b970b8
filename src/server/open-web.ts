import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { openActs } from "../app/people/acts.ts";
import { loginsOf } from "../app/people/logins.ts";
import type { Runtime } from "../app/runtime.ts";
import { secretsAt, secretsOfIssues } from "../app/code/repository-secrets.ts";
import { openConnections } from "../app/trackers/connections.ts";
import { openViewers } from "../app/people/viewers.ts";
import { takesWebhooks } from "../app/trackers/webhook-readers.ts";
import { once } from "../adapters/trackers/connection.ts";
import { localPeople } from "../adapters/trackers/local/people.ts";
import type { Doctor } from "../app/doctor.ts";
import { budgetsOf } from "../budget/budget.ts";
import type { Config } from "../config/config.ts";
import { environment } from "../config/environment.ts";
import { adminTokenIn, metricsTokenIn } from "../config/secrets.ts";
import { settingsInForce } from "../config/settings-in-force.ts";
import type { HostedName } from "../domain/issue.ts";
import { jobsOn } from "../engine/send-jobs.ts";
import { sleep, systemClock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import { snowflakes } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { countBacklog } from "../storage/backlog.ts";
import { countJobs, countWork, listQuotas, readBudgets, readFigures } from "../storage/figures.ts";
import { ping } from "../storage/migrate.ts";
import { noticeFigures } from "../storage/notices.ts";
import { withTimeout } from "./timeout.ts";
import { startIntake } from "./intake/start.ts";
import { WEB_LIMITS } from "./limits.ts";
import { type Listening, listen } from "./listen.ts";
import type { LoginLinks } from "./login.ts";
import { type MetricSources, type Metrics, createMetrics } from "./metrics.ts";
import type { Service } from "./service.ts";
import { type PagesDeps, createPages, createWeb } from "./web.ts";

interface OpenWebOptions {
  /** The configuration file that was named. */
  file: string | undefined;
  service: Pick<Service, "runtime" | "relay">;
  links: LoginLinks;
  doctor: Doctor;
  /** Aborted when the program is asked to stop. */
  stopping: AbortSignal;
  version: string;
  logLevel: "debug" | "info" | "warn" | "error";
  log: Log;
}

export interface OpenWeb extends Listening {
  /** Call this when the database is open: deliveries are stored from then on. */
  storeIn: (runtime: Runtime) => void;
  /** Rejects if it ends by itself. */
  broken: Promise<never>;
}

/**
 * Listens for everything that the role `web` answers. If trackers may call, a separate thread receives their deliveries
 * and passes all other calls on (R-SAFE-9). Throws `config` for a wrong secret or an address in use.
 */
export async function openWeb(config: Config, options: OpenWebOptions): Promise<OpenWeb> {
  const { stopping, logLevel } = options;
  const { host, port, trusted_proxies: trustedProxies } = config.server;
  if (!takesWebhooks(config)) {
    const pages = pagesOf(config, trustedProxies, options);
    const listening = await listen(createWeb({ ...pages, ...NO_WEBHOOKS, health: healthOf(options) }), {
      at: { host, port },
      limits: WEB_LIMITS,
      trustedProxies,
    });
    return { ...listening, storeIn: () => {}, broken: new Promise(() => {}) };
  }
  // Only this account may enter it.
  const folder = await mkdtemp(join(tmpdir(), "relay-pages-"));
  const path = join(folder, "socket");
  // The thread is one more proxy in front.
  const proxies = trustedProxies + 1;
  const pages = pagesOf(config, proxies, options);
  const inner = await listen(createPages(pages), { at: { path }, limits: WEB_LIMITS, trustedProxies: proxies });
  const closeInner = async (graceMs: number) => {
    await inner.stop(graceMs);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const intake = await startIntake({ config, logLevel, pages: path }, ({ provider, result, seconds }) =>
      pages.metrics.delivery(provider, result, seconds),
    );
    stopping.addEventListener("abort", intake.leave, { once: true });
    return {
      address: intake.address,
      storeIn: ({ connection }) => intake.storeIn(connection),
      broken: intake.broken,
      stop: async (graceMs) => {
        await intake.stop(graceMs);
        await closeInner(graceMs);
      },
    };
  } catch (error) {
    await closeInner(0);
    throw error;
  }
}

/** For a server that no tracker calls. */
const NO_WEBHOOKS = {
  readers: [],
  receive: unexpected,
  accessGiven: unexpected,
  pushed: unexpected,
  serves: unexpected,
  limits: WEB_LIMITS,
};

async function unexpected(): Promise<never> {
  return await Promise.reject(new RelayError("internal", "a webhook came in where none is set up"));
}

function healthOf({ stopping, service: { runtime } }: OpenWebOptions): () => Promise<void> {
  return async () => {
    // Requests in progress still complete, but load balancers should stop sending new ones.
    if (stopping.aborted) throw new RelayError("unavailable", "Relay is on its way out");
    await ping(runtime().db);
  };
}

function pagesOf(
  config: Config,
  trustedProxies: number,
  { file, service, links, doctor, stopping, version, log }: OpenWebOptions,
): Pages {
  const { runtime, relay } = service;
  const ids = snowflakes();
  const receiveWithin: Runtime["receiveWithin"] = async (...given) => await runtime().receiveWithin(...given);
  // No request is made, and no adapter loaded, before somebody logs in with a tracker's account.
  const connections = once(
    async () => await openConnections(config, { db: runtime().db, clock: systemClock, sleep, log }),
  );
  const trackerOf = async (provider: HostedName) => {
    const connection = (await connections()).get(provider);
    if (connection !== undefined) return await connection.tracker();
    throw new RelayError("config", `there are no credentials for ${provider}; run relay doctor`);
  };
  return {
    metrics: metricsOf(config, runtime),
    metricsToken: metricsTokenIn(environment()),
    dashboard: {
      db: () => runtime().db,
      clock: systemClock,
      ids,
      adminToken: adminTokenIn(environment()),
      operator: userInfo().username,
      links,
      logins: loginsOf(config),
      viewers: openViewers({ db: () => runtime().db, clock: systemClock, log, trackerOf }),
      trustedProxies,
      log,
      secure: config.server.public_url?.startsWith("https:") === true,
      publicUrl: config.server.public_url,
      bot: config.bot.username ?? "relay",
      home: config.home,
      code: async () => (await relay()).code,
      budgets: budgetsOf(config),
      settings: () => settingsInForce(config, file, environment()),
      doctor,
      secretsOf: secretsOfIssues({
        db: () => runtime().db,
        home: config.home,
        clock: systemClock,
        log,
        secretsAt: secretsAt(config.explore.protect),
      }),
      people: () => localPeople(runtime().db, runtime()),
      receiveWithin,
      acts: openActs({
        db: () => runtime().db,
        bot: config.bot.username ?? "relay",
        clock: systemClock,
        ids,
        receiveWithin,
        controls: async () => ({ ...(await relay()), home: config.home }),
        hosted: { trackerOf, sendProxiedComment: jobsOn(async () => await runtime().queue()).sendProxiedComment },
      }),
      stopping,
    },
    api: {
      db: () => runtime().db,
      take: receiveWithin,
      relay,
      specModel: config.models.spec ?? config.model,
      version,
    },
    mcp: { relay, host: config.server.host, version },
    log,
  };
}

type Pages = PagesDeps & { metrics: Metrics };

function metricsOf({ budgets }: Config, runtime: () => Runtime): Metrics {
  const sources: MetricSources = {
    backlog: async () => await soon(countBacklog(runtime().db, systemClock)),
    work: async () => await soon(countWork(runtime().db)),
    figures: async () => await soon(readFigures(runtime().db)),
    jobs: async () => await soon(countJobs(runtime().db)),
    quotas: async () => await soon(listQuotas(runtime().db)),
    notices: async () => await soon(noticeFigures(runtime().db)),
    budgets: async () => await soon(readBudgets(runtime().db, budgets.unpriced_usd_per_million)),
  };
  return createMetrics(sources, { workspaceMonth: budgets.workspace_month_usd });
}

async function soon<T>(work: Promise<T>): Promise<T> {
  return await withTimeout(WEB_LIMITS.healthMs, "the database", work);
}

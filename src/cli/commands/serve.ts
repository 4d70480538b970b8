import { spawn } from "node:child_process";
import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { type Examine, openDoctor } from "../../app/doctor.ts";
import { type Config, loadConfig } from "../../config/config.ts";
import { environment } from "../../config/environment.ts";
import { unusedSettings } from "../../config/unused-settings.ts";
import { sleep, systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { jsonLog } from "../../lib/json-log.ts";
import type { Log } from "../../lib/log.ts";
import type { Runtime } from "../../app/runtime.ts";
import { type Role, rolesIn } from "../../app/roles.ts";
import { openTracing } from "../../app/tracing.ts";
import type { Listening } from "../../server/listen.ts";
import { LoginLinks } from "../../server/login.ts";
import { isLoopback } from "../../server/loopback.ts";
import { type OpenWeb, openWeb } from "../../server/open-web.ts";
import { retryUntil } from "../../server/retry-until.ts";
import { type Service, serviceOf } from "../../server/service.ts";
import { postgresVersion } from "../../storage/migrate.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { VERSION } from "../version.ts";

export interface ServeOptions extends CommonOptions {
  role?: string;
  host?: string;
  port?: string;
  /** Opens the page in a browser. */
  open?: boolean;
}

/**
 * A process that serves for weeks collects its heap when it has grown by half, and lets the space of new objects stay
 * as it is. By itself V8 lets both grow to a multiple of what is in use, the more memory the machine has (R-SCALE-1).
 */
const HEAP = ["--heap-growing-percent=50", "--semi-space-growth-factor=1"];

/** What `relay serve --json` prints once it runs. */
export interface ServeAnswer {
  /** Null where it has no role that listens. */
  address: string | null;
  /** The address that logs one browser in; null where other machines may connect. */
  login: string | null;
  roles: Role[];
  database: string;
}

/** How long to wait for the database, in milliseconds. */
const PATIENCE_MS = 60_000;
/** Grace period for requests in progress on shutdown, in milliseconds. Jobs have their own. */
const GRACE_MS = 10_000;

/**
 * `relay serve`: receives webhooks and works on issues until it is stopped. The roles may be split over any number of
 * processes that share a database.
 */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  return await serveWith(withServer(loadConfig(options.config), options), options, terminal);
}

/** The same with a configuration that is there. */
export async function serveWith(config: Config, options: ServeOptions, terminal: Terminal): Promise<number> {
  for (const flag of HEAP) setFlagsFromString(flag);
  const roles = rolesIn(options.role);
  const logLevel = options.debug ? "debug" : (config.log_level ?? "info");
  const log = jsonLog(logLevel);
  for (const sentence of unusedSettings(config, environment())) log.warn({}, sentence);
  const tracing = await openTracing(log);
  const stop = stopSignal(terminal);
  const links = new LoginLinks();
  let listening: OpenWeb | null = null;
  const service = serviceOf(config, roles, log, (opened) => listening?.storeIn(opened));
  try {
    // Report a wrong secret or a port in use at once, before waiting for anything.
    if (roles.has("web")) {
      const { signal: stopping } = stop;
      const doctor = openDoctor(examination(config, roles, service.runtime), { clock: systemClock });
      const about = { file: options.config, version: VERSION, logLevel, log } as const;
      listening = await openWeb(config, { ...about, service, links, doctor, stopping });
    }
    const runtime = await whenThere(service, log, stop);
    if (runtime !== null) {
      const login = listening !== null && isLoopback(config.server.host) ? `${listening.address}${links.make()}` : null;
      announce(roles, listening, login, runtime, options, terminal);
      if (options.open && login !== null) openInBrowser(login);
      // A killed process would not save its compile cache.
      flushCompileCache();
      await Promise.race([stop.asked, listening?.broken ?? stop.asked]);
    }
    log.info({}, "stopping");
  } finally {
    await listening?.stop(GRACE_MS);
    await service.close();
    await tracing.close();
    stop.forget();
  }
  log.info({}, "stopped");
  return EXIT.done;
}

/**
 * The checks of `relay doctor`, with the database that is open; of coding agents only where they work in this process.
 */
function examination(config: Config, roles: ReadonlySet<Role>, runtime: Service["runtime"]): Examine {
  const database = async () => {
    const { db, location } = runtime();
    return { db, location, version: await postgresVersion(db), close: async () => await Promise.resolve() };
  };
  return async (report) => {
    const { examine } = await import("../doctor/examine.ts");
    const serving = { database, works: roles.has("worker") };
    await examine({ config: () => config, env: environment(), wanted: {}, serving }, report);
  };
}

/** Null if it was stopped before the database was ready. */
async function whenThere({ open }: Service, log: Log, { signal }: StopSignal): Promise<Runtime | null> {
  try {
    const wait = async (ms: number) => await sleep(ms, signal);
    // Monotonic: a clock that jumped ahead would end the wait at once.
    const clock = { now: () => new Date(performance.timeOrigin + performance.now()) };
    return await retryUntil(open, { clock, sleep: wait, log, forMs: PATIENCE_MS });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function announce(
  roles: ReadonlySet<Role>,
  listening: Listening | null,
  /** The address that logs one browser in; null where other machines may connect. */
  login: string | null,
  { location }: Runtime,
  options: ServeOptions,
  terminal: Terminal,
): void {
  const names = [...roles];
  if (options.json) {
    printJson<ServeAnswer>(terminal, { address: listening?.address ?? null, login, roles: names, database: location });
    return;
  }
  const where = listening === null ? "Relay runs" : `Relay listens on ${listening.address}`;
  terminal.out(`${where} (${names.join(", ")}); Ctrl-C stops it.\n`);
  if (login !== null) terminal.out(`The dashboard, for one browser: ${login}\n`);
}

const BROWSERS: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", linux: "xdg-open" };

/** Without such a program, people open the printed address themselves. */
function openInBrowser(address: string): void {
  const program = BROWSERS[process.platform];
  if (program === undefined) return;
  const opening = spawn(program, [address], { detached: true, stdio: "ignore" });
  opening.on("error", () => {});
  opening.unref();
}

/** The command line overrides file and environment. */
function withServer(config: Config, { host, port }: ServeOptions): Config {
  const server = {
    ...config.server,
    host: host ?? config.server.host,
    port: port === undefined ? config.server.port : portIn(port),
  };
  return { ...config, server };
}

function portIn(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new RelayError("usage", `--port must be a number from 0 to 65535, not “${text}”`);
}

interface StopSignal {
  /** Aborted when the program is asked to stop; a second signal ends it at once. */
  signal: AbortSignal;
  asked: Promise<void>;
  forget(): void;
}

/** Listens for SIGTERM, as service managers and containers send it, and SIGINT, as the keyboard does. */
function stopSignal(terminal: Terminal): StopSignal {
  const stopping = new AbortController();
  const heard = Promise.withResolvers<void>();
  const listener = () => {
    if (stopping.signal.aborted) process.exit(EXIT.interrupted);
    terminal.err("relay: stopping; what is under way is finished first (once more ends it at once)\n");
    stopping.abort();
    heard.resolve();
  };
  process.on("SIGTERM", listener);
  process.on("SIGINT", listener);
  return {
    signal: stopping.signal,
    asked: heard.promise,
    forget: () => {
      process.off("SIGTERM", listener);
      process.off("SIGINT", listener);
    },
  };
}

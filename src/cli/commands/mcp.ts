import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { Hono } from "hono";
import { openActs } from "../../app/people/acts.ts";
import { hasDatabase } from "../../app/data-directory.ts";
import { secretsAt, secretsOfIssues } from "../../app/code/repository-secrets.ts";
import type { Runtime } from "../../app/runtime.ts";
import { operatorView } from "../../app/people/viewer.ts";
import { openRepository } from "../../code/git/repository.ts";
import { type Config, configFile, loadConfig } from "../../config/config.ts";
import { environment } from "../../config/environment.ts";
import { adminTokenIn } from "../../config/secrets.ts";
import { systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { WEB_LIMITS } from "../../server/limits.ts";
import { listen } from "../../server/listen.ts";
import { LoginLinks } from "../../server/login.ts";
import { attemptsInMemory } from "../../server/login-attempts.ts";
import { codeIn } from "../../server/mcp/code.ts";
import type { McpDeps } from "../../server/mcp/context.ts";
import { type Folder, folderAt, mainTree } from "../../server/mcp/folder.ts";
import { mcpRoutes } from "../../server/mcp/routes.ts";
import { speakStdio } from "../../server/mcp/stdio.ts";
import { commandLog } from "../session.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { VERSION } from "../version.ts";

export interface McpOptions extends CommonOptions {
  repo?: string;
  http?: boolean;
  port?: string;
}

const LOOPBACK = "127.0.0.1";
const USUAL_PORT = 8090;
/** What `relay mcp --http --json` prints once it listens; `token` is null where `RELAY_ADMIN_TOKEN` is the bearer. */
export interface McpAnswer {
  address: string;
  token: string | null;
}

/** Grace period for calls in progress, in milliseconds. */
const GRACE_MS = 2_000;

/**
 * `relay mcp [--http]`: an MCP server for the repository in which it is started, on standard input and output, or on
 * the loopback address. It opens the database with the first call that needs it, so that it is there at once.
 */
export async function mcp(options: McpOptions, terminal: Terminal): Promise<number> {
  const port = portIn(options.port);
  const path = resolve(options.repo ?? ".");
  const place = await placeOf(path);
  const config = await configFor(options, [path, ...place.tops]);
  const log = commandLog(options, config);
  const bot = config.bot.username ?? "relay";
  const open = openLater(config, log);
  const protectedAt = secretsAt(config.explore.protect);
  const code = codeIn(path, config.home, protectedAt);
  const deps: McpDeps = {
    db: async () => (await open.runtime()).db,
    acts: async () => actsOf(await open.runtime(), bot),
    withCode: code.withCode,
    ordererFor: async (repository) => {
      const { explorersOrderer } = await import("../order-by-model.ts");
      return await explorersOrderer({ config, repository }, (warning) => log.warn({ warning }, "order not kept"));
    },
    secretsOf: async (issue) => {
      const { db } = await open.runtime();
      const about = { db: () => db, home: config.home, clock: systemClock, log, secretsAt: protectedAt };
      return await secretsOfIssues(about)(issue);
    },
    folder: place.folder,
    bot,
    version: VERSION,
    log,
  };
  const stop = untilStopped();
  try {
    if (options.http) await serveHttp(deps, { config, port, options, terminal, stopping: stop.signal });
    else await speakStdio(deps, operatorView(userInfo().username), stop.signal);
    return EXIT.done;
  } finally {
    stop.forget();
    await code.close();
    await open.close();
  }
}

async function serveHttp(
  mcpDeps: McpDeps,
  {
    config,
    port,
    options,
    terminal,
    stopping,
  }: { config: Config; port: number; options: McpOptions; terminal: Terminal; stopping: AbortSignal },
): Promise<void> {
  const given = adminTokenIn(environment());
  const token = given ?? randomBytes(32).toString("base64url");
  const login = {
    // There are no sessions here: the bearer is the only way in.
    db: () => {
      throw new RelayError("unavailable", "there are no sessions here; send the bearer");
    },
    clock: systemClock,
    adminToken: token,
    operator: userInfo().username,
    links: new LoginLinks(),
    secure: false,
    trustedProxies: 0,
    tries: attemptsInMemory(systemClock),
  };
  const web = new Hono();
  const server = { host: LOOPBACK, publicUrl: config.server.public_url };
  web.route("/", mcpRoutes({ mcp: mcpDeps, login, server, stopping }));
  web.notFound((c) => c.json({ error: "MCP is at /mcp" }, 404));
  const listening = await listen(web, { at: { host: LOOPBACK, port }, limits: WEB_LIMITS });
  try {
    const address = `${listening.address}/mcp`;
    if (options.json) printJson<McpAnswer>(terminal, { address, token: given === null ? token : null });
    else {
      terminal.out(`Relay speaks MCP on ${address}; Ctrl-C stops it.\n`);
      const sent = given === null ? token : "$RELAY_ADMIN_TOKEN";
      terminal.out(`Clients send: Authorization: Bearer ${sent}\n`);
    }
    await new Promise<void>((done) => stopping.addEventListener("abort", () => done(), { once: true }));
  } finally {
    await listening.stop(GRACE_MS);
  }
}

/** The folder, if it is in a repository, and the tops of its work trees. */
async function placeOf(path: string): Promise<{ folder: Folder | null; tops: string[] }> {
  try {
    const repository = await openRepository(path);
    await repository.close();
    return { folder: folderAt(path), tops: [repository.root, await mainTree(repository.gitDirectory)] };
  } catch (error) {
    if (error instanceof RelayError && error.code === "usage") return { folder: null, tops: [] };
    throw error;
  }
}

/** The configuration and data of the current folder; where it has none, of the first of these folders that does. */
async function configFor({ config: file }: McpOptions, folders: readonly string[]): Promise<Config> {
  const here = loadConfig(file);
  if (file !== undefined || existsSync(configFile(file)) || (await hasDatabase(here))) return here;
  for (const folder of folders) {
    const own = join(folder, "relay.yaml");
    const config = existsSync(own) ? loadConfig(own) : here;
    const there = { ...config, home: resolve(folder, config.home) };
    if (config !== here || (await hasDatabase(there))) return there;
  }
  return here;
}

/** The database, opened once it is needed; who asks while it cannot be opened gets the reason, and may ask again. */
function openLater(config: Config, log: Log) {
  let opening: Promise<Runtime> | null = null;
  const open = async () => {
    if (!(await hasDatabase(config))) {
      throw new RelayError(
        "not_found",
        `Relay knows no issue here yet: there is no database in ${resolve(config.home)}; run relay spec or relay serve first, or start relay mcp where they run`,
      );
    }
    const { openRuntime } = await import("../../app/runtime.ts");
    return await openRuntime(config, log);
  };
  return {
    runtime: async () =>
      await (opening ??= open().catch((error: unknown) => {
        opening = null;
        throw error;
      })),
    // The caller got the error; there is nothing to close.
    close: async () => await (await opening?.catch(() => null))?.close(),
  };
}

function actsOf({ db, clock, ids, receiveWithin }: Runtime, bot: string) {
  return openActs({ db: () => db, bot, clock, ids, receiveWithin, controls });
}

async function controls(): Promise<never> {
  return await Promise.reject(new RelayError("forbidden", "MCP carries no verb out"));
}

function portIn(text: string | undefined): number {
  const port = text === undefined ? USUAL_PORT : Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && text !== "") return port;
  throw new RelayError("usage", `--port must be a number from 0 to 65535, not “${text}”`);
}

/** Aborted by SIGTERM, and by SIGINT as the keyboard sends it; a second one ends the program at once. */
function untilStopped(): { signal: AbortSignal; forget: () => void } {
  const stopping = new AbortController();
  const stop = () => (stopping.signal.aborted ? process.exit(EXIT.interrupted) : stopping.abort());
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return {
    signal: stopping.signal,
    forget: () => {
      process.off("SIGTERM", stop);
      process.off("SIGINT", stop);
    },
  };
}

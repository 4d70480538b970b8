import { chown, open, readFile, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { sleep } from "../../lib/clock.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { locked } from "../../lib/lock.ts";
import type { Log } from "../../lib/log.ts";
import { findBinaries } from "./binaries.ts";
import { USER, ensureCluster, passwordFile } from "./cluster.ts";
import { guardServer } from "./guard.ts";
import { isRunning, readPidFile } from "./pid-file.ts";
import { type ClusterLocation, type Transport, locateCluster } from "./location.ts";
import { type Start, startServer, stopServer } from "./server-process.ts";
import { SOCKET_PORT, socketFolder } from "./socket.ts";

export interface Connection {
  host: string;
  port: number;
  user: string;
  database: string;
  password?: string;
}

export interface EmbeddedServer {
  connection: Connection;
  /** The location of the data. */
  folder: string;
  /** Disconnects; the last user stops the server. */
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Data directory of Relay; created if missing. */
  home: string;
  log: Log;
  /** By default a Unix socket, and loopback on Windows. */
  transport?: Transport;
  /** Seconds between two looks whether anybody still uses the server; for tests. */
  lookEveryS?: number;
}

const DATABASE = "relay";
/** Timeout for connecting, in milliseconds; a start after a crash may have much to recover. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;
/** Between two attempts to start it. */
const START_PAUSE_MS = 250;
const HANG_UP_MS = 1_000;
/** Timeout of one connection attempt: the server may have stopped during it. */
const ANSWER_MS = 5_000;
/** Failed starts before it throws. */
const STARTS = 3;
/** The advisory lock that every user of the server shares for as long as it uses it. */
const IN_USE = 7_236_114;

/**
 * The embedded PostgreSQL of a data directory: one server process that all `relay` commands on the directory share. The
 * first command starts it, the last one stops it; it is reused after a crash of its users and restarted if it is
 * killed.
 *
 * Each user holds a shared advisory lock on its own connection, which is released however its process ends. A user that
 * leaves tries to take the exclusive lock: if it succeeds, no other user is registered, and newcomers wait for the lock
 * until the server goes down, then start over. A guard in the server does the same where the last user was killed.
 *
 * Throws `config` if this machine or directory cannot have one, `io` if the disk fails, `unavailable` if it does not
 * answer within 60 s.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const transport = options.transport ?? (process.platform === "win32" ? "loopback" : "socket");
  const location = await locateCluster(resolve(options.home), findBinaries(), options.log);
  const leaving = new AbortController();
  const first = await ensureCluster(location, transport)
    .then(async () => await register(location, transport, leaving.signal))
    .catch((error: unknown) => {
      throw asRelayError(location, error);
    });
  let current: Promise<Registration | null> = Promise.resolve(first);
  let guard: { leave: () => void } | null = null;

  const stay = (registration: Registration) => {
    if (transport === "socket") guard = guardServer(registration.to, IN_USE, options.lookEveryS);
    registration.client.once("end", () => {
      if (leaving.signal.aborted) return;
      options.log.warn({ folder: location.folder }, "the embedded database went away; starting it again");
      current = register(location, transport, leaving.signal).then(
        (again) => {
          stay(again);
          return again;
        },
        (error: unknown) => {
          if (!leaving.signal.aborted) options.log.error({ error: messageOf(error) }, "the embedded database is gone");
          return null;
        },
      );
    });
  };
  stay(first);
  return {
    connection: { ...first.to, database: DATABASE },
    folder: location.folder,
    close: async () => {
      if (leaving.signal.aborted) return;
      leaving.abort();
      const registration = await current;
      guard?.leave();
      if (registration) await leave(registration, location, transport);
    },
  };
}

interface Registration {
  client: Client;
  to: Omit<Connection, "database">;
}

/** Connects and registers as a user, starting the server if none answers, until the timeout. */
async function register(location: ClusterLocation, transport: Transport, leaving: AbortSignal): Promise<Registration> {
  const giveUp = Date.now() + PATIENCE_MS;
  let failures = 0;
  for (;;) {
    const to = await address(location, transport);
    const client = new Client({
      ...to,
      database: "postgres",
      application_name: "relay",
      ssl: false,
      connectionTimeoutMillis: ANSWER_MS,
    });
    // A server that goes down ends the connection; the next use of it fails.
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select pg_advisory_lock_shared($1)", [IN_USE]);
      await ensureDatabase(client);
      return { client, to };
    } catch (error) {
      await disconnect(client);
      const state = stateOf(error);
      if (state === "refuses") throw refusal(location, error);
      if (state === "absent") {
        // Even while leaving, wait for a server that is starting: it has to be stopped.
        if (!(await isRunning(location.data))) leaving.throwIfAborted();
        const start = await startAlone(location, transport, to.host);
        if (start.kind === "failed" && ++failures === STARTS) throw startFailure(location, start.reason);
        if (start.kind === "held" && Date.now() > giveUp) throw startFailure(location, start.reason);
        if (start.kind !== "started") await sleep(START_PAUSE_MS);
      }
      if (Date.now() > giveUp) {
        throw new RelayError(
          "unavailable",
          `the embedded database in ${location.folder} did not answer within ${PATIENCE_MS / 1000} s (${messageOf(error)}); see server.log there, and try again`,
          { cause: error },
        );
      }
      await sleep(PAUSE_MS);
    }
  }
}

async function address(location: ClusterLocation, transport: Transport): Promise<Registration["to"]> {
  if (transport === "socket") {
    return { host: await socketFolder(location.folder, location.account), port: SOCKET_PORT, user: USER };
  }
  const file = await readPidFile(location.data);
  // A dead server's port may belong to another program by now.
  const port = file.kind === "server" && (await isRunning(location.data)) ? file.port : 0;
  const password = await readFile(passwordFile(location.folder), "utf8");
  // Nothing listens on port 1, so the server gets started.
  return { host: "127.0.0.1", port: port > 0 ? port : 1, user: USER, password };
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [DATABASE]);
  if (rowCount === 1) return;
  await client.query(`create database ${DATABASE}`).catch((error: unknown) => {
    // Another process was first.
    if (systemCode(error) !== "42P04" && systemCode(error) !== "23505") throw error;
  });
}

/** The server's state, from a failed connection: not running, starting or stopping, or refusing. */
function stateOf(error: unknown): "absent" | "changing" | "refuses" {
  const code = systemCode(error);
  if (code === "ENOENT" || code === "ECONNREFUSED") return "absent";
  const isRefusal = code !== undefined && /^(28|42|53|54|58|E(ACCES|PERM|INVAL|NAMETOOLONG))/.test(code);
  return isRefusal && code !== "53300" ? "refuses" : "changing";
}

/** Starts the server under a lock, one process at a time. */
async function startAlone(location: ClusterLocation, transport: Transport, host: string): Promise<Start> {
  const file = join(location.folder, "start.lock");
  const handle = await open(file, "a", 0o600);
  await handle.close();
  if (location.account) await chown(file, location.account.uid, location.account.gid);
  try {
    return await locked(file, async () => await startServer(location, transport, host));
  } catch (error) {
    // Another process is still starting it.
    if (error instanceof RelayError && error.code === "conflict") return { kind: "started" };
    throw error;
  }
}

/** Ends a connection; one that broke while connecting may never report its end. */
async function disconnect(client: Client): Promise<void> {
  const waiting = new AbortController();
  const enough = sleep(HANG_UP_MS, waiting.signal).catch(() => {});
  await Promise.race([client.end().catch(() => {}), enough]);
  waiting.abort();
}

async function leave({ client, to }: Registration, location: ClusterLocation, transport: Transport): Promise<void> {
  try {
    await client.query("select pg_advisory_unlock_shared($1)", [IN_USE]);
    const { rows } = await client.query<{ last: boolean }>("select pg_try_advisory_lock($1) as last", [IN_USE]);
    if (rows[0]?.last === true) {
      if (transport === "socket" && to.host !== location.folder) await unlink(to.host).catch(() => {});
      await stopServer(location, transport);
    }
  } catch {
    // The server is gone already.
  }
  await disconnect(client);
}

function refusal(location: ClusterLocation, cause: unknown): RelayError {
  if (systemCode(cause) === "53100") return fullDisk(location, cause);
  return new RelayError(
    "config",
    `the embedded database in ${location.folder} refuses this account: ${messageOf(cause)}; run Relay as the account that made it, or set RELAY_HOME`,
    { cause },
  );
}

function startFailure(location: ClusterLocation, reason: string): RelayError {
  if (/no space left|disk quota/i.test(reason)) return fullDisk(location, reason);
  return new RelayError(
    "unavailable",
    `the embedded database in ${location.folder} does not start: ${reason}; fix that (server.log there has more) and try again`,
  );
}

function asRelayError(location: ClusterLocation, cause: unknown): unknown {
  const code = systemCode(cause);
  if (cause instanceof RelayError || code === undefined || !/^E[A-Z]+$/.test(code)) return cause;
  if (code === "ENOSPC" || code === "EDQUOT") return fullDisk(location, cause);
  return new RelayError("io", `cannot use the database in ${location.folder}: ${messageOf(cause)}`, { cause });
}

function fullDisk(location: ClusterLocation, cause: unknown): RelayError {
  return new RelayError("io", `the disk of ${location.folder} is full; free some room and try again`, { cause });
}

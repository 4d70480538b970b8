import { chown, open, readFile, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { sleep } from "../../lib/clock.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { locked } from "../../lib/lock.ts";
import type { Log } from "../../lib/log.ts";
import { findBinaries } from "./binaries.ts";
import { USER, ensureCluster, passwordFile } from "./cluster.ts";
import { isRunning, readPidFile } from "./pid-file.ts";
import type { Place, Reach } from "./place.ts";
import { choosePlace } from "./place.ts";
import type { Start } from "./server-process.ts";
import { startServer, stopServer } from "./server-process.ts";
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
  /** Where the data is. */
  folder: string;
  /** Leaves; the last user of the server stops it. */
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Data directory of Relay; made when missing. */
  home: string;
  log: Log;
  /** Loopback where there are no Unix sockets. */
  reach?: Reach;
}

const DATABASE = "relay";
/** How long to wait for a server to answer, in milliseconds; a start after a crash may have much to recover. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;
/** Between two tries to start it. */
const START_PAUSE_MS = 250;
const HANG_UP_MS = 1_000;
/** A server that does not take a connection for so long is tried anew: it may have gone while it was about to. */
const ANSWER_MS = 5_000;
/** A server that ends this many times right after its start will not do better the next time. */
const STARTS = 3;
/** The advisory lock that every user of the server shares for as long as it uses it. */
const IN_USE = 7_236_114;

/**
 * The embedded PostgreSQL of a data directory. It is a program of its own that all `relay` commands on the directory
 * share: started by the first, stopped by the last, found again after a crash, started again where it was killed.
 *
 * Who is last is told by a shared advisory lock on one connection per user: it goes away with its process, however
 * that ends. Whoever leaves tries for the exclusive lock; holding it, nobody else is registered, and a newcomer waits
 * at the lock until the server goes down under it, and starts over.
 *
 * Throws `config` where this machine or this directory cannot have one, `io` where the disk refuses, `unavailable`
 * where it does not answer within 60 s.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const reach = options.reach ?? (process.platform === "win32" ? "loopback" : "socket");
  const place = await choosePlace(resolve(options.home), findBinaries(), options.log);
  const leaving = new AbortController();
  const first = await ensureCluster(place, reach)
    .then(async () => await register(place, reach, leaving.signal))
    .catch((error: unknown) => {
      throw asRelayError(place, error);
    });
  let current: Promise<Registration | null> = Promise.resolve(first);

  const stay = (registration: Registration) => {
    registration.client.once("end", () => {
      if (leaving.signal.aborted) return;
      options.log.warn({ folder: place.folder }, "the embedded database went away; starting it again");
      current = register(place, reach, leaving.signal).then(
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
    folder: place.folder,
    close: async () => {
      if (leaving.signal.aborted) return;
      leaving.abort();
      const registration = await current;
      if (registration) await leave(registration, place, reach);
    },
  };
}

interface Registration {
  client: Client;
  to: Omit<Connection, "database">;
}

/** Connects and registers as a user, starting the server where none answers, until patience is over. */
async function register(place: Place, reach: Reach, leaving: AbortSignal): Promise<Registration> {
  const giveUp = Date.now() + PATIENCE_MS;
  let failures = 0;
  for (;;) {
    const to = await address(place, reach);
    const client = new Client({
      ...to,
      database: "postgres",
      application_name: "relay",
      ssl: false,
      connectionTimeoutMillis: ANSWER_MS,
    });
    // A server that goes down ends the connection; whoever uses it next notices.
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select pg_advisory_lock_shared($1)", [IN_USE]);
      await ensureDatabase(client);
      return { client, to };
    } catch (error) {
      await hangUp(client);
      const state = stateOf(error);
      if (state === "refuses") throw refusal(place, error);
      if (state === "absent") {
        // One that is starting already is waited for even then: somebody has to stop it.
        if (!(await isRunning(place.data))) leaving.throwIfAborted();
        const start = await startAlone(place, reach, to.host);
        if (start.kind === "failed" && ++failures === STARTS) throw startFailure(place, start.reason);
        if (start.kind === "held" && Date.now() > giveUp) throw startFailure(place, start.reason);
        if (start.kind !== "started") await sleep(START_PAUSE_MS);
      }
      if (Date.now() > giveUp) {
        throw new RelayError(
          "unavailable",
          `the embedded database in ${place.folder} did not answer within ${PATIENCE_MS / 1000} s (${messageOf(error)}); see server.log there, and try again`,
          { cause: error },
        );
      }
      await sleep(PAUSE_MS);
    }
  }
}

async function address(place: Place, reach: Reach): Promise<Registration["to"]> {
  if (reach === "socket") {
    return { host: await socketFolder(place.folder, place.account), port: SOCKET_PORT, user: USER };
  }
  const file = await readPidFile(place.data);
  // A port that a dead server left may be somebody else's by now.
  const port = file.kind === "server" && (await isRunning(place.data)) ? file.port : 0;
  const password = await readFile(passwordFile(place.folder), "utf8");
  // Port 1 answers to nobody: the server is to be started.
  return { host: "127.0.0.1", port: port > 0 ? port : 1, user: USER, password };
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [DATABASE]);
  if (rowCount === 1) return;
  await client.query(`create database ${DATABASE}`).catch((error: unknown) => {
    // Somebody else was first.
    if (systemCode(error) !== "42P04" && systemCode(error) !== "23505") throw error;
  });
}

/** What a failed attempt says of the server: not there, there but not ready (or just gone), or there and unwilling. */
function stateOf(error: unknown): "absent" | "changing" | "refuses" {
  const code = systemCode(error);
  if (code === "ENOENT" || code === "ECONNREFUSED") return "absent";
  const isRefusal = code !== undefined && /^(28|42|53|54|58|E(ACCES|PERM|INVAL|NAMETOOLONG))/.test(code);
  return isRefusal && code !== "53300" ? "refuses" : "changing";
}

/** One process at a time looks whether the server runs, and starts it. */
async function startAlone(place: Place, reach: Reach, host: string): Promise<Start> {
  const file = join(place.folder, "start.lock");
  const handle = await open(file, "a", 0o600);
  await handle.close();
  if (place.account) await chown(file, place.account.uid, place.account.gid);
  try {
    return await locked(file, async () => await startServer(place, reach, host));
  } catch (error) {
    // Somebody else takes long to start it.
    if (error instanceof RelayError && error.code === "conflict") return { kind: "started" };
    throw error;
  }
}

/** A connection that broke while it was made may never tell that it has ended. */
async function hangUp(client: Client): Promise<void> {
  const waiting = new AbortController();
  const enough = sleep(HANG_UP_MS, waiting.signal).catch(() => {});
  await Promise.race([client.end().catch(() => {}), enough]);
  waiting.abort();
}

async function leave({ client, to }: Registration, place: Place, reach: Reach): Promise<void> {
  try {
    await client.query("select pg_advisory_unlock_shared($1)", [IN_USE]);
    const { rows } = await client.query<{ last: boolean }>("select pg_try_advisory_lock($1) as last", [IN_USE]);
    if (rows[0]?.last === true) {
      if (reach === "socket" && to.host !== place.folder) await unlink(to.host).catch(() => {});
      await stopServer(place, reach);
    }
  } catch {
    // The server is gone already; there is nothing to leave.
  }
  await hangUp(client);
}

function refusal(place: Place, cause: unknown): RelayError {
  if (systemCode(cause) === "53100") return fullDisk(place, cause);
  return new RelayError(
    "config",
    `the embedded database in ${place.folder} refuses this account: ${messageOf(cause)}; run Relay as the account that made it, or set RELAY_HOME`,
    { cause },
  );
}

function startFailure(place: Place, reason: string): RelayError {
  if (/no space left|disk quota/i.test(reason)) return fullDisk(place, reason);
  return new RelayError(
    "unavailable",
    `the embedded database in ${place.folder} does not start: ${reason}; mend that (server.log there has more) and try again`,
  );
}

function asRelayError(place: Place, cause: unknown): unknown {
  const code = systemCode(cause);
  if (cause instanceof RelayError || code === undefined || !/^E[A-Z]+$/.test(code)) return cause;
  if (code === "ENOSPC" || code === "EDQUOT") return fullDisk(place, cause);
  return new RelayError("io", `cannot use the database in ${place.folder}: ${messageOf(cause)}`, { cause });
}

function fullDisk(place: Place, cause: unknown): RelayError {
  return new RelayError("io", `the disk of ${place.folder} is full; free some room and try again`, { cause });
}

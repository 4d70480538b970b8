import { spawn } from "node:child_process";
import { chmod, open, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { sleep } from "../../lib/clock.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import type { Log } from "../../lib/log.ts";
import type { Account } from "./account.ts";
import { serverAccount } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import type { Place } from "./place.ts";
import { choosePlace, socketFolder } from "./place.ts";

export interface EmbeddedServer {
  connection: { host: string; user: string; database: string };
  /** Where the data is. */
  folder: string;
  /** Leaves; the last user of the server stops it. */
  close(): Promise<void>;
}

/** The cluster format of the embedded server; a folder of another one must be dumped and restored. */
const MAJOR = "18";
const USER = "relay";
const DATABASE = "relay";
const PATIENCE_MS = 30_000;
/** The advisory lock that every user of the server shares for as long as it uses it. */
const IN_USE = 7_236_114;

/**
 * The embedded PostgreSQL of a data directory. It is a program of its own that all `relay` commands on the
 * directory share: started by the first, stopped by the last, found again after a crash. It listens on a Unix
 * socket in its own folder only.
 *
 * Who is last is told by a shared advisory lock on one connection per user: it goes away with its process,
 * however that ends. Whoever leaves tries for the exclusive lock; holding it, nobody else is registered, and a
 * newcomer waits at the lock until the server goes down under it, and starts over.
 */
export async function openEmbedded(options: { home: string; log: Log }): Promise<EmbeddedServer> {
  const account = await serverAccount();
  const place = await choosePlace(resolve(options.home), findBinaries(), account, options.log);
  const data = join(place.folder, "data");
  await ensureCluster(place, data, account);
  const host = await socketFolder(place.folder);
  const user = await register(host, () => startServer(place, data, host, account));
  return {
    connection: { host, user: USER, database: DATABASE },
    folder: place.folder,
    close: async () => await leave(user, data),
  };
}

/** Makes the cluster aside and renames it into place, so that there is a whole one or none. */
async function ensureCluster(place: Place, data: string, account: Account | null): Promise<void> {
  const version = await readFile(join(data, "PG_VERSION"), "utf8").catch(() => null);
  if (version !== null && version.trim() !== MAJOR) {
    throw new RelayError(
      "config",
      `the database in ${place.folder} was made by PostgreSQL ${version.trim()}, this Relay brings ${MAJOR}; dump it with \`relay backup\` of the version that made it, move the folder away, and restore`,
    );
  }
  if (version !== null) return;
  const fresh = `${data}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  const made = await exec(
    place.binaries.initdb,
    ["-D", fresh, "-U", USER, "-E", "UTF8", "--locale=C", "--auth=trust", "--no-instructions"],
    { cwd: place.folder, ...account },
  );
  if (made.code !== 0) {
    await rm(fresh, { recursive: true, force: true });
    throw new RelayError("io", `cannot make the database in ${place.folder}: ${lastLine(made.stderr)}`);
  }
  await chmod(fresh, 0o700);
  await rename(fresh, data).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true });
    if (!(await stat(join(data, "PG_VERSION")).catch(() => null))) throw error;
  });
}

/** Clusters that were being made when their makers were killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const maker = Number(/^data\.(\d+)$/.exec(name)?.[1] ?? 0);
    if (maker === 0 || isAlive(maker)) continue;
    // Its `initdb` may have outlived the maker and write on for a moment; what stays goes with the next start.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
  }
}

async function startServer(place: Place, data: string, host: string, account: Account | null): Promise<() => string> {
  await removeAbandoned(place.folder);
  await removeStalePid(data, host);
  const logFile = join(place.folder, "server.log");
  const log = await open(logFile, "a");
  let ended = "";
  const settings = {
    unix_socket_directories: `"${host}"`,
    unix_socket_permissions: "0700",
    listen_addresses: "",
    shared_buffers: "32MB",
    max_connections: "200",
    timezone: "UTC",
  };
  const server = spawn(
    place.binaries.postgres,
    ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { cwd: place.folder, detached: true, stdio: ["ignore", log.fd, log.fd], ...account },
  );
  server.on("error", (error) => (ended = messageOf(error)));
  server.on("exit", () => void whyItEnded(logFile).then((reason) => (ended = reason)));
  server.unref();
  await log.close();
  return () => ended;
}

async function whyItEnded(logFile: string): Promise<string> {
  return lastLine(await readFile(logFile, "utf8").catch(() => "it ended and left no log"));
}

/** Connects and registers as a user, starting the server where none answers, until patience is over. */
async function register(host: string, start: () => Promise<() => string>): Promise<Client> {
  const giveUp = Date.now() + PATIENCE_MS;
  let whyEnded: (() => string) | null = null;
  for (;;) {
    const client = new Client({ host, user: USER, database: "postgres", application_name: "relay" });
    // A server that goes down ends the connection; whoever uses it next notices.
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select pg_advisory_lock_shared($1)", [IN_USE]);
      await client.query(`create database ${DATABASE}`).catch((error: unknown) => {
        if (systemCode(error) !== "42P04" && systemCode(error) !== "23505") throw error;
      });
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      const code = systemCode(error) ?? "";
      if (code === "53100") throw new RelayError("io", `the disk is full: ${messageOf(error)}`, { cause: error });
      if (Date.now() > giveUp) {
        const reason = whyEnded?.() || messageOf(error);
        throw new RelayError("unavailable", `the embedded database did not start: ${reason}`, { cause: error });
      }
      if (code === "ENOENT" || code === "ECONNREFUSED") {
        if (whyEnded === null || whyEnded() !== "") whyEnded = await start();
      }
      await sleep(20);
    }
  }
}

async function leave(client: Client, data: string): Promise<void> {
  try {
    await client.query("select pg_advisory_unlock_shared($1)", [IN_USE]);
    const { rows } = await client.query<{ last: boolean }>("select pg_try_advisory_lock($1) as last", [IN_USE]);
    if (rows[0]?.last === true) await stopServer(data);
  } catch {
    // The server is gone already; there is nothing to leave.
  }
  await client.end().catch(() => {});
}

async function stopServer(data: string): Promise<void> {
  const pid = await serverPid(data);
  if (pid === null) return;
  process.kill(pid, "SIGINT"); // a fast shutdown: ends what is connected, loses nothing committed
  const giveUp = Date.now() + PATIENCE_MS;
  // Another number is the server of a newcomer, who did not wait.
  while (Date.now() < giveUp && (await serverPid(data)) === pid) await sleep(10);
}

/**
 * After a crash of the machine the pid file can name a process that is no server at all, which PostgreSQL
 * would take for one and refuse to start. A file that names nobody is left to PostgreSQL: it tells from it whether
 * sessions of a killed server still write to the data, and another command may be putting its own in its place.
 */
async function removeStalePid(data: string, host: string): Promise<void> {
  const pid = await serverPid(data);
  if (pid === null || !isAlive(pid) || (await isPostgres(pid))) return;
  for (const file of [join(data, "postmaster.pid"), join(host, ".s.PGSQL.5432.lock"), join(host, ".s.PGSQL.5432")]) {
    await rm(file, { force: true });
  }
}

async function serverPid(data: string): Promise<number | null> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number(text.split("\n")[0]);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

async function isPostgres(pid: number): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(async () => {
    if (process.platform === "linux") return "";
    const listed = await exec("ps", ["-p", String(pid), "-o", "comm="]);
    return listed.stdout.toString("utf8");
  });
  return name.includes("postgres");
}

function lastLine(text: string): string {
  const lines = text.trim().split("\n");
  const telling = lines.findLast((line) => /error|fatal|panic/i.test(line));
  return (telling ?? lines.at(-1) ?? "").trim();
}

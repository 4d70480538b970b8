import { spawn } from "node:child_process";
import { open, readFile, readdir, readlink, realpath, rename, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemCode } from "../../lib/errors.ts";
import { environmentWith, exec } from "../../lib/exec.ts";
import { clearStalePid, isRunning, readPidFile } from "./pid-file.ts";
import type { ClusterLocation, Transport } from "./location.ts";
import { SOCKET_PORT } from "./socket.ts";

/** `held`: leftovers of an earlier server still hold the cluster, temporarily. */
export type Start = { kind: "started" } | { kind: "failed"; reason: string } | { kind: "held"; reason: string };

const PATIENCE_SECONDS = 60;
/** For `pg_ctl`, which has its own timeout. */
const LIMIT_MS = 90_000;
const LOG_LIMIT = 1024 * 1024;
/** The only variables the server gets: tokens and keys must not leak to its account. */
const NEEDED = /^(PATH|LD_LIBRARY_PATH|NIX_LD\w*|SYSTEMROOT|COMSPEC|TEMP|TMP)$/i;

const SETTINGS = {
  fsync: "on",
  shared_buffers: "32MB",
  max_connections: "200",
  timezone: "UTC",
  log_checkpoints: "off",
  // With the error code of each message; no spaces, as it passes through a shell.
  log_line_prefix: "%m[%p]%e:",
};
/** PostgreSQL's `lock_file_exists`: a lock file, or shared memory in use by an earlier server's process. */
const HELD = /\bF0001:/;

export function serverEnvironment(): Record<string, string | undefined> {
  const inherited = Object.entries(environmentWith({})).filter(([name]) => NEEDED.test(name));
  return { ...Object.fromEntries(inherited), LC_ALL: "C" };
}

/**
 * Starts the server of a cluster as a detached process; does nothing if it is running. For `held`, leftovers of an
 * earlier server have been removed as far as possible and the caller should retry. Only one process may call this at a
 * time. Resolves when the server has claimed the cluster, before it accepts connections.
 */
export async function startServer(location: ClusterLocation, transport: Transport, host: string): Promise<Start> {
  if (await isRunning(location.data)) return { kind: "started" };
  await clearStalePid(location, host);
  const log = join(location.folder, "server.log");
  const before = await rotate(log);
  const started =
    transport === "socket" ? await startOnSocket(location, host, log) : await startOnLoopback(location, log);
  if (started) return { kind: "started" };
  const written = (await readFile(log).catch(() => Buffer.alloc(0))).subarray(before).toString("utf8");
  const held = written.split("\n").findLast((line) => HELD.test(line));
  if (held !== undefined) {
    await endOrphans(location.data);
    return { kind: "held", reason: lastErrorLine(held) };
  }
  return { kind: "failed", reason: lastErrorLine(written) || "it ended at once and left nothing in its log" };
}

/** Stops the server: ends every connection and flushes all data. Resolves when it is gone. */
export async function stopServer(location: ClusterLocation, transport: Transport): Promise<void> {
  if (transport === "loopback") {
    const args = ["stop", "-D", location.data, "-m", "fast", "-t", String(PATIENCE_SECONDS)];
    await exec(location.binaries.pgCtl, args, {
      cwd: location.folder,
      env: serverEnvironment(),
      timeoutMs: LIMIT_MS,
      ...location.account,
    });
    return;
  }
  const file = await readPidFile(location.data);
  if (file.kind !== "server") return;
  process.kill(file.pid, "SIGINT"); // PostgreSQL's "fast" shutdown
  for (let waited = 0; waited < PATIENCE_SECONDS * 1000 && (await isRunning(location.data)); waited += 10) {
    await setTimeout(10);
  }
}

async function startOnSocket(location: ClusterLocation, host: string, logFile: string): Promise<boolean> {
  const log = await open(logFile, "a");
  const folder = `"${host.replaceAll('"', '""')}"`;
  const settings = {
    ...SETTINGS,
    unix_socket_directories: folder,
    unix_socket_permissions: "0700",
    listen_addresses: "",
  };
  const server = spawn(
    location.binaries.postgres,
    ["-D", location.data, "-p", String(SOCKET_PORT), ...asOptions(settings)],
    {
      cwd: location.folder,
      env: serverEnvironment(),
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      ...location.account,
    },
  );
  let ended = false;
  server.on("error", () => (ended = true));
  server.on("exit", () => (ended = true));
  server.unref();
  try {
    for (let waited = 0; waited < PATIENCE_SECONDS * 1000; waited += 5) {
      const file = await readPidFile(location.data);
      if (file.kind === "server" && file.pid === server.pid) return true;
      if (ended) return false;
      await setTimeout(5);
    }
    return false;
  } finally {
    await log.close();
  }
}

/** Uses `pg_ctl`: on Windows it drops administrator rights, with which the server refuses to run. */
async function startOnLoopback(location: ClusterLocation, logFile: string): Promise<boolean> {
  const settings = { ...SETTINGS, listen_addresses: "127.0.0.1", unix_socket_directories: "" };
  const file = await readPidFile(location.data);
  // A killed server returns to the port its clients know, if that is still free.
  const port = (file.kind === "server" && (await freePort(file.port))) || (await freePort(0));
  const options = ["-p", String(port), ...asOptions(settings)].join(" ");
  const args = ["start", "-D", location.data, "-l", logFile, "-t", String(PATIENCE_SECONDS), "-o", options];
  const started = await exec(location.binaries.pgCtl, args, {
    cwd: location.folder,
    env: serverEnvironment(),
    timeoutMs: LIMIT_MS,
    ...location.account,
  });
  return started.code === 0;
}

function asOptions(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** The port if it is free, or any free one for 0; null if it is taken. */
async function freePort(wanted: number): Promise<number | null> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(wanted, "127.0.0.1", () => resolve(true));
  });
  if (!listens) return null;
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === "object" && address !== null ? address.port : null;
}

/** Rotates the log, keeping one older file; returns the size of the current one. */
async function rotate(log: string): Promise<number> {
  try {
    const { size } = await stat(log);
    if (size < LOG_LIMIT) return size;
    await rename(log, `${log}.old`);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  return 0;
}

/** The last error in a log, or else its last line. */
export function lastErrorLine(text: string): string {
  const lines = text.trim().split("\n");
  const telling = lines.findLast((line) => /error|fatal|panic/i.test(line));
  return (telling ?? lines.at(-1) ?? "").trim().replace(/^\d{4}-\S+ \S+ \w+ ?\[\d+\](\w{5}:| )/, "");
}

/** Most processes notice the end of their server within milliseconds; one in a long computation does not. */
const PATIENCE_MS = 3_000;
/** For the system to reap a killed process. */
const DYING_MS = 5_000;
const PAUSE_MS = 50;

/**
 * Processes of a killed server may outlive it for a while, and PostgreSQL starts no new server while one does: they
 * share memory that the new one would not see. Waits for them to exit and kills those that do not, which loses no more
 * than the kill of their server did. Affects only programs called `postgres` with this cluster as their working
 * directory, and only while no server runs. Only Linux exposes working directories; elsewhere the caller's retries have
 * to outlast them.
 */
async function endOrphans(data: string): Promise<void> {
  if (await areGone(data, PATIENCE_MS)) return;
  for (const pid of await processesIn(data)) {
    if (await isRunning(data)) return;
    kill(pid);
  }
  await areGone(data, DYING_MS);
}

/** Also true once another server runs: the processes are then its own. */
async function areGone(data: string, patienceMs: number): Promise<boolean> {
  for (let waited = 0; waited <= patienceMs; waited += PAUSE_MS) {
    if ((await processesIn(data)).length === 0 || (await isRunning(data))) return true;
    await setTimeout(PAUSE_MS);
  }
  return false;
}

/** Zombies do not count: they have no working directory any more. */
async function processesIn(data: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const cluster = await realpath(data);
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 1);
  const belonging = await Promise.all(pids.map(async (pid) => await belongs(pid, cluster)));
  return pids.filter((_, at) => belonging[at] === true);
}

async function belongs(pid: number, cluster: string): Promise<boolean> {
  const at = await readlink(join("/proc", String(pid), "cwd")).catch(() => null);
  if (at !== cluster) return false;
  const program = await readlink(join("/proc", String(pid), "exe")).catch(() => "");
  // An upgrade may have replaced the program.
  return basename(program.replace(/ \(deleted\)$/, "")) === "postgres";
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It exited by itself, or belongs to another account.
    if (systemCode(error) !== "ESRCH" && systemCode(error) !== "EPERM") throw error;
  }
}

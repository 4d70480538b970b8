import { spawn } from "node:child_process";
import { open, readFile, readdir, readlink, realpath, rename, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemCode } from "../../lib/errors.ts";
import { environmentWith, exec } from "../../lib/exec.ts";
import { clearStalePid, isRunning, readPidFile } from "./pid-file.ts";
import type { Place, Reach } from "./place.ts";
import { SOCKET_PORT } from "./socket.ts";

/** `held`: something still has the cluster in its hands, which passes. */
export type Start = { kind: "started" } | { kind: "failed"; reason: string } | { kind: "held"; reason: string };

const PATIENCE_SECONDS = 60;
/** For `pg_ctl`, which keeps to the patience itself. */
const LIMIT_MS = 90_000;
const LOG_LIMIT = 1024 * 1024;
/** The server needs these from the environment and nothing else: tokens and keys are no business of its account. */
const NEEDED = /^(PATH|LD_LIBRARY_PATH|NIX_LD\w*|SYSTEMROOT|COMSPEC|TEMP|TMP)$/i;

const SETTINGS = {
  fsync: "on",
  shared_buffers: "32MB",
  max_connections: "200",
  timezone: "UTC",
  log_checkpoints: "off",
  // With the code of each message, by which failures are told apart; no spaces, as it passes through a shell.
  log_line_prefix: "%m[%p]%e:",
};
/** PostgreSQL's `lock_file_exists`: a lock file in the way, or memory that a process of an earlier server uses. */
const HELD = /\bF0001:/;

export function serverEnvironment(): Record<string, string | undefined> {
  const inherited = Object.entries(environmentWith({})).filter(([name]) => NEEDED.test(name));
  return { ...Object.fromEntries(inherited), LC_ALL: "C" };
}

/**
 * Starts the server of a cluster as a program of its own, which outlives this one; nothing is done where it runs
 * already. Where something of an earlier server is in the way, it is gone, as far as it can be, when this says so; the
 * caller tries again. To be called by one process at a time. Resolves when the server has claimed the cluster, which is before it
 * answers.
 */
export async function startServer(place: Place, reach: Reach, host: string): Promise<Start> {
  if (await isRunning(place.data)) return { kind: "started" };
  await clearStalePid(place, host);
  const log = join(place.folder, "server.log");
  const before = await rotate(log);
  const started = reach === "socket" ? await startOnSocket(place, host, log) : await startOnLoopback(place, log);
  if (started) return { kind: "started" };
  const written = (await readFile(log).catch(() => Buffer.alloc(0))).subarray(before).toString("utf8");
  const held = written.split("\n").findLast((line) => HELD.test(line));
  if (held !== undefined) {
    await outliveOrphans(place.data);
    return { kind: "held", reason: tellingLine(held) };
  }
  return { kind: "failed", reason: tellingLine(written) || "it ended at once and left nothing in its log" };
}

/** Ends every connection, writes everything out and stops. Resolves when the server is gone. */
export async function stopServer(place: Place, reach: Reach): Promise<void> {
  if (reach === "loopback") {
    const args = ["stop", "-D", place.data, "-m", "fast", "-t", String(PATIENCE_SECONDS)];
    await exec(place.binaries.pgCtl, args, {
      cwd: place.folder,
      env: serverEnvironment(),
      timeoutMs: LIMIT_MS,
      ...place.account,
    });
    return;
  }
  const file = await readPidFile(place.data);
  if (file.kind !== "server") return;
  process.kill(file.pid, "SIGINT"); // PostgreSQL's "fast" shutdown
  for (let waited = 0; waited < PATIENCE_SECONDS * 1000 && (await isRunning(place.data)); waited += 10) {
    await setTimeout(10);
  }
}

async function startOnSocket(place: Place, host: string, logFile: string): Promise<boolean> {
  const log = await open(logFile, "a");
  const folder = `"${host.replaceAll('"', '""')}"`;
  const settings = {
    ...SETTINGS,
    unix_socket_directories: folder,
    unix_socket_permissions: "0700",
    listen_addresses: "",
  };
  const server = spawn(place.binaries.postgres, ["-D", place.data, "-p", String(SOCKET_PORT), ...asOptions(settings)], {
    cwd: place.folder,
    env: serverEnvironment(),
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
    ...place.account,
  });
  let ended = false;
  server.on("error", () => (ended = true));
  server.on("exit", () => (ended = true));
  server.unref();
  try {
    for (let waited = 0; waited < PATIENCE_SECONDS * 1000; waited += 5) {
      const file = await readPidFile(place.data);
      if (file.kind === "server" && file.pid === server.pid) return true;
      if (ended) return false;
      await setTimeout(5);
    }
    return false;
  } finally {
    await log.close();
  }
}

/** PostgreSQL's own starter: on Windows it also drops an administrator's rights, which the server refuses to have. */
async function startOnLoopback(place: Place, logFile: string): Promise<boolean> {
  const settings = { ...SETTINGS, listen_addresses: "127.0.0.1", unix_socket_directories: "" };
  const file = await readPidFile(place.data);
  // A server that was killed comes back where its clients know it to be, if that is still free.
  const port = (file.kind === "server" && (await freePort(file.port))) || (await freePort(0));
  const options = ["-p", String(port), ...asOptions(settings)].join(" ");
  const args = ["start", "-D", place.data, "-l", logFile, "-t", String(PATIENCE_SECONDS), "-o", options];
  const started = await exec(place.binaries.pgCtl, args, {
    cwd: place.folder,
    env: serverEnvironment(),
    timeoutMs: LIMIT_MS,
    ...place.account,
  });
  return started.code === 0;
}

function asOptions(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** The port if it is free, any free one for 0; null if it is taken. */
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

/** Keeps one older log at most; returns how long the current one is. */
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

/** The line of a log that says why: the last failure, or else the last line. */
export function tellingLine(text: string): string {
  const lines = text.trim().split("\n");
  const telling = lines.findLast((line) => /error|fatal|panic/i.test(line));
  return (telling ?? lines.at(-1) ?? "").trim().replace(/^\d{4}-\S+ \S+ \w+ ?\[\d+\](\w{5}:| )/, "");
}

/** Most notice the end of their server within milliseconds; one that computes for somebody does not. */
const PATIENCE_MS = 3_000;
/** For the system to take away a process that was killed. */
const DYING_MS = 5_000;
const PAUSE_MS = 50;

/**
 * Processes of a server that was killed may outlive it for a while, and as long as one does, PostgreSQL lets no new
 * server at the cluster: they share memory that the new one would not see. Waits for them to leave, and kills those
 * that do not, which loses no more than the kill of their server did. Only programs called `postgres` whose working
 * directory is this cluster are meant, and only while no server runs here. Where the system does not tell working
 * directories (anything but Linux) nothing is done: there they can only be waited for, by trying again.
 */
async function outliveOrphans(data: string): Promise<void> {
  if (await areGone(data, PATIENCE_MS)) return;
  for (const pid of await processesIn(data)) {
    if (await isRunning(data)) return;
    kill(pid);
  }
  await areGone(data, DYING_MS);
}

/** Also true where somebody else has a server there by now: what runs then is that one's. */
async function areGone(data: string, patienceMs: number): Promise<boolean> {
  for (let waited = 0; waited <= patienceMs; waited += PAUSE_MS) {
    if ((await processesIn(data)).length === 0 || (await isRunning(data))) return true;
    await setTimeout(PAUSE_MS);
  }
  return false;
}

/** One that has ended already and is only not collected yet has no working directory any more. */
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
  // The programs may have been replaced by newer ones since.
  return basename(program.replace(/ \(deleted\)$/, "")) === "postgres";
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // Gone by itself, or somebody else's, who alone can end it.
    if (systemCode(error) !== "ESRCH" && systemCode(error) !== "EPERM") throw error;
  }
}

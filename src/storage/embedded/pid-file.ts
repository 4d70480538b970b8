import { randomUUID } from "node:crypto";
import { chown, readFile, readlink, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemCode } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";
import type { ClusterLocation } from "./location.ts";
import { socketIn } from "./socket.ts";

/** PostgreSQL's own record of which process serves a cluster, and on which port. */
export type PidFile = { kind: "none" } | { kind: "unreadable" } | { kind: "server"; pid: number; port: number };

/** No process ever has this pid, so PostgreSQL treats a file with it as a dead server's. */
const NOBODY = 2_147_483_647;
/** A file that stays empty longer than this does not belong to a starting server. */
const EMPTY_FOR_MS = 1_000;

export async function readPidFile(data: string): Promise<PidFile> {
  const text = await readFile(pidFile(data), "utf8").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  });
  if (text === null) return { kind: "none" };
  const [, , , port = 0] = text.split("\n").map(Number);
  const pid = namedIn(text);
  if (pid === null) return { kind: "unreadable" };
  return { kind: "server", pid, port: Number.isSafeInteger(port) ? port : 0 };
}

/** The pid in a lock file of PostgreSQL; negative for a single-user server. */
function namedIn(text: string): number | null {
  const pid = Math.abs(Number(text.split("\n")[0]));
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}

/** Whether the process in the cluster's pid file is alive and serves this cluster. */
export async function isRunning(data: string): Promise<boolean> {
  const file = await readPidFile(data);
  return file.kind === "server" && (await serves(file.pid, data));
}

/**
 * After a crash of the machine, the lock files of cluster and socket can name an unrelated live process, and PostgreSQL
 * would refuse to start. The cluster's file gets an impossible pid instead of being removed: its other lines let
 * PostgreSQL detect orphans that still hold the cluster's shared memory.
 */
export async function clearStalePid({ data, account }: ClusterLocation, host: string): Promise<void> {
  if ((await readPidFile(data)).kind === "unreadable") {
    await setTimeout(EMPTY_FOR_MS);
    if ((await readPidFile(data)).kind === "unreadable") await rm(pidFile(data), { force: true });
  }
  const file = await readPidFile(data);
  if (file.kind === "server" && file.pid !== NOBODY) {
    if (await serves(file.pid, data)) return;
    const [, ...rest] = (await readFile(pidFile(data), "utf8")).split("\n");
    const draft = join(data, `postmaster.${randomUUID()}`);
    await writeFile(draft, [String(NOBODY), ...rest].join("\n"), { mode: 0o600 });
    if (account) await chown(draft, account.uid, account.gid);
    await rename(draft, pidFile(data));
  }
  const socketLock = `${socketIn(host)}.lock`;
  const holder = namedIn(await readFile(socketLock, "utf8").catch(() => ""));
  if (holder === null || !(await serves(holder, data))) await rm(socketLock, { force: true });
}

/** A server's working directory is its cluster; if that is unavailable, its command line names it. */
async function serves(pid: number, data: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: alive, but of an account that is not the server's.
    return process.platform === "win32" && systemCode(error) === "EPERM";
  }
  if (process.platform === "win32") return true;
  if (process.platform === "linux") {
    const at = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    return at !== null && at === (await realpath(data));
  }
  const listed = await exec("ps", ["-ww", "-p", String(pid), "-o", "args="]);
  return listed.stdout.toString("utf8").includes(data);
}

function pidFile(data: string): string {
  return join(data, "postmaster.pid");
}

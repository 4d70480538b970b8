import { readdir, readlink, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemCode } from "../../lib/errors.ts";
import { isRunning } from "./pid-file.ts";

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
export async function outliveOrphans(data: string): Promise<void> {
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

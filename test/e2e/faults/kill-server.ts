import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Desk, clusterOf } from "../cli-harness.ts";

/** Kills the desk's own database server, where it runs, as the system does that runs out of memory. */
export async function killServer(desk: Desk): Promise<void> {
  const data = join(await clusterOf(desk), "data");
  const pid = Number((await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n")[0]);
  // The file may be left from a server that was killed before, and its number be somebody else's by now.
  const program = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  if (!program.includes(data)) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It went by itself in this very moment.
  }
}

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { codingAgent } from "../../src/adapters/agents/coding-agent.ts";
import { findSandbox } from "../../src/adapters/sandbox/find.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { latestRun, runFacts } from "../../src/storage/runs.ts";
import { listLog } from "../../src/storage/run-log.ts";
import { latestTask } from "../../src/storage/tasks.ts";
import type { WorkSettings } from "../../src/implementation/worker.ts";
import { openOn } from "../support/find-open-request.ts";
import { type WorkingLife, agentOf, agreed, openWorking } from "../support/working-relay.ts";

/** A secret of Relay's own. */
export const CANARY = "canary-7f3a-of-relays-own";
export const BRANCH = "fix/1-wrong-total-cart";
/** What the task asks for, in a shell. */
export const MENDS = `cat > src/cart.ts <<'END'
export function total(prices: number[]): number {
  return prices.reduce((sum, price) => sum + price, 0);
}
END`;

interface Wishes {
  limits?: Partial<WorkSettings["limits"]>;
  settings?: Partial<WorkSettings>;
  /** Of the repository. */
  files?: Record<string, string>;
  /** Hosts that the agent says it needs. */
  hosts?: readonly string[];
  /** Done with the life before the agent runs; what it gives is what the script finds in `$TOLD`. */
  before?: (life: WorkingLife) => Promise<string>;
  /** Where an earlier task was carried out; this one is of another issue. */
  on?: WorkingLife;
}

/**
 * Lets a shell script carry out a task, as the agent `command` in the real sandbox; tells all that came of it. The script
 * knows what it should not reach: `$OUTSIDE`, a file that is not there, `$REPOSITORY`, `$RELAY_FOLDER`.
 */
export async function carriedOutBy(
  script: string,
  { limits = {}, settings = {}, files = {}, hosts = [], before, on }: Wishes = {},
) {
  vi.stubEnv("RELAY_CANARY", CANARY);
  onTestFinished(() => void vi.unstubAllEnvs());
  const life = on ?? (await openWorking(agentOf(), () => ({}), files));
  const issue = await agreed(life);
  const told = (await before?.(life)) ?? "";
  const program = join(life.folder, "agent");
  const outside = join(life.folder, "outside");
  const known = `OUTSIDE=${outside}\nREPOSITORY=${life.code.root}\nRELAY_FOLDER=${life.work.home}\nTOLD='${told}'\n`;
  writeFileSync(program, `#!/bin/sh\n${known}cat > /dev/null\n${script}\n`, { mode: 0o755 });
  const agent = { ...(await codingAgent({ name: "command", command: [program], sandboxed: true })), hosts };
  const { id } = await life.existing(issue);
  const task = await latestTask(life.db, id);
  if (task === null) throw new Error("there is no task");
  const usual = life.work.settings;
  await life.executeTask(task.id, {
    agentName: agent.name,
    equip: async () => ({ agent, sandbox: await findSandbox({ wanted: "bubblewrap", container: null }) }),
    settings: { ...usual, ...settings, limits: { ...usual.limits, ...limits } },
  });
  const run = await latestRun(life.db, task.id);
  if (run === null) throw new Error("there is no run");
  const log = await listLog(life.db, run.id, 0, 5_000);
  const { iterations } = await runFacts(life.db, run.id);
  const said = await life.said(issue);
  const request = await openOn(life.tracker, "shop", BRANCH);
  const { state } = await life.existing(issue);
  const kept = JSON.stringify([run, log, iterations, said, request, await listAudit(life.db, id)]);
  return { life, state, run, log, iterations, said, request, kept, outside };
}

/** Whether any program of the machine has these words in its command line. */
export function isRunning(words: string): boolean {
  return readdirSync("/proc").some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").includes(words);
    } catch {
      return false;
    }
  });
}

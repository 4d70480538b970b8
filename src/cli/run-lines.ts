import type { Task } from "../domain/plan.ts";
import type { RunLogEntry } from "../domain/work.ts";
import { sleep } from "../lib/clock.ts";
import type { Relay } from "../app/relay.ts";
import { latestRun } from "../storage/runs.ts";
import { listLog } from "../storage/run-log.ts";
import { isTaskActive } from "../storage/tasks.ts";
import type { Terminal } from "./terminal.ts";

const LOOK_MS = 300;
const WAITING_MS = 1_000;
const MOST_AT_ONCE = 500;

/** An entry of a run's log as one or more lines. */
export function runLines({ iteration, kind, text }: RunLogEntry): string {
  const lead = `${iteration === 0 ? "  " : String(iteration).padStart(2)} ${kind.padEnd(7)} `;
  return `${text
    .split("\n")
    .map((line, n) => `${n === 0 ? lead : " ".repeat(lead.length)}${line}`)
    .join("\n")}\n`;
}

/**
 * Waits out each outage that ends a try of the task, as the job of a server does; the run's log tells of it
 * (R-WORK-15).
 */
export async function throughOutages(
  { db, clock }: Pick<Relay, "db" | "clock">,
  task: Task,
  work: () => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const run = await latestRun(db, task.id);
      const until = run?.status === "running" ? run.outage?.until : undefined;
      if (until === undefined || until <= clock.now()) throw error;
      // Somebody may stop it from elsewhere.
      while (until > clock.now() && (await isTaskActive(db, task.id))) await sleep(WAITING_MS);
    }
  }
}

/** Prints the task's run log to stderr until the work is done. */
export async function followRun(relay: Relay, task: Task, terminal: Terminal, running: Promise<void>): Promise<void> {
  let over = false;
  const ended = running.finally(() => {
    over = true;
  });
  // Rethrown at the end; until then avoid an unhandled rejection.
  ended.catch(() => {});
  const before = await latestRun(relay.db, task.id);
  let shown = { run: "", seq: 0 };
  for (let last = false; !last;) {
    last = over;
    const run = await latestRun(relay.db, task.id);
    const isNew = run !== null && (run.id !== before?.id || before.status === "running");
    if (terminal.progress && isNew) {
      if (run.id !== shown.run) shown = { run: run.id, seq: 0 };
      for (const entry of await listLog(relay.db, run.id, shown.seq, MOST_AT_ONCE)) {
        terminal.err(runLines(entry));
        shown.seq = entry.seq;
      }
    }
    if (!last) await Promise.race([ended.catch(() => {}), sleep(LOOK_MS)]);
  }
  await ended;
}

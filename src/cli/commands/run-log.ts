import type { Issue } from "../../domain/issue.ts";
import { issueName } from "../../domain/issue.ts";
import type { Run, RunLogEntry } from "../../domain/work.ts";
import { sleep } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Relay } from "../../app/create-app.ts";
import { listLog, listRuns } from "../../storage/runs.ts";
import { runLines } from "../run-lines.ts";
import { printJson } from "../print-json.ts";
import type { Terminal } from "../terminal.ts";
import { EXIT } from "../terminal.ts";

const LOOK_MS = 500;
const MOST_AT_ONCE = 500;

export interface RunLogOptions {
  json?: boolean;
  /** Goes on until no run is under way. */
  follow?: boolean;
}

/**
 * What the newest run of an issue said and did, oldest first (R-WORK-9); in JSON one document per line. Followed, it
 * goes on with the runs that begin meanwhile. Throws `not_found` where there is no run.
 */
export async function printRunLog(
  relay: Relay,
  issue: Issue,
  { json = false, follow = false }: RunLogOptions,
  terminal: Terminal,
): Promise<number> {
  let shown: Run | null = null;
  for (;;) {
    const next: Run | null = await nextRun(relay, issue, shown);
    if (next === null) return EXIT.done;
    if (!json) terminal.out(heading(next));
    shown = await printRun(relay, issue, next, { json, follow }, terminal);
    if (!json) terminal.out(ending(shown));
    if (!follow) return EXIT.done;
  }
}

/** The newest; behind one that was shown, the one that came after it. */
async function nextRun(relay: Relay, issue: Issue, shown: Run | null): Promise<Run | null> {
  const runs = await listRuns(relay.db, issue.id);
  const newest = runs.at(-1);
  if (shown !== null) return runs[runs.findIndex(({ id }) => id === shown.id) + 1] ?? null;
  if (newest !== undefined) return newest;
  throw new RelayError("not_found", `${issueName(issue)} has no run yet; \`relay status\` says what it waits for`);
}

async function printRun(
  relay: Relay,
  issue: Issue,
  run: Run,
  { json, follow }: Required<RunLogOptions>,
  terminal: Terminal,
): Promise<Run> {
  let after = 0;
  for (;;) {
    // Looked at before the log: what an ended run has said is all there.
    const now = (await listRuns(relay.db, issue.id)).find(({ id }) => id === run.id) ?? run;
    const entries = await listLog(relay.db, run.id, after, MOST_AT_ONCE);
    for (const entry of entries) {
      if (json) printJson(terminal, shownEntry(run, entry));
      else terminal.out(runLines(entry));
      after = entry.seq;
    }
    if (entries.length === MOST_AT_ONCE) continue;
    if (!follow || now.status !== "running") return now;
    await sleep(LOOK_MS);
  }
}

function shownEntry({ id }: Run, { seq, at, iteration, kind, text }: RunLogEntry) {
  return { run: id, seq, at: at.toISOString(), iteration, kind, text };
}

function heading({ id, reason, agent, branch, startedAt }: Run): string {
  return `run ${id} (${reason}) by ${agent} on ${branch}, since ${startedAt.toISOString()}\n`;
}

function ending({ status, iterations, detail }: Run): string {
  const why = detail === null ? "" : `: ${detail}`;
  return `${status}, ${iterations} iteration(s)${why}\n`;
}

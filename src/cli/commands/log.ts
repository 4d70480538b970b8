import { listAudit } from "../../storage/audit.ts";
import { listCalls, usageOf } from "../../storage/model-calls.ts";
import { type LogEntry, logOf, storyOf } from "../log-story.ts";
import { listMessages } from "../../storage/messages.ts";
import { costText } from "../costs.ts";
import { pickIssue } from "../issues.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";
import { type Issue, issueName } from "../../domain/issue.ts";
import type { Run } from "../../domain/work.ts";
import { sleep } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Relay } from "../../app/relay.ts";
import { listRuns } from "../../storage/runs.ts";
import { listLog } from "../../storage/run-log.ts";
import { removedAt } from "../../storage/retention.ts";
import { removedText } from "../retention-text.ts";
import { type ShownLogEntry, shownLogEntry } from "../../server/api/shapes/run.ts";
import { runLines } from "../run-lines.ts";

export interface LogOptions extends CommonOptions {
  run?: boolean;
  follow?: boolean;
}

/** What `relay log --json` prints; with `--run`, a `RunLogEntry` a line. */
export interface LogAnswer {
  issue: string;
  /** When older entries were removed, if they were. */
  removed_at: string | null;
  /** Oldest first; texts are whole. */
  entries: (Omit<LogEntry, "at"> & { at: string })[];
}

/** `relay log ISSUE`: what people said and what was done for an issue, and why, oldest first (R-OBS-5). */
export async function log(wanted: string, options: LogOptions, terminal: Terminal): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const issue = await pickIssue(relay.db, wanted);
    if (options.run || options.follow) return await printRunLog(relay, issue, options, terminal);
    const { db } = relay;
    const entries = logOf(issue, {
      audit: await listAudit(db, issue.id),
      messages: await listMessages(db, issue.id),
      calls: await listCalls(db, issue.id),
    });
    const removed = await removedAt(db, "audit", issue.id);
    if (options.json) {
      printJson<LogAnswer>(terminal, {
        issue: issueName(issue),
        removed_at: removed?.toISOString() ?? null,
        entries: entries.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
      });
      return EXIT.done;
    }
    if (removed !== null) terminal.out(`${removedText("older entries", removed, "audit_days")}\n`);
    terminal.out(storyOf(entries));
    const cost = costText(await usageOf(db, issue.id));
    if (cost !== null) terminal.out(`${cost}\n`);
    return EXIT.done;
  });
}

const LOOK_MS = 500;
const MOST_AT_ONCE = 500;

export interface RunLogOptions {
  json?: boolean;
  /** Continues until no run is in progress. */
  follow?: boolean;
}

/**
 * The log of an issue's newest run, oldest first (R-WORK-9); in JSON one document per line. With `follow`, continues
 * with the runs that start meanwhile. Throws `not_found` without a run.
 */
async function printRunLog(
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

/** The newest run, or the one after `shown`. */
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
    // Read before the log: the log of an ended run is complete.
    const now = (await listRuns(relay.db, issue.id)).find(({ id }) => id === run.id) ?? run;
    const entries = await listLog(relay.db, run.id, after, MOST_AT_ONCE);
    const removed = after === 0 && entries.length === 0 ? await removedAt(relay.db, "records", issue.id) : null;
    if (removed !== null && now.endedAt !== null && now.endedAt < removed)
      terminal.err(`relay: ${removedText("entries of this run", removed, "records_days")}\n`);
    for (const entry of entries) {
      if (json) printJson<ShownLogEntry>(terminal, shownLogEntry(run.id, entry));
      else terminal.out(runLines(entry));
      after = entry.seq;
    }
    if (entries.length === MOST_AT_ONCE) continue;
    if (!follow || now.status !== "running") return now;
    await sleep(LOOK_MS);
  }
}

function heading({ id, reason, agent, branch, startedAt }: Run): string {
  return `run ${id} (${reason}) by ${agent} on ${branch}, since ${startedAt.toISOString()}\n`;
}

function ending({ status, iterations, detail }: Run): string {
  const why = detail === null ? "" : `: ${detail}`;
  return `${status}, ${iterations} iteration(s)${why}\n`;
}

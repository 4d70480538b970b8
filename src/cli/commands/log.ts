import type { AuditEntry } from "../../domain/cycle.ts";
import { listAudit } from "../../storage/audit.ts";
import { listCalls, usageOf } from "../../storage/model-calls.ts";
import type { Db } from "../../storage/db.ts";
import { listIssues } from "../../storage/issues.ts";
import { costText } from "../costs.ts";
import { pickIssue } from "../issues.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";
import { type Issue, issueName } from "../../domain/issue.ts";
import type { Run, RunLogEntry } from "../../domain/work.ts";
import { sleep } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Relay } from "../../app/create-app.ts";
import { listLog, listRuns } from "../../storage/runs.ts";
import { runLines } from "../run-lines.ts";
import { cut, oneLine } from "../../lib/text.ts";

export interface LogOptions extends CommonOptions {
  run?: boolean;
  follow?: boolean;
}

/** `relay log ISSUE`: the audit log of an issue, oldest first; one JSON document per line. */
export async function log(wanted: string, options: LogOptions, terminal: Terminal): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const issue = pickIssue(await listIssues(relay.db), wanted);
    if (options.run || options.follow) return await printRunLog(relay, issue, options, terminal);
    for (const entry of await entriesOf(relay.db, issue.id)) {
      if (options.json) {
        const { id, at, actor, what, why, before, after } = entry;
        printJson(terminal, { id, at: at.toISOString(), actor, what, why, before, after });
        continue;
      }
      terminal.out(`${entry.at.toISOString()}  ${entry.actor}  ${entry.what}${change(entry.before, entry.after)}\n`);
      if (entry.why !== null) terminal.out(`    ${shortText(entry.why)}\n`);
    }
    const cost = costText(await usageOf(relay.db, issue.id));
    if (cost !== null && !options.json) terminal.out(`${cost}\n`);
    return EXIT.done;
  });
}

type LogEntry = Pick<AuditEntry, "id" | "at" | "actor" | "what" | "why" | "before" | "after">;

/** Audit entries and model calls, in chronological order. */
async function entriesOf(db: Db, issueId: string): Promise<LogEntry[]> {
  const calls = (await listCalls(db, issueId)).map((call) => ({
    id: call.id,
    at: call.at,
    actor: call.model,
    what: "model.called",
    why: null,
    before: null,
    after: {
      stage: call.stage,
      status: call.status,
      attempt: call.attempt,
      input_tokens: call.usage.input,
      cached_tokens: call.usage.cachedInput,
      output_tokens: call.usage.output,
      ms: call.ms,
      cost_usd: call.costUsd,
    },
  }));
  return [...(await listAudit(db, issueId)), ...calls].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

function change(before: unknown, after: unknown): string {
  const parts = [before, after].filter((value) => value !== null).map(shortText);
  return parts.length === 0 ? "" : `  ${parts.join(" → ")}`;
}

function shortText(value: unknown): string {
  return cut(oneLine(typeof value === "string" ? value : JSON.stringify(value)), 160);
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

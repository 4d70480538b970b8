import type { AuditEntry } from "../../domain/cycle.ts";
import { listAudit } from "../../storage/audit.ts";
import { listCalls, usageOf } from "../../storage/evals.ts";
import type { Db } from "../../storage/db.ts";
import { listIssues } from "../../storage/issues.ts";
import { costText } from "../costs.ts";
import { pickIssue } from "../issues.ts";
import { printJson } from "../print-json.ts";
import { withRelay } from "../session.ts";
import type { CommonOptions, Terminal } from "../terminal.ts";
import { EXIT } from "../terminal.ts";
import { printRunLog } from "./run-log.ts";

export interface LogOptions extends CommonOptions {
  run?: boolean;
  follow?: boolean;
}

/** `relay log ISSUE`: the record of everything done for an issue, oldest first; one JSON document per line. */
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
      if (entry.why !== null) terminal.out(`    ${oneLine(entry.why)}\n`);
    }
    const cost = costText(await usageOf(relay.db, issue.id));
    if (cost !== null && !options.json) terminal.out(`${cost}\n`);
    return EXIT.done;
  });
}

type LogEntry = Pick<AuditEntry, "id" | "at" | "actor" | "what" | "why" | "before" | "after">;

/** The record and the calls of models, as one list in the order of time. */
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
  const parts = [before, after].filter((value) => value !== null).map(oneLine);
  return parts.length === 0 ? "" : `  ${parts.join(" → ")}`;
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const folded = text.replaceAll(/\s+/g, " ");
  return folded.length > 160 ? `${folded.slice(0, 159)}…` : folded;
}

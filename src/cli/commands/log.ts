import { listAudit } from "../../store/audit.ts";
import { listIssues } from "../../store/issues.ts";
import { pickIssue } from "../issues.ts";
import { printJson, withRelay } from "../session.ts";
import type { CommonOptions, Terminal } from "../terminal.ts";
import { EXIT } from "../terminal.ts";

/** `relay log ISSUE`: the record of everything done for an issue, oldest first; one JSON document per line. */
export async function log(wanted: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const issue = pickIssue(await listIssues(relay.db), wanted);
    for (const entry of await listAudit(relay.db, issue.id)) {
      if (options.json) {
        const { id, at, actor, what, why, before, after } = entry;
        printJson(terminal, { id, at: at.toISOString(), actor, what, why, before, after });
        continue;
      }
      terminal.out(`${entry.at.toISOString()}  ${entry.actor}  ${entry.what}${change(entry.before, entry.after)}\n`);
      if (entry.why !== null) terminal.out(`    ${oneLine(entry.why)}\n`);
    }
    return EXIT.done;
  });
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

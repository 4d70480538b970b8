import type { Issue } from "../../domain/issue.ts";
import { issueName } from "../../domain/issue.ts";
import type { Relay } from "../../main.ts";
import { costOf } from "../../store/evals.ts";
import { listGaps } from "../../store/gaps.ts";
import { listIssues } from "../../store/issues.ts";
import { latestSpec } from "../../store/specs.ts";
import { writeStateFiles } from "../../store/state-files.ts";
import { pickIssue } from "../issues.ts";
import { printJson, withRelay } from "../session.ts";
import type { CommonOptions, Terminal } from "../terminal.ts";
import { EXIT } from "../terminal.ts";

/** `relay status [ISSUE] [--write-files]`: where issues stand. */
export async function status(
  wanted: string | undefined,
  options: CommonOptions & { writeFiles?: boolean },
  terminal: Terminal,
): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const all = await listIssues(relay.db);
    if (options.writeFiles) {
      const files = await writeStateFiles(relay.config.home, all);
      terminal.err(`${files.length} state file(s) written below ${relay.config.home}\n`);
    }
    const issues = wanted === undefined ? all : [pickIssue(all, wanted)];
    const rows = await Promise.all(issues.map((issue) => describe(relay, issue)));
    if (options.json) {
      printJson(terminal, { issues: rows.map((row) => row.shown) });
      return EXIT.done;
    }
    if (rows.length === 0) terminal.out("No issues yet. Try `relay spec ISSUE.md`, or `relay demo`.\n");
    for (const [index, row] of rows.entries()) {
      const issue = issues[index];
      if (!issue) continue;
      const { shown, gaps } = row;
      terminal.out(`${issueName(issue)}  ${shown.state}  ${shown.title}\n`);
      if (shown.open_gaps > 0) terminal.out(`    ${shown.open_gaps} open question(s)\n`);
      if (shown.spec) {
        terminal.out(`    spec ${shown.spec.path} (${shown.spec.complexity}, ${shown.spec.validation_status})\n`);
      }
      if (wanted !== undefined) for (const gap of gaps) terminal.out(`    ${gap}\n`);
    }
    return EXIT.done;
  });
}

async function describe(relay: Relay, issue: Issue) {
  const gaps = await listGaps(relay.db, issue.id);
  const spec = await latestSpec(relay.db, issue.id);
  const shown = {
    id: issue.id,
    provider: issue.provider,
    repository: issue.externalProjectId,
    number: /^\d+$/.test(issue.externalIssueId) ? Number(issue.externalIssueId) : issue.externalIssueId,
    title: issue.title,
    state: issue.state,
    open_gaps: gaps.filter((gap) => gap.status === "open").length,
    spec: spec && {
      ...spec.ref,
      complexity: spec.complexity,
      validation_status: spec.validationStatus,
      status: spec.status,
    },
    plan: null,
    task: null,
    cost_usd: await costOf(relay.db, issue.id),
    updated_at: issue.updatedAt.toISOString(),
  };
  return {
    shown,
    gaps: gaps.map(
      (gap) =>
        `gap ${gap.number} [${gap.status}${gap.closedReason === null ? "" : `: ${gap.closedReason}`}] ${gap.question}`,
    ),
  };
}

import type { Issue } from "../domain/issue.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import type { Repository } from "../code/git/repository.ts";
import type { Clock } from "../lib/clock.ts";
import { wireIssue } from "./make-plan.ts";
import { repositoryContext } from "./repository-context.ts";
import { triage } from "./triage/triage.ts";

/** Whether an issue is small enough for the fast track, judging by its text, thread and code. */
export type IsSmall = (issue: Issue, messages: readonly ThreadMessage[], code: Repository) => Promise<boolean>;

/**
 * Uses rules only: no model may open a path that bypasses questions to people. Requires risk LOW, known files and
 * little effort. Comments by people count like the issue's text. The plan is triaged again with its spec and needs
 * approval anyway.
 */
export function smallness(deps: { clock: Clock; indexOf: (code: Repository) => Promise<OpenIndex> }): IsSmall {
  return async (issue, messages, code) => {
    const index = await deps.indexOf(code);
    const said = messages.filter(({ isBot, role }) => !isBot && role !== "self").map(({ content }) => content);
    const wire = wireIssue({ ...issue, body: [issue.body, ...said].join("\n\n") });
    const repository_context = await repositoryContext(issue.provider, code, index);
    const { answer } = await triage({ issue: wire, repository_context }, { clock: deps.clock, index });
    if (!answer.success) return false;
    const { risk, auto_fix_decision: decision, estimated_complexity: effort } = answer.data;
    return risk === "LOW" && decision === "YES" && (effort === "TRIVIAL" || effort === "SIMPLE");
  };
}

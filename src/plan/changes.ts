import { type Translate, phrases } from "../i18n/phrases.ts";
import type { FileChange, FixPlan, PostedPlan } from "../domain/plan.ts";
import { code, inRow, link, prose } from "../domain/text/comment-markdown.ts";

export type PlanVersion = Pick<PostedPlan, "version" | "sha256" | "triage" | "plan">;

/** Files named in one line; the rest are counted. */
const NAMED = 3;

/**
 * A short reply that lists the differences of a regenerated plan, or says that there are none, and how to approve it,
 * again (R-CONF-5). At most 10 lines. A plan is made again as it was where its issue was closed, or people halted it:
 * the approval of the earlier one is void. `url` is the address of the plan's comment; null if unknown.
 */
export function planChanges(
  before: PlanVersion,
  after: PlanVersion,
  { language, url }: { language: string; url: string | null },
): string {
  const say = phrases("plan", language);
  const files = changedFiles(before.plan, after.plan);
  const none = say("none");
  const checks = after.plan.validation_commands;
  const flags = after.triage.security_flags;
  const lines = [
    files.added.length > 0 && say("files_added", { text: paths(files.added) }),
    files.dropped.length > 0 && say("files_dropped", { text: paths(files.dropped) }),
    files.different.length > 0 && say("files_different", { text: paths(files.different) }),
    changedSteps(before.plan, after.plan, say),
    !same(before.plan.validation_commands, checks) &&
      say("checks_now", { text: some(checks, (command) => code(command, 100)) || none }),
    joined([
      before.triage.risk !== after.triage.risk &&
        say("risk_now", { before: say(`risk_${before.triage.risk}`), after: say(`risk_${after.triage.risk}`) }),
      !same(before.triage.security_flags, flags) &&
        say("flags_now", { text: some(flags, (flag) => prose(flag, 100)) || none }),
    ]),
    joined([
      before.plan.estimated_duration !== after.plan.estimated_duration &&
        say("minutes_now", { before: before.plan.estimated_duration, after: after.plan.estimated_duration }),
      before.plan.branch_name !== after.plan.branch_name &&
        say("branch_now", { text: code(after.plan.branch_name, 100) }),
    ]),
  ].filter((line) => typeof line === "string");
  const shown = lines.length > 0 ? lines : [say("behind")];
  const number = link(String(after.version), url);
  const answer = `**${say("confirm")}**: ${say("confirm_reply")} ${say("otherwise")}`;
  if (before.sha256 === after.sha256)
    return `${say("as_before", { number, before: before.version })}\n\n${say("again")} ${answer}`;
  return [say("changed", { number }), ...shown.map((line) => `- ${line}`), "", `${say("again")} ${answer}`].join("\n");
}

function changedFiles(before: FixPlan, after: FixPlan): Record<"added" | "dropped" | "different", FileChange[]> {
  const old = new Map(before.file_changes.map((file) => [file.path, file]));
  const now = new Map(after.file_changes.map((file) => [file.path, file]));
  return {
    added: [...now.values()].filter(({ path }) => !old.has(path)),
    dropped: [...old.values()].filter(({ path }) => !now.has(path)),
    different: [...now.values()].filter((file) => {
      const was = old.get(file.path);
      return was !== undefined && !same(textOf(was), textOf(file));
    }),
  };
}

function textOf({ operation, change_summary, line_range }: FileChange): string[] {
  return [operation, change_summary, ...(line_range ?? []).map(String)];
}

function changedSteps(before: FixPlan, after: FixPlan, say: Translate<"plan">): string | false {
  const old = new Map(before.plan_steps.map((step) => [step.description, step.command]));
  const now = new Map(after.plan_steps.map((step) => [step.description, step.command]));
  const added = [...now.keys()].filter((text) => !old.has(text));
  const dropped = [...old.keys()].filter((text) => !now.has(text));
  const different = [...now].flatMap(([text, command]) => (old.has(text) && old.get(text) !== command ? [text] : []));
  const line = joined([
    added.length > 0 && say("steps_added", { text: steps(added) }),
    dropped.length > 0 && say("steps_dropped", { text: steps(dropped) }),
    different.length > 0 && say("steps_different", { text: steps(different) }),
  ]);
  return line === false && !same([...old.keys()], [...now.keys()]) ? say("steps_order") : line;
}

function steps(descriptions: readonly string[]): string {
  return some(descriptions, (description) => prose(description.replace(/[.。]\s*$/u, ""), 150));
}

function paths(files: readonly FileChange[]): string {
  return some(
    files.map(({ path }) => path),
    (path) => code(path, 120),
  );
}

function some(items: readonly string[], show: (item: string) => string): string {
  return inRow(items.slice(0, NAMED).map(show), 600, items.length);
}

function joined(parts: readonly (string | false)[]): string | false {
  const said = parts.filter((part) => part !== false);
  return said.length > 0 && said.join(" · ");
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

import type { FixPlan, TriageResult } from "../domain/plan.ts";

/** A plan for the terminal. */
export function planText({ triage, plan }: { triage: TriageResult; plan: FixPlan }): string {
  const steps = plan.plan_steps.map(({ order, description }) => `  ${order}. ${description}`);
  const files = plan.file_changes.map(({ path, operation, line_range: lines }) => {
    const at = lines === null ? "" : lines[0] === lines[1] ? `:${lines[0]}` : `:${lines[0]}-${lines[1]}`;
    return `  ${operation.toLowerCase()} ${path}${at}`;
  });
  const checks = plan.validation_commands.map((command) => `  ${command}`);
  return `${[
    `${triage.classification}, risk ${triage.risk}, about ${plan.estimated_duration} minutes, on ${plan.branch_name}`,
    "",
    "Steps",
    ...steps,
    "",
    "Files",
    ...files,
    "",
    "Checks",
    ...(checks.length === 0 ? ["  none known"] : checks),
    "",
    plan.human_check_reason ?? "No special review is asked for.",
  ].join("\n")}\n`;
}

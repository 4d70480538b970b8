import type { PlanWork } from "../app/worker/plan-work.ts";
import type { FixPlan, Lack, TriageResult } from "../domain/plan.ts";
import { isDoctors, lackText } from "../notify/lacks.ts";

/** The worker that carries out the plan, and what runs besides its checks, for the terminal (R-WORK-16). */
export function workText({ worker, setup, tests }: PlanWork): string {
  const by =
    worker === null
      ? ["  no coding agent is configured"]
      : [
          `  ${[worker.agent, ...(worker.model === null ? [] : [worker.model])].join(", ")}`,
          ...(worker.agent === "script"
            ? []
            : [worker.usd === null ? "  no bound on its cost" : `  at most $${worker.usd.toFixed(2)}`]),
          `  ${worker.sandbox === null ? "without a sandbox" : `sandbox ${worker.sandbox}`}`,
          ...(worker.sandbox === null && worker.hosts.length === 0
            ? []
            : [`  network: ${worker.hosts.length === 0 ? "none" : worker.hosts.join(", ")}`]),
        ];
  return `${[
    "",
    "Carried out by",
    ...by,
    ...(setup.length === 0 ? [] : ["", "Set-up", ...setup.map((command) => `  ${command}`)]),
    ...(tests.length === 0 ? [] : ["", "Tests", ...tests.map((command) => `  ${command}`)]),
  ].join("\n")}\n`;
}

/** What is missing for the work, one line each, for the terminal; empty if nothing is. */
export function lackLines(lacks: readonly Lack[]): string {
  if (lacks.length === 0) return "";
  const lines = lacks.map((lack) => `  ${lackText(lack, "en", (text) => text)}`);
  const remedy = lacks.some(isDoctors) ? " (relay doctor says how to fix it)" : "";
  return `${[`Not ready yet${remedy}`, ...lines].join("\n")}\n`;
}

/** A plan for the terminal. */
export function planText({ triage, plan }: { triage: TriageResult; plan: FixPlan }): string {
  const steps = plan.plan_steps.map(({ order, description }) => `  ${order}. ${description}`);
  if (plan.nothing_to_build === true)
    return `${[
      `${triage.classification}: nothing is to be built, so there is no branch, no file to change and no check to run`,
      "",
      "Steps",
      ...steps,
      ...(plan.human_check_reason === null ? [] : ["", plan.human_check_reason]),
    ].join("\n")}\n`;
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

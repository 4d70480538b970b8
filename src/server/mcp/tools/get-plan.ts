import { z } from "zod";
import { type Issue, issueName } from "../../../domain/issue.ts";
import { type PostedPlan, fixPlanSchema, triageResultSchema } from "../../../domain/plan.ts";
import { RelayError } from "../../../lib/errors.ts";
import { oneLine } from "../../../lib/text.ts";
import type { Db } from "../../../storage/db.ts";
import { latestPlan } from "../../../storage/plans.ts";
import { planSchema, shownPlan } from "../../api/shapes/plan.ts";
import type { McpContext } from "../context.ts";
import { issueAtHand } from "../issue-at-hand.ts";
import { NOTICE, notice } from "../quote.ts";
import { type Tool, tool } from "../tool.ts";
import { issueArgument, issueNamed } from "./shapes.ts";

/** Characters of a step and of the whole, and files that are named. */
const MOST = { step: 1_000, text: 20_000, files: 100, path: 300 };

const output = planSchema.omit({ text: true, comment_id: true, triage: true, plan: true, sha256: true }).extend({
  issue: issueNamed,
  triage: triageResultSchema.pick({ classification: true, risk: true, security_flags: true }),
  plan: fixPlanSchema.pick({
    plan_steps: true,
    file_changes: true,
    validation_commands: true,
    human_check_reason: true,
    estimated_duration: true,
  }),
  files_left_out: z.int(),
  may_be_carried_out: z.boolean().describe("Whether a person with the permission has agreed to this version."),
  notice,
});

export const getPlan: Tool = tool({
  name: "get_plan",
  title: "Read a plan",
  description:
    "The newest fix plan of an issue: branch, steps, files, the checks to run, risk, and whether people have agreed to it. Only people agree, in the issue's thread; no tool here can.",
  effect: "reads",
  input: z.strictObject({ issue: issueArgument }),
  output,
  run: async ({ issue: wanted }, context) => {
    const issue = await issueAtHand(wanted, context);
    const plan = await planOf(issue, await context.db());
    return {
      text: `${headOf(plan)}\n${planText(issue, plan, context)}`,
      data: { ...shown(plan, context), issue: issueName(issue), notice: NOTICE },
    };
  },
});

/** The newest version. Throws `not_found`. */
async function planOf(issue: Issue, db: Db): Promise<PostedPlan> {
  const plan = await latestPlan(db, issue.id);
  if (plan !== null) return plan;
  throw new RelayError("not_found", `${issueName(issue)} has no plan yet; it is ${issue.state.replaceAll("_", " ")}`);
}

/** Where a version stands, in words. */
export function headOf({ version, status, approval, stopped, plan }: PostedPlan): string {
  const standing = stopped
    ? "refused by a person: do not carry it out"
    : status === "confirmed"
      ? `agreed to by @${oneLine(approval?.by ?? "a person")}`
      : status === "posted"
        ? "waits for a person's approval: do not carry it out yet"
        : `${status}: do not carry it out`;
  return `Plan ${version}, branch ${plan.branch_name}: ${standing}.`;
}

/** Steps, files and checks, fenced. */
export function planText(issue: Issue, { version, plan }: PostedPlan, { quote }: Pick<McpContext, "quote">): string {
  const files = plan.file_changes
    .slice(0, MOST.files)
    .map(({ path, operation, change_summary: what, line_range: at }) => {
      const lines = at === null ? "" : `, lines ${at[0]} to ${at[1]}`;
      return `- ${operation} ${path}${lines}: ${what}`;
    });
  const left = plan.file_changes.length - files.length;
  const text = [
    "Steps:",
    ...plan.plan_steps.map(({ order, description }) => `${order}. ${description}`),
    "",
    "Files:",
    ...files,
    ...(left > 0 ? [`[${left} more files]`] : []),
    "",
    "Checks to run:",
    ...plan.validation_commands.map((command) => `- ${command}`),
    ...(plan.human_check_reason === null ? [] : ["", `A person must look at the result: ${plan.human_check_reason}`]),
  ];
  return quote.text(`plan ${version} of ${issueName(issue)}`, text.join("\n"), MOST.text);
}

function shown(version: PostedPlan, { quote }: McpContext) {
  const { triage, plan, text: _text, comment_id: _comment, sha256: _sha256, ...head } = shownPlan(version);
  return {
    ...head,
    triage: {
      classification: triage.classification,
      risk: triage.risk,
      security_flags: triage.security_flags.map((flag) => quote.line(flag)),
    },
    plan: {
      plan_steps: plan.plan_steps.map((step) => ({
        ...step,
        description: quote.line(step.description, MOST.step),
        command: step.command === null ? null : quote.line(step.command),
        files_involved: step.files_involved.slice(0, MOST.files).map((path) => quote.line(path, MOST.path)),
      })),
      file_changes: plan.file_changes.slice(0, MOST.files).map((change) => ({
        ...change,
        path: quote.line(change.path, MOST.path),
        change_summary: quote.line(change.change_summary, MOST.step),
      })),
      validation_commands: plan.validation_commands.slice(0, MOST.files).map((command) => quote.line(command)),
      human_check_reason: plan.human_check_reason === null ? null : quote.line(plan.human_check_reason, MOST.step),
      estimated_duration: plan.estimated_duration,
    },
    files_left_out: Math.max(0, plan.file_changes.length - MOST.files),
    may_be_carried_out: version.status === "confirmed" && !version.stopped,
  };
}

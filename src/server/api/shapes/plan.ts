import { z } from "zod";
import { type PostedPlan, RISKS } from "../../../domain/plan.ts";

const STATUSES = ["drafted", "posted", "stale", "confirmed"] as const;

export const planHeadSchema = z.object({
  version: z.int(),
  sha256: z.string(),
  status: z.enum(STATUSES).meta({ description: "Only a `posted` version can be agreed to." }),
  branch: z.string(),
  risk: z.enum(RISKS),
  files: z.int(),
  minutes: z.int(),
  approved_by: z.string().nullable(),
});

/** What fits in a list. */
export function shownPlanHead(plan: PostedPlan): z.infer<typeof planHeadSchema> {
  return {
    version: plan.version,
    sha256: plan.sha256,
    status: plan.status,
    branch: plan.plan.branch_name,
    risk: plan.triage.risk,
    files: plan.plan.file_changes.length,
    minutes: plan.plan.estimated_duration,
    approved_by: plan.approval?.by ?? null,
  };
}

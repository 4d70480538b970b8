import { z } from "zod";
import { type PostedPlan, RISKS, fixPlanSchema, triageResultSchema } from "../../../domain/plan.ts";
import { noTime, timeOf } from "./basics.ts";

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

/** A version of a plan; `triage` and `plan` are those of `relay triage --json` and `relay plan --json`. */
export const planSchema = planHeadSchema
  .extend({
    posted_at: noTime,
    stopped_by: z.string().nullable().meta({ description: "Who refused it; null if nobody did." }),
    comment_id: z.string().nullable(),
    text: z.string().nullable().meta({ description: "The comment as it was posted; Markdown." }),
    triage: triageResultSchema,
    plan: fixPlanSchema,
  })
  .meta({ id: "Plan", description: "A version of a plan: what will be done, file by file." });

export function shownPlan(version: PostedPlan): z.infer<typeof planSchema> {
  return {
    ...shownPlanHead(version),
    posted_at: timeOf(version.postedAt),
    stopped_by: version.stop?.by ?? null,
    comment_id: version.commentId,
    text: version.commentBody,
    triage: version.triage,
    plan: version.plan,
  };
}

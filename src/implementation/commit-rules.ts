import { secretVariables } from "../domain/text/secrets/remove-secrets.ts";
import type { ChangeRules } from "./run/workspace/workspace.ts";
import type { Claim } from "./claim.ts";
import type { WorkSettings } from "./worker.ts";

/** What the operator, the repository and the plan forbid a run to change. */
export function rulesOf(
  { settings, plan }: Pick<Claim, "settings"> & { plan: Pick<Claim["plan"], "plan"> },
  { blocked, allowed, reviewed, environment }: Pick<WorkSettings, "blocked" | "allowed" | "reviewed" | "environment">,
): ChangeRules {
  return {
    blocked: [...blocked, ...settings.blockedPaths],
    allowed,
    reviewed: [...reviewed, ...settings.reviewPaths],
    deletedByPlan: plan.plan.file_changes.filter(({ operation }) => operation === "DELETE").map(({ path }) => path),
    secrets: secretVariables(environment),
  };
}

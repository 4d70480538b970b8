import type { Author, ChangeRules } from "./run/workspace/workspace.ts";
import type { Claim } from "./claim.ts";
import type { WorkSettings } from "./worker.ts";

/** What the operator, the repository and the plan forbid a run to change. */
export function rulesOf(
  { settings, plan }: Pick<Claim, "settings" | "plan">,
  { blocked, allowed }: Pick<WorkSettings, "blocked" | "allowed">,
): ChangeRules {
  return {
    blocked: [...blocked, ...settings.blockedPaths],
    allowed,
    deletedByPlan: plan.plan.file_changes.filter(({ operation }) => operation === "DELETE").map(({ path }) => path),
  };
}

/** The author of commits: Relay, under the login of its comments. */
export function authorOf(bot: string): Author {
  const login = bot.replaceAll(/[^\w.[\]-]/g, "");
  return { name: login, email: `${login}@users.noreply.relay.invalid` };
}

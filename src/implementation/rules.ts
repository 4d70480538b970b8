import type { Author, ChangeRules } from "./run/workspace/workspace.ts";
import type { Claim } from "./claim.ts";
import type { WorkSettings } from "./worker.ts";

/** What a run may not change, as Relay's operator, the repository and the plan say. */
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

/** Commits are Relay's, under the name that its comments have. */
export function authorOf(bot: string): Author {
  const login = bot.replaceAll(/[^\w.[\]-]/g, "");
  return { name: login, email: `${login}@users.noreply.relay.invalid` };
}

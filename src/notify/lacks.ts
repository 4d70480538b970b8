import type { Lack } from "../domain/plan.ts";
import { code } from "../domain/text/comment-markdown.ts";
import { phrases } from "../i18n/phrases.ts";

/**
 * What the work of a plan lacks, who can fix it, and what follows until then, on one line; empty where it lacks nothing
 * (R-WORK-16).
 */
export function lacksText(
  lacks: readonly Lack[],
  language: string,
  next: "lack_mend" | "lack_waits" = "lack_mend",
): string {
  if (lacks.length === 0) return "";
  const say = phrases("plan", language);
  const each = lacks.map(({ what, name }) => say(`lack_${what}`, { name: code(name, 150) }));
  return `**${say("lacks")}:** ${each.join(" ")} ${say(next)}`;
}

import { code, prose } from "../domain/text/comment-markdown.ts";
import type { RevertedChange } from "../domain/work.ts";
import type { Translate } from "../i18n/phrases.ts";

const WHY = {
  "blocked path": "why_blocked",
  secret: "why_secret",
  "test removed": "why_test_removed",
  "too large": "why_too_large",
  "not a plain file": "why_not_plain",
} as const;

/** A line for each of the agent's changes that Relay reverted; each path once per reason. */
export function undoneLines(undone: readonly RevertedChange[], say: Translate<"request">): string[] {
  const once = new Map(undone.map((each) => [`${each.path}\n${each.why}`, each]));
  return [...once.values()].map(({ path, why: reason, detail }) => {
    const more = prose(detail, 150);
    return `- ${code(path, 200)}: ${say(WHY[reason])}${more === "" ? "" : ` (${more})`}`;
  });
}

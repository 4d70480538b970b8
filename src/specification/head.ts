import { type Issue, issueName } from "../domain/issue.ts";
import type { Complexity } from "../domain/spec.ts";

/**
 * The first lines of each spec: Relay's own, whoever wrote what comes after them (R-SAFE-2). A verdict belongs to a version
 * and comes after it was written, so the document claims none (R-SPEC-4).
 */
export function specHead(
  title: string,
  issue: Issue,
  { level, reason }: { level: Complexity; reason: string },
  now: Date,
): string {
  return [
    `# Spec: ${title}`,
    "",
    "**Status:** Proposed (its issue tells the verdict)  ",
    `**Issue:** ${(issue.url ?? issueName(issue)).replaceAll(/[\s<>`|]+/g, "")}  `,
    `**Last updated:** ${now.toISOString()}  `,
    `**Complexity:** ${level} (${reason})`,
  ].join("\n");
}

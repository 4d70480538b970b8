import type { Classification } from "../../domain/plan.ts";
import type { IssueReading } from "../../domain/reading/issue-reading.ts";
import type { IssueKind } from "../../domain/reading/kind.ts";
import { classify } from "../../explore/classify.ts";

const OF_KIND: Record<IssueKind, Classification> = {
  bug: "BUG",
  performance: "BUG",
  feature: "FEATURE",
  docs: "DOCS",
  chore: "CHORE",
  question: "OTHER",
};

/** What an issue is, by what its labels, template, words and files say, and why (R-TRI-1). */
export function classificationOf(
  reading: IssueReading,
  paths: readonly string[],
  labels: readonly string[],
): { classification: Classification; reason: string } {
  const { kind, reasons } = reading.kind;
  const classification = OF_KIND[kind];
  const said = reasons.slice(0, 2).join(", ");
  const roles = new Set(paths.map((path) => classify(path).role));
  if (labels.length === 0 && classification !== "OTHER" && roles.size === 1) {
    const [role] = roles;
    if (role === "docs") return { classification: "DOCS", reason: "only documentation is affected" };
    if (role === "lock") return { classification: "CHORE", reason: "only locked dependencies are affected" };
  }
  return { classification, reason: said };
}

import type { Classification, Risk } from "../../domain/plan.ts";

const LABEL: Record<Classification, string | null> = {
  BUG: "bug",
  FEATURE: "enhancement",
  DOCS: "documentation",
  CHORE: "chore",
  OTHER: null,
};

/** Suggested labels that the issue does not have. */
export function labelsFor(given: {
  classification: Classification;
  risk: Risk;
  flags: readonly string[];
  known: readonly string[];
  isQuestion: boolean;
}): string[] {
  const kind = given.isQuestion ? "question" : LABEL[given.classification];
  const wanted = [kind, `risk:${given.risk.toLowerCase()}`, given.flags.length > 0 ? "security" : null];
  const known = new Set(given.known.map((label) => label.toLowerCase()));
  return wanted.filter((label) => label !== null).filter((label) => !known.has(label));
}

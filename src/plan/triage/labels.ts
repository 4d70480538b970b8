import type { Classification, Risk } from "../../domain/plan.ts";

const LABEL: Record<Classification, string | null> = {
  BUG: "bug",
  FEATURE: "enhancement",
  DOCS: "documentation",
  CHORE: "chore",
  OTHER: null,
};

/** Labels that the issue lacks. */
export function labelsFor(given: {
  classification: Classification;
  risk: Risk;
  flags: readonly string[];
  known: readonly string[];
  isQuestion: boolean;
}): string[] {
  const kind = given.isQuestion ? "question" : LABEL[given.classification];
  const wished = [kind, `risk:${given.risk.toLowerCase()}`, given.flags.length > 0 ? "security" : null];
  const known = new Set(given.known.map((label) => label.toLowerCase()));
  return wished.filter((label) => label !== null).filter((label) => !known.has(label));
}

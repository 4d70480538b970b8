export const SEVERITIES = ["blocking", "high", "medium", "low"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const RESPONDENTS = ["reporter", "assignee"] as const;
export type Respondent = (typeof RESPONDENTS)[number];

export const CLOSE_REASONS = ["answered", "inferred", "not_relevant"] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/** The topics of questions asked by rules; answers in a file are matched by topic. */
export const TOPICS = ["reproduction", "expected", "actual", "acceptance", "scope", "compatibility"] as const;
export type Topic = (typeof TOPICS)[number];

/** A question whose answer would change the spec. */
export interface Gap {
  id: string;
  issueId: string;
  /** Small number for people, unique in the issue: `gap 5` (R-ACT-6). */
  number: number;
  question: string;
  /** What the question is based on: what was searched, and what was missing there. */
  evidence: string | null;
  severity: Severity;
  respondent: Respondent;
  topic: Topic | null;
  /** What Relay will assume without an answer, once people say to go ahead (R-PLAN-8). */
  proposedDefault: string | null;
  /** `pending`: stored, not yet asked. */
  status: "pending" | "open" | "closed";
  askedAt: Date | null;
  closedAt: Date | null;
  closedReason: CloseReason | null;
  closedNote: string | null;
  createdAt: Date;
}

/** Whether two questions ask the same, ignoring case, blanks and punctuation. */
export function isSameQuestion(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

function folded(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Sm}\p{Sc}]+/gu, " ")
    .trim();
}

import type { ConversationMessage } from "./conversation.ts";

export const SEVERITIES = ["blocking", "high", "medium", "low"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** `maintainer`: whoever has write access and is neither reporter nor assignee (R-PLAN-16). */
export const RESPONDENTS = ["reporter", "assignee", "maintainer"] as const;
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
  /** By the tracker's clock, as soon as its comment stands in the thread. */
  askedAt: Date | null;
  /** The tracker's id of the comment that asked it; null before it stands in the thread. */
  askedIn: string | null;
  /** Of an open gap: when it had been closed by an answer that is gone now. */
  closedAt: Date | null;
  closedReason: CloseReason | null;
  closedNote: string | null;
  /** The tracker's id of the comment that answered it, or agreed to what is assumed; null if none did, or it is not known (R-PLAN-13). */
  answeredIn: string | null;
  createdAt: Date;
}

/**
 * Whether somebody's last words came after a question, by the tracker's own times (R-CONF-11). Trackers may tell whole
 * seconds: within one, the place in the thread decides.
 */
export function isAfterAsking(
  message: Pick<ConversationMessage, "seq" | "timestamp" | "editedAt">,
  { askedAt, askedIn }: Pick<Gap, "askedAt" | "askedIn">,
  thread: readonly Pick<ConversationMessage, "seq" | "externalId">[],
): boolean {
  if (askedAt === null) return false;
  const later = (message.editedAt ?? message.timestamp).getTime() - askedAt.getTime();
  if (later !== 0) return later > 0;
  const asked = thread.find(({ externalId }) => externalId === askedIn);
  return asked === undefined || message.seq > asked.seq;
}

/** The evidence of a gap that the coding agent asked in a run. */
export function gapEvidenceOf(runId: string): string {
  return `asked by the coding agent in run ${runId}`;
}

export function isAgentGap({ evidence }: Pick<Gap, "evidence">): boolean {
  return evidence?.startsWith(gapEvidenceOf("")) === true;
}

/** Whether a person said yes to what Relay assumes. */
export function isAgreedTo({ closedReason, answeredIn }: Pick<Gap, "closedReason" | "answeredIn">): boolean {
  return closedReason === "inferred" && answeredIn !== null;
}

/** Whether it was answered, and its answer was deleted or changed since. */
export function isReopened({ status, closedAt }: Pick<Gap, "status" | "closedAt">): boolean {
  return status === "open" && closedAt !== null;
}

/** Whether an answer stands in a message as it was when it was taken; blanks, case and punctuation change nothing. */
export function answerStands({ closedNote }: Pick<Gap, "closedNote">, before: string, now: string | null): boolean {
  if (now === null) return false;
  const [was, is, note] = [before, now, closedNote ?? ""].map(folded);
  return was === is || (note !== "" && was?.includes(note ?? "") === true && is?.includes(note ?? "") === true);
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

import type { ActionOf } from "../../domain/action.ts";
import { FINDINGS_PER_ISSUE } from "../../domain/finding.ts";
import { type CloseReason, type Gap, isAfterAsking } from "../../domain/gap.ts";
import { type BatchState, type JudgedMessage, hasSay } from "./batch-state.ts";
import { findGap } from "./gap-reference.ts";

export type ProjectedGap = Pick<
  Gap,
  "id" | "number" | "question" | "evidence" | "severity" | "status" | "askedAt" | "askedIn"
> & {
  /** Index of the action that asks it; null if the batch does not. */
  askedBy: number | null;
  /** Whether a permitted person has written since it was asked; true for gaps that have not been asked. */
  responded: boolean;
};

/**
 * The state of the issue while a batch is executed, step by step in the executor's order. Validating against it lets a
 * batch use what it adds itself, and rejects one that would fail halfway.
 */
export interface Projection {
  gaps: ProjectedGap[];
  nextGapNumber: number;
  /** Index of the action that comes next. */
  action: number;
  /** Oldest first; null for one that the batch adds. */
  findings: (string | null)[];
  hasSpec: boolean;
  /** Whether the batch writes a version of the spec before the action that comes next. */
  writesSpec: boolean;
  /** The full thread. */
  messages: readonly JudgedMessage[];
  now: Date;
}

export function projectionOf(state: BatchState): Projection {
  return {
    gaps: state.gaps.map(({ id, number, question, evidence, severity, status, askedAt, askedIn }) => ({
      id,
      number,
      question,
      evidence,
      severity,
      status,
      askedAt,
      askedIn,
      askedBy: null,
      responded: askedAt === null || hasSpokenSince({ askedAt, askedIn }, state),
    })),
    messages: state.messages,
    nextGapNumber: state.nextGapNumber,
    action: 0,
    findings: state.findings.map((finding) => finding.id),
    hasSpec: state.hasSpec,
    writesSpec: false,
    now: state.now,
  };
}

/** Until the tracker's time of a question is known, unseen messages count as well: clocks differ. */
function hasSpokenSince(asked: Pick<Gap, "askedAt" | "askedIn">, { messages }: BatchState): boolean {
  return messages
    .filter(hasSay)
    .some((message) => (asked.askedIn === null && message.isNew) || isAfterAsking(message, asked, messages));
}

export function addGap(projection: Projection, gap: ActionOf<"update_gaps">["data"]["add"][number]): void {
  const number = projection.nextGapNumber;
  projection.nextGapNumber += 1;
  // It has no id yet, only a number.
  const added: ProjectedGap = {
    id: "",
    number,
    question: gap.question,
    evidence: gap.evidence ?? null,
    severity: gap.severity,
    status: "pending",
    askedAt: null,
    askedIn: null,
    askedBy: null,
    responded: true,
  };
  projection.gaps.push(added);
  if (!gap.pending) ask(projection, added);
}

type Asking = "asked" | "unknown" | "not_pending";

export function askGap(projection: Projection, reference: string): Asking {
  const gap = findGap(projection.gaps, reference);
  if (!gap) return "unknown";
  if (gap.status !== "pending") return "not_pending";
  ask(projection, gap);
  return "asked";
}

type Closing = "closed" | "unknown" | "closed_before" | "inferred_too_early" | "no_reply";

/** `goAhead`: the newest go-ahead that the batch takes up; null without one. */
export function closeGap(
  projection: Projection,
  reference: string,
  reason: CloseReason,
  goAhead: JudgedMessage | null,
): Closing {
  const gap = findGap(projection.gaps, reference);
  if (!gap) return "unknown";
  if (gap.status === "closed") return "closed_before";
  gap.status = "closed";
  const matters = gap.severity === "blocking" || gap.severity === "high";
  const isInferredBlocking = gap.severity === "blocking" && reason === "inferred";
  if (!isInferredBlocking) return gap.responded || (reason !== "answered" && !matters) ? "closed" : "no_reply";
  const isLater = goAhead !== null && gap.askedBy === null && isAfterAsking(goAhead, gap, projection.messages);
  return isLater ? "closed" : "inferred_too_early";
}

/** Adds findings; over the limit the oldest goes (R-ACT-6). */
export function addFindings(projection: Projection, count: number): void {
  projection.findings.push(...Array.from({ length: count }, () => null));
  projection.findings = projection.findings.slice(-FINDINGS_PER_ISSUE);
}

export function removeFinding(projection: Projection, id: string): boolean {
  const index = projection.findings.indexOf(id);
  if (index === -1) return false;
  projection.findings.splice(index, 1);
  return true;
}

function ask(projection: Projection, gap: ProjectedGap): void {
  gap.status = "open";
  gap.askedAt = projection.now;
  gap.askedBy = projection.action;
}

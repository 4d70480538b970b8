import type { ActionOf } from "../../domain/action.ts";
import { FINDINGS_PER_ISSUE } from "../../domain/finding.ts";
import type { CloseReason, Gap, Respondent } from "../../domain/gap.ts";
import { type BatchState, hasSay } from "./batch-state.ts";
import { findGap } from "./gap-reference.ts";

type ProjectedGap = Pick<Gap, "id" | "number" | "severity" | "respondent" | "status" | "askedAt"> & {
  askedByBatch: boolean;
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
  /** Questions per respondent that the batch asks and does not close again. */
  asked: Record<Respondent, number>;
  /** Oldest first; null for one that the batch adds. */
  findings: (string | null)[];
  hasSpec: boolean;
  now: Date;
}

export function projectionOf(state: BatchState): Projection {
  return {
    gaps: state.gaps.map(({ id, number, severity, respondent, status, askedAt }) => ({
      id,
      number,
      severity,
      respondent,
      status,
      askedAt,
      askedByBatch: false,
      responded: askedAt === null || hasSpokenSince(askedAt, state),
    })),
    nextGapNumber: state.nextGapNumber,
    asked: { reporter: 0, assignee: 0 },
    findings: state.findings.map((finding) => finding.id),
    hasSpec: state.hasSpec,
    now: state.now,
  };
}

/** Times are the tracker's, whose clock may differ from Relay's, so unseen messages count as well. */
function hasSpokenSince(askedAt: Date, state: BatchState): boolean {
  return state.messages
    .filter(hasSay)
    .some((message) => message.isNew || (message.editedAt ?? message.timestamp) >= askedAt);
}

export function addGap(projection: Projection, gap: ActionOf<"update_gaps">["data"]["add"][number]): void {
  const { severity, respondent, pending } = gap;
  const number = projection.nextGapNumber;
  projection.nextGapNumber += 1;
  // It has no id yet, only a number.
  const added: ProjectedGap = {
    id: "",
    number,
    severity,
    respondent,
    status: "pending",
    askedAt: null,
    askedByBatch: false,
    responded: true,
  };
  projection.gaps.push(added);
  if (!pending) ask(projection, added);
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

/** `goAheadAt`: when the newest go-ahead of the batch was given; null without one. */
export function closeGap(
  projection: Projection,
  reference: string,
  reason: CloseReason,
  goAheadAt: Date | null,
): Closing {
  const gap = findGap(projection.gaps, reference);
  if (!gap) return "unknown";
  if (gap.status === "closed") return "closed_before";
  const { askedAt } = gap;
  gap.status = "closed";
  if (gap.askedByBatch) projection.asked[gap.respondent] -= 1;
  const matters = gap.severity === "blocking" || gap.severity === "high";
  const isInferredBlocking = gap.severity === "blocking" && reason === "inferred";
  if (!isInferredBlocking) return gap.responded || (reason !== "answered" && !matters) ? "closed" : "no_reply";
  return askedAt !== null && goAheadAt !== null && goAheadAt > askedAt ? "closed" : "inferred_too_early";
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
  gap.askedByBatch = true;
  projection.asked[gap.respondent] += 1;
}

import type { ActionOf } from "../domain/action.ts";
import { FINDINGS_PER_ISSUE } from "../domain/finding.ts";
import type { CloseReason, Gap, Respondent } from "../domain/gap.ts";
import type { BatchState } from "./batch-state.ts";
import { findGap } from "./gap-reference.ts";

type ProjectedGap = Pick<Gap, "id" | "number" | "severity" | "respondent" | "status" | "askedAt"> & {
  askedByBatch: boolean;
};

/**
 * The issue as it will be while a batch is carried out, part by part in the executor's order. Judging against it
 * instead of the stored state lets a batch use what it adds itself, and refuses one that would fail halfway.
 */
export interface Projection {
  gaps: ProjectedGap[];
  nextGapNumber: number;
  /** Questions that the batch puts to each respondent; what it closes again at once is no question. */
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
    })),
    nextGapNumber: state.nextGapNumber,
    asked: { reporter: 0, assignee: 0 },
    findings: state.findings.map((finding) => finding.id),
    hasSpec: state.hasSpec,
    now: state.now,
  };
}

export function addGap(projection: Projection, gap: ActionOf<"update_gaps">["data"]["add"][number]): void {
  const { severity, respondent, pending } = gap;
  const number = projection.nextGapNumber;
  projection.nextGapNumber += 1;
  // It has no id yet; only its number can name it.
  const added: ProjectedGap = {
    id: "",
    number,
    severity,
    respondent,
    status: "pending",
    askedAt: null,
    askedByBatch: false,
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

type Closing = "closed" | "unknown" | "closed_before" | "inferred_too_early";

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
  if (reason !== "inferred" || gap.severity !== "blocking") return "closed";
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

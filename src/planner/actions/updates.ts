import type { ActionOf } from "../../domain/action.ts";
import type { Finding } from "../../domain/finding.ts";
import { keptCode, keptText } from "../../domain/text/clean-text.ts";
import {
  type ActionWrites,
  type Apply,
  type AuditDraft,
  type ExecutorDeps,
  type RecordDeps,
  auditDraft,
} from "./ports.ts";
import { sourceOf } from "./learning-rules.ts";
import type { NewLearning } from "../../storage/learnings.ts";
import { PartError } from "./failure.ts";
import { RelayError } from "../../lib/errors.ts";
import { type CloseReason, type Gap, isAfterAsking } from "../../domain/gap.ts";
import { oneLine } from "../../lib/text.ts";
import { type JudgedMessage, hasSay, isFromPerson } from "./batch-state.ts";
import { findGap } from "./gap-reference.ts";
import { verdictBy } from "./spec-rules.ts";

/** Removes, then adds, all or nothing; findings evicted by the limit are recorded as removed too (R-ACT-6). */
export function applyFindings(
  { add, remove }: ActionOf<"update_findings">["data"],
  deps: RecordDeps,
): Apply<ActionWrites> {
  return async (tx) => {
    const before = await tx.listFindings();
    const left = new Set(before.map((finding) => finding.id));
    for (const id of remove) {
      if (!left.delete(id)) throw new PartError("not_found", `finding_${id}`, `finding ${id} does not exist`);
      await tx.removeFinding(id, add.length > 0 ? "replaced" : "withdrawn");
    }
    for (const { synthesis, sources } of add) {
      const kept = sources.map((source) => ({
        ...source,
        location: keptCode(source.location),
        snippet: keptCode(source.snippet),
      }));
      await tx.addFinding({ synthesis: keptText(synthesis), sources: kept });
    }
    const after = await tx.listFindings();

    const gone = missingFrom(after, before);
    const added = missingFrom(before, after);
    return {
      outcome: { added: added.map((finding) => finding.id), removed: gone.map((finding) => finding.id) },
      audit: [
        ...gone.map((finding) => auditDraft(deps, "finding.removed", { before: findingFacts(finding) })),
        ...added.map((finding) => auditDraft(deps, "finding.added", { after: findingFacts(finding) })),
      ],
    };
  };
}

/** The findings of `these` that are missing from `others`. */
function missingFrom(others: Finding[], these: Finding[]): Finding[] {
  const numbers = new Set(others.map((finding) => finding.number));
  return these.filter((finding) => !numbers.has(finding.number));
}

function findingFacts({ id, number, synthesis, sources }: Finding): Record<string, unknown> {
  return { id, number, synthesis, sources };
}

/**
 * Proposes learnings that are new to the repository (R-SAFE-8): known ones are skipped, and those that no person with
 * write access stated are refused.
 */
export async function applyLearnings(
  { propose }: ActionOf<"update_learnings">["data"],
  deps: RecordDeps & Pick<ExecutorDeps<ActionWrites>, "messages" | "writerOf">,
): Promise<Apply<ActionWrites>> {
  const stated: NewLearning[] = [];
  const audit: AuditDraft[] = [];
  for (const proposal of propose) {
    const { type, content: given } = proposal;
    const content = keptText(given);
    const source = sourceOf(proposal, deps);
    const proposedBy = source && (await deps.writerOf(source));
    if (source && proposedBy) stated.push({ type, content, proposedBy, sourceMessageId: source.externalId });
    else audit.push(auditDraft(deps, "learning.refused", { after: { type, content, message: source?.seq ?? null } }));
  }
  return async (tx) => {
    const added: AuditDraft[] = [];
    for (const learning of stated) {
      if (await tx.proposeLearning(learning)) added.push(auditDraft(deps, "learning.proposed", { after: learning }));
    }
    const outcome = { added: added.length, known: stated.length - added.length, refused: audit.length };
    return { outcome, audit: [...audit, ...added] };
  };
}

/**
 * Sets the status of the newest spec, in the name of the person whose words say so; throws `not_found` if there is
 * none.
 */
export function applySpecStatus(
  { status }: ActionOf<"set_spec_status">["data"],
  deps: RecordDeps & Pick<ExecutorDeps<ActionWrites>, "messages">,
): Apply<ActionWrites> {
  return async (tx) => {
    const by = verdictBy(status, deps);
    const before = await tx.setSpecStatus({ status, by });
    if (before === null)
      throw new RelayError("not_found", `issue ${deps.issue.id} has no spec whose status could be set`);
    const audit = [auditDraft(deps, `spec.${status}`, { before: { status: before }, after: { status, by } })];
    return { outcome: { before, after: status }, audit };
  };
}

/** Adds, asks and closes, in this order, all or nothing: gaps that it adds can be asked and closed at once. */
export function applyGaps(
  { add, ask, close }: ActionOf<"update_gaps">["data"],
  deps: RecordDeps & Pick<ExecutorDeps<ActionWrites>, "messages">,
): Apply<ActionWrites> {
  return async (tx) => {
    const audit: AuditDraft[] = [];
    const added: number[] = [];
    for (const gap of add) {
      const stored = await tx.addGap({
        question: keptText(gap.question),
        evidence: gap.evidence === undefined ? null : keptText(gap.evidence),
        severity: gap.severity,
        respondent: gap.respondent,
        topic: gap.topic ?? null,
        proposedDefault: gap.proposed_default === undefined ? null : keptText(gap.proposed_default),
        pending: gap.pending,
      });
      added.push(stored.number);
      audit.push(auditDraft(deps, stored.status === "pending" ? "gap.kept" : "gap.asked", { after: gapFacts(stored) }));
    }
    const gaps = new Map((await tx.listGaps()).map((gap) => [gap.id, gap]));
    for (const reference of ask) {
      const gap = existing([...gaps.values()], reference);
      if (gap.status !== "pending") throw refused(gap, "is not pending, so it cannot be asked");
      await tx.askGap(gap.id);
      gaps.set(gap.id, { ...gap, status: "open" });
      audit.push(auditDraft(deps, "gap.asked", { before: gapFacts(gap), after: { ...gapFacts(gap), status: "open" } }));
    }
    // Their comment may be posted already: a planner may post it first.
    if (added.length + ask.length > 0) await tx.askWithComment();
    for (const { gap_id: reference, reason, note: given, message } of close) {
      const note = given === undefined ? null : keptText(given);
      const gap = existing([...gaps.values()], reference);
      if (gap.status === "closed") throw refused(gap, "is closed already");
      const isSaid = reason === "answered" || isAgreed(gap, { reason, note, message });
      const answeredIn = isSaid ? answerTo(gap, { note, message }, deps.messages) : null;
      await tx.closeGap(gap.id, reason, { note, answeredIn });
      gaps.set(gap.id, { ...gap, status: "closed" });
      const after = { ...gapFacts(gap), status: "closed", reason, note, answered_in: answeredIn };
      audit.push(auditDraft(deps, "gap.closed", { before: gapFacts(gap), after }));
    }
    return { outcome: { added, asked: ask.length, closed: close.length }, audit };
  };
}

/** Whether a message said yes to what the question proposed to assume. */
function isAgreed(
  { proposedDefault }: Gap,
  { reason, note, message }: { reason: CloseReason; note: string | null; message: number | undefined },
): boolean {
  return reason === "inferred" && message !== undefined && note !== null && note === proposedDefault;
}

/**
 * The comment that answers a question: the one named, else the one that has the note's words, else the only one that
 * came after it from somebody with a say.
 */
function answerTo(
  gap: Gap,
  { note, message: named }: { note: string | null; message: number | undefined },
  messages: readonly JudgedMessage[],
): string | null {
  const given = messages.filter((message) => hasSay(message) && isAfterAsking(message, gap, messages));
  const start = folded(note ?? "").slice(0, 60);
  const found =
    messages.find((message) => message.seq === named && isFromPerson(message)) ??
    given.findLast(({ content }) => start !== "" && folded(content).includes(start)) ??
    (given.length === 1 ? given[0] : undefined);
  return found?.externalId ?? null;
}

function folded(text: string): string {
  return oneLine(text).toLowerCase();
}

function existing(gaps: Gap[], reference: string): Gap {
  const gap = findGap(gaps, reference);
  if (gap) return gap;
  throw new PartError("not_found", `gap_${reference}`, `gap ${reference} does not exist in this issue`);
}

function refused(gap: Gap, why: string): PartError {
  return new PartError("conflict", `gap_${gap.number}`, `gap ${gap.number} ${why}`);
}

function gapFacts({ id, number, question, severity, respondent, status }: Gap): Record<string, unknown> {
  return { id, number, question, severity, respondent, status };
}

import type { ActionOf } from "../../domain/action.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { type Complaint, type JudgedMessage, quoted } from "./batch-state.ts";
import { type Projection, addGap, askGap, closeGap } from "./projection.ts";

/** Open and pending questions of one issue: every prompt has all of them. */
const GAPS_WAITING = 60;

/** Validates `update_gaps` in the executor's order: add, ask, close (R-ACT-2, decision 2). Updates the projection. */
export function judgeGaps(
  { add, ask, close }: ActionOf<"update_gaps">["data"],
  projection: Projection,
  goAhead: JudgedMessage | null,
): Complaint[] {
  const complaints: Complaint[] = [];
  const waiting = projection.gaps.filter((gap) => gap.status !== "closed").length;
  if (add.length > 0 && waiting + add.length > GAPS_WAITING) {
    complaints.push({
      rule: "gap_limit",
      detail: `${waiting} questions wait already, and at most ${GAPS_WAITING} may; keep the ones that matter`,
    });
  }
  for (const [index, gap] of add.entries()) {
    if (keptText(gap.question).trim() === "") {
      complaints.push({ rule: "gap_question", detail: `add[${index}] has no question; write it` });
    }
    if (keptText(gap.evidence ?? "").trim() === "") {
      const detail = `add[${index}] has no evidence; say what you saw that leaves it open`;
      complaints.push({ rule: "gap_evidence", detail });
    }
    if (keptText(gap.proposed_default ?? "").trim() === "") {
      const detail = `add[${index}] has no proposed_default; say what you will assume`;
      complaints.push({ rule: "gap_default", detail });
    }
    addGap(projection, gap);
  }
  for (const reference of ask) complaints.push(...judgeAsking(reference, projection));
  for (const closing of close) complaints.push(...judgeClosing(closing, projection, goAhead));
  return complaints;
}

function judgeAsking(reference: string, projection: Projection): Complaint[] {
  const asking = askGap(projection, reference);
  switch (asking) {
    case "asked":
      return [];
    case "unknown":
      return [{ rule: "gap_exists", detail: `${name(reference)} does not exist; use the number of a listed gap` }];
    case "not_pending":
      return [
        { rule: "gap_pending", detail: `${name(reference)} is not pending, so it cannot be asked; take it out of ask` },
      ];
    default:
      return asking satisfies never;
  }
}

function judgeClosing(
  { gap_id, reason, note }: ActionOf<"update_gaps">["data"]["close"][number],
  projection: Projection,
  goAhead: JudgedMessage | null,
): Complaint[] {
  const complaints: Complaint[] = [];
  if (reason !== "not_relevant" && (note ?? "").trim() === "") {
    const what = reason === "answered" ? "the answer" : "the assumption and why";
    complaints.push({ rule: "gap_note", detail: `closing ${name(gap_id)} as ${reason} needs a note with ${what}` });
  }
  const closing = closeGap(projection, gap_id, reason, goAhead);
  switch (closing) {
    case "closed":
      break;
    case "unknown":
      complaints.push({
        rule: "gap_exists",
        detail: `${name(gap_id)} does not exist; use the number of a listed gap`,
      });
      break;
    case "closed_before":
      complaints.push({ rule: "gap_closed", detail: `${name(gap_id)} is closed already; take it out of close` });
      break;
    case "inferred_too_early":
      complaints.push({
        rule: "blocking_inferred",
        detail: `${name(gap_id)} is blocking: it may be inferred only with a go-ahead that was given after it was asked; ask it and wait`,
      });
      break;
    case "no_reply":
      complaints.push({
        rule: "gap_answer",
        detail: `nobody who may decide has written since ${name(gap_id)} was asked, so it is not ${reason === "answered" ? "answered" : "settled"}; leave it open and wait`,
      });
      break;
    default:
      closing satisfies never;
  }
  return complaints;
}

function name(reference: string): string {
  return /^\d+$/.test(reference) ? `gap ${reference}` : `gap ${quoted(reference)}`;
}

import type { Action, ActionBatch, ActionOf, ActionProblem } from "../../domain/action.ts";
import type { CycleContext } from "../planner.ts";
import type { Evidence } from "./evidence.ts";

/* Rules for models in addition to those of actions: models can be manipulated, and they make things up. */

type Complaint = Omit<ActionProblem, "index">;

/** The problems of a batch that a model submits. Pure. */
export function houseProblems(
  batch: ActionBatch,
  { context, evidence }: { context: CycleContext; evidence: Evidence },
): ActionProblem[] {
  let nextNumber = context.nextGapNumber;
  const comments = batch.actions.filter((action) => action.type === "post_comment").map(({ data }) => data.content);
  return batch.actions.flatMap((action, index) => {
    const first = nextNumber;
    if (action.type === "update_gaps") nextNumber += action.data.add.length;
    return judge(action, { context, evidence, comments, first }).map((complaint) => ({ index, ...complaint }));
  });
}

/**
 * Replaces the lines copied by a model with the actual code. `dropped` counts the sources that are removed because they
 * were not verified; findings left without sources are removed too.
 */
export function withEvidence(batch: ActionBatch, evidence: Evidence): { batch: ActionBatch; dropped: number } {
  let dropped = 0;
  const actions = batch.actions.map((action): Action => {
    if (action.type !== "update_findings") return action;
    const add = action.data.add
      .map((finding) => {
        const sources = finding.sources.flatMap((source) => evidence.find(source.location) ?? []);
        dropped += finding.sources.length - sources.length;
        return { ...finding, sources };
      })
      .filter((finding) => finding.sources.length > 0);
    return { ...action, data: { ...action.data, add } };
  });
  return { batch: { ...batch, actions }, dropped };
}

function judge(
  action: Action,
  {
    context,
    evidence,
    comments,
    first,
  }: { context: CycleContext; evidence: Evidence; comments: string[]; first: number },
): Complaint[] {
  switch (action.type) {
    case "update_findings":
      return judgeSources(action, evidence);
    case "update_gaps":
      return judgeQuestions(action, { comments, first, context });
    case "ready_for_spec_generation":
      return judgeRevision(context);
    case "post_comment":
    case "update_learnings":
    case "update_spec":
    case "set_spec_status":
      return [];
    default:
      return action satisfies never;
  }
}

/** Findings may cite only what an exploration of this cycle has verified. */
function judgeSources({ data }: ActionOf<"update_findings">, evidence: Evidence): Complaint[] {
  return data.add.flatMap((finding, at) =>
    finding.sources
      .filter(({ location }) => evidence.find(location) === null)
      .map(({ location }) => {
        const near = evidence.near(location);
        const hint = near.length === 0 ? "explore first, or drop the finding" : `cite one of ${near.join(", ")}`;
        return refusal("finding_verified", `add[${at}]: no exploration of this cycle verified ${location}; ${hint}`);
      }),
  );
}

function judgeQuestions(
  { data }: ActionOf<"update_gaps">,
  { comments, first, context }: { comments: string[]; first: number; context: CycleContext },
): Complaint[] {
  const complaints: Complaint[] = [];
  const closed = new Set(data.close.map((closing) => closing.gap_id));
  for (const [at, gap] of data.add.entries()) {
    if ((gap.evidence ?? "").trim() === "") {
      complaints.push(refusal("gap_evidence", `add[${at}] has no evidence; say what you saw that leaves it open`));
    }
    if ((gap.proposed_default ?? "").trim() === "") {
      complaints.push(refusal("gap_default", `add[${at}] has no proposed_default; say what you will assume`));
    }
    if (!gap.pending && !closed.has(String(first + at))) complaints.push(...judgeWritten(first + at, comments));
  }
  for (const reference of data.ask) {
    const gap = context.pendingGaps.find((one) => one.id === reference || String(one.number) === reference);
    if (gap !== undefined && !closed.has(reference)) complaints.push(...judgeWritten(gap.number, comments));
  }
  return complaints;
}

/** A question that is stored but missing from every comment would never be answered. */
function judgeWritten(number: number, comments: string[]): Complaint[] {
  if (comments.some((comment) => holdsNumber(comment, number))) return [];
  const detail = `question ${number} is asked, and no comment of this batch holds it as **${number}.**; write it into the comment to its respondent`;
  return [refusal("gap_comment", detail)];
}

/** A go-ahead is for one spec only: people without permission cannot cause another one to be written (R-SAFE-1). */
function judgeRevision(context: CycleContext): Complaint[] {
  if (context.specStub === null || context.wishes.length > 0) return [];
  const mayDecide = new Set(context.participants.filter((one) => one.mayProceed).map((one) => one.login.toLowerCase()));
  const asked = context.messages.some(
    (message) =>
      context.newMessages.includes(message.seq) && !message.isBot && mayDecide.has(message.author.toLowerCase()),
  );
  if (asked) return [];
  const detail =
    "the spec is written anew only when somebody who may give the go-ahead has said so in a new message; drop this action";
  return [refusal("revision_gate", detail)];
}

function holdsNumber(text: string, number: number): boolean {
  return new RegExp(`(?<!\\d)${number}(?!\\d)`).test(text);
}

function refusal(rule: string, detail: string): Complaint {
  return { rule, detail };
}

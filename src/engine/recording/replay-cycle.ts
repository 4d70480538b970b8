import { isDeepStrictEqual } from "node:util";
import type { Judge, Planner } from "../../planner/planner.ts";
import type { Grounding } from "../../specification/validate/grounding.ts";
import { validateSpec } from "../../specification/validate/validate.ts";
import type { CycleRecord, DraftRecord, PlanningRecord } from "./cycle-record.ts";
import { recorder } from "./recorder.ts";

/** A difference between the recording and the replay; both sides are JSON, or lines of text. */
export interface Difference {
  /** From 1: the first planning of the cycle, then its replannings after failures. Null for specs. */
  planning: number | null;
  what: "prompt" | "answer" | "verdict" | "answers_left" | "spec_verdict";
  /** From 1, for a difference in one answer or draft. */
  position: number | null;
  before: unknown;
  after: unknown;
}

export interface ReplayedCycle {
  number: number;
  planner: string;
  /** `rules`: the rules planned again. `recorded`: the planner's recorded answers were judged again. */
  answers: "rules" | "recorded";
  /** Whether the code was available at the recorded commit. */
  code: boolean;
  differences: Difference[];
}

/**
 * Replays a recorded cycle, with its context and answers, in the current version of Relay (R-OBS-4). Rules plan again
 * if the code is available at its commit; for a model, the recorded answers are used. No action is executed.
 */
export async function replayCycle(
  record: CycleRecord,
  then: { rules: Planner; code: NonNullable<Grounding["code"]> } | null,
): Promise<ReplayedCycle> {
  const rules = record.planner === "offline" ? (then?.rules ?? null) : null;
  const differences: Difference[] = [];
  for (const [index, planning] of record.plannings.entries()) {
    const found = await replayPlanning(planning, rules);
    differences.push(...found.map((difference) => ({ planning: index + 1, ...difference })));
  }
  for (const [index, draft] of record.drafts.entries()) {
    // Without the recorded code, every citation of it would look wrong.
    if (then === null) break;
    const now = await judgeDraft(draft, then.code);
    if (isDeepStrictEqual(now, draft.errors)) continue;
    differences.push({ planning: null, what: "spec_verdict", position: index + 1, before: draft.errors, after: now });
  }
  const { number, planner } = record;
  return { number, planner, answers: rules === null ? "recorded" : "rules", code: then !== null, differences };
}

type Found = Omit<Difference, "planning">;

async function replayPlanning(planning: PlanningRecord, rules: Planner | null): Promise<Found[]> {
  const differences: Found[] = [];
  const { judge, planning: now } = recorder(planning.context, planning.state);
  if (now.prompt !== planning.prompt) {
    differences.push({ what: "prompt", position: null, before: planning.prompt, after: now.prompt });
  }
  if (rules === null) judgeInTurn(planning.answers, judge);
  else await rules.plan(planning.context, judge);
  for (const [index, answer] of planning.answers.entries()) {
    const position = index + 1;
    const other = now.answers[index];
    if (other === undefined) {
      differences.push({ what: "answers_left", position, before: answer.submitted, after: null });
      continue;
    }
    const submitted = asJson(other.submitted);
    if (!isDeepStrictEqual(answer.submitted, submitted)) {
      differences.push({ what: "answer", position, before: answer.submitted, after: submitted });
    }
    if (!isDeepStrictEqual(answer.problems, other.problems)) {
      differences.push({ what: "verdict", position, before: answer.problems, after: other.problems });
    }
  }
  for (const [index, { submitted }] of now.answers.slice(planning.answers.length).entries()) {
    const position = planning.answers.length + index + 1;
    differences.push({ what: "answer", position, before: null, after: asJson(submitted) });
  }
  return differences;
}

/** Submits the recorded answers until one is accepted: no planner continues after that. */
function judgeInTurn(answers: PlanningRecord["answers"], judge: Judge): void {
  for (const { submitted } of answers) if (judge(submitted).kind === "accepted") return;
}

/** Converts a value to what reading it from a record returns. */
function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

async function judgeDraft(
  { markdown, complexity, numbers, statements }: DraftRecord,
  code: NonNullable<Grounding["code"]>,
): Promise<DraftRecord["errors"]> {
  const grounding: Grounding = {
    gapNumbers: new Set(numbers.gaps),
    findings: numbers.findings,
    messageCount: numbers.messages,
    mustCover: numbers.mustCover,
    statements,
    code,
  };
  const { errors } = await validateSpec(markdown, { complexity, grounding });
  return errors.map(({ rule, line, detail }) => ({ rule, line, detail }));
}

import type { Action } from "../../domain/action.ts";
import type { Complaint } from "./batch-state.ts";

/** The longest texts that are stored, in characters: whatever is stored comes back in every later prompt (R-SAFE-5). */
const LONGEST = {
  question: 2_000,
  evidence: 4_000,
  proposed_default: 2_000,
  note: 4_000,
  synthesis: 8_000,
  context_summary: 20_000,
  proceed_signal: 4_000,
  reason: 2_000,
} as const;

const SOURCES_PER_FINDING = 30;
const LEARNINGS_APPLIED = 100;

/** Whether the texts of an action fit; comments, learnings and specs have rules of their own. */
export function judgeLengths(action: Action): Complaint[] {
  switch (action.type) {
    case "update_gaps":
      return [
        ...action.data.add.flatMap((gap, index) => [
          ...tooLong(`add[${index}]`, "question", gap.question),
          ...tooLong(`add[${index}]`, "evidence", gap.evidence),
          ...tooLong(`add[${index}]`, "proposed_default", gap.proposed_default),
        ]),
        ...action.data.close.flatMap(({ note }, index) => tooLong(`close[${index}]`, "note", note)),
      ];
    case "update_findings":
      return action.data.add.flatMap(({ synthesis, sources }, index) => [
        ...tooLong(`add[${index}]`, "synthesis", synthesis),
        ...tooMany(`add[${index}].sources`, sources.length, SOURCES_PER_FINDING),
      ]);
    case "ready_for_spec_generation":
      return [
        ...tooLong("data", "context_summary", action.data.context_summary),
        ...tooLong("data", "proceed_signal", action.data.proceed_signal),
        ...tooMany("learnings_applied", action.data.learnings_applied.length, LEARNINGS_APPLIED),
      ];
    case "update_spec":
      return tooLong("data", "reason", action.data.reason);
    case "post_comment":
    case "update_learnings":
    case "set_spec_status":
      return [];
    default:
      return action satisfies never;
  }
}

function tooLong(place: string, field: keyof typeof LONGEST, text: string | undefined): Complaint[] {
  const limit = LONGEST[field];
  if (text === undefined || text.length <= limit) return [];
  return [
    {
      rule: "text_length",
      detail: `${place}.${field} has ${text.length} characters, at most ${limit} fit; shorten it`,
    },
  ];
}

function tooMany(place: string, count: number, limit: number): Complaint[] {
  if (count <= limit) return [];
  return [{ rule: "text_length", detail: `${place} has ${count} entries, at most ${limit} fit; keep the best` }];
}

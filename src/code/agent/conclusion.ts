import type { LimitKind } from "../../adapters/models/limits.ts";
import type { AgentOutcome } from "../../adapters/models/model.ts";
import type { ExploreAnswer, ExploreCost, GaveUpCause } from "./explore-answer.ts";
import { spoken } from "./answer-text.ts";
import type { Submitted } from "./submission.ts";

/**
 * What a run came to. Findings whose mending did not come about still stand, without what was wrong, as they would
 * after a second submission; unless nobody waits for them any more, or nothing is left that they rest on.
 */
export function finishCycle(outcome: AgentOutcome, submitted: Submitted | null, commit: string): ExploreAnswer {
  const { model, fellBackFrom, calls, usage, costUsd, ms, steps } = outcome;
  const cost: ExploreCost = { model, fellBackFrom, calls, usage, costUsd, ms, steps: steps.length };
  const base = { commit, cost, repeated: false, sources: [], dropped: [], ...submitted };
  const stands =
    submitted !== null && outcome.kind !== "aborted" && (outcome.kind === "finished" || submitted.sources.length > 0);
  if (stands) {
    const { synthesis, sources } = submitted;
    return { ...base, kind: "answered", synthesis, verified: sources.length > 0 };
  }
  const cause = causeOf(outcome);
  const said = submitted?.synthesis ?? spoken(lastWords(outcome));
  return { ...base, kind: "gave up", cause, why: whyOf(cause), synthesis: said === "" ? null : said };
}

/** Nothing was done, as nobody waits for it. */
export function abandoned(model: string, commit: string, cost: Omit<ExploreCost, "model">): ExploreAnswer {
  const cause: GaveUpCause = { kind: "aborted" };
  return {
    kind: "gave up",
    cause,
    why: whyOf(cause),
    synthesis: null,
    sources: [],
    dropped: [],
    commit,
    cost: { model, ...cost },
    repeated: false,
  };
}

/** What the model said last, unless that was a refusal, or went with calls and tells only what it was about to do. */
function lastWords(outcome: AgentOutcome): string {
  if (outcome.kind !== "finished" && outcome.kind !== "limit") return "";
  return outcome.steps.at(-1)?.calls.length === 0 ? outcome.text : "";
}

function causeOf(outcome: AgentOutcome): GaveUpCause {
  switch (outcome.kind) {
    case "finished":
      return { kind: "never submitted" };
    case "limit":
      return { kind: "limit", limit: outcome.limit };
    case "failed":
      return { kind: "failed", failure: outcome.failure };
    case "refused":
    case "aborted":
      return { kind: outcome.kind };
  }
  return outcome satisfies never;
}

function whyOf(cause: GaveUpCause): string {
  switch (cause.kind) {
    case "limit":
      return `the exploration was stopped: ${LIMIT_REACHED[cause.limit]}; ask something narrower, or more thoroughly`;
    case "refused":
      return "the model declined to answer; ask in other words";
    case "failed":
      return cause.failure.message;
    case "never submitted":
      return "the model stopped without handing in findings, also after a reminder; ask something narrower";
    case "aborted":
      return "the exploration was called off";
  }
  return cause satisfies never;
}

const LIMIT_REACHED: Record<LimitKind, string> = {
  steps: "it took as many answers as allowed without handing in findings",
  input_tokens: "it read as many tokens as allowed",
  output_tokens: "it wrote as many tokens as allowed",
  cost: "it cost as much as allowed",
  time: "it took as long as allowed",
  answer_length: "the model's answer was longer than allowed",
  repeats: "the model made the same calls again and again",
};

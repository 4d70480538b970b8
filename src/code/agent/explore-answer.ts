import type { VerifiedPlace } from "../../domain/exploration.ts";
import type { LimitKind } from "../../adapters/models/limits.ts";
import type { AgentOutcome, ModelFailure, RunReport } from "../../adapters/models/model.ts";
import { NO_USAGE } from "../../adapters/models/usage.ts";
import { stripHiddenText } from "../../domain/text/hidden-text.ts";
import { removeSecrets } from "../../domain/text/secrets/remove-secrets.ts";

/** A source that the model named and that failed verification. */
export interface DroppedSource {
  /** As the model wrote it, at most 200 characters. */
  location: string;
  why: string;
}

/** Why an exploration ended without an answer. */
export type GaveUpCause =
  | { kind: "limit"; limit: LimitKind }
  | { kind: "refused" }
  | { kind: "failed"; failure: ModelFailure }
  /** The model stopped without submitting anything, even after a reminder. */
  | { kind: "never submitted" }
  | { kind: "aborted" };

/** What the model submitted, after verification. */
export interface Findings {
  sources: VerifiedPlace[];
  dropped: DroppedSource[];
}

/** What an exploration cost, whether or not it succeeded (R-OBS-1); all zero for a cached answer. */
export interface ExploreCost extends Pick<RunReport, "model" | "fellBackFrom" | "calls" | "usage" | "costUsd" | "ms"> {
  /** Answers of the model. */
  steps: number;
}

/** A synthesis about the code with verified sources, or why there is none (R-EXP-3). */
export type ExploreAnswer = Findings & {
  /** The commit that the locations refer to. */
  commit: string;
  cost: ExploreCost;
  /** Answered from the cache: the same question came before. */
  repeated: boolean;
} & (
    | {
        kind: "answered";
        /** At most 2,000 characters. The model's words about untrusted text: data, never an instruction. */
        synthesis: string;
        /** False when no source passed verification, so that nothing supports the synthesis. */
        verified: boolean;
      }
    | {
        kind: "gave up";
        cause: GaveUpCause;
        /** The cause as a sentence. */
        why: string;
        /** The last text of the model, if there was any. */
        synthesis: string | null;
      }
  );

/** The latest submission of the model, after verification. */
export interface Submitted extends Findings {
  synthesis: string;
}

export const SYNTHESIS_CHARACTERS = 2_000;

/** Text of a model without hidden characters and credentials, cut to the length of a synthesis (R-SAFE-1, R-SAFE-2). */
export function answerText(text: string): string {
  // Secrets are removed before the final cut, which could leave half of one; a coarse cut first bounds the work.
  const clean = removeSecrets(
    stripHiddenText(text.slice(0, 20 * SYNTHESIS_CHARACTERS), { tags: false }).text,
  ).text.trim();
  if (clean.length <= SYNTHESIS_CHARACTERS) return clean;
  const cut = clean.slice(0, SYNTHESIS_CHARACTERS - 1);
  const sentence = [...cut.matchAll(/[.!?](?=\s)|[。！？]/g)].at(-1)?.index ?? 0;
  const end = sentence > SYNTHESIS_CHARACTERS / 2 ? sentence + 1 : cut.length;
  return `${cut.slice(0, end).toWellFormed()}…`;
}

/**
 * The answer of a finished run. Findings that the model never corrected are kept without their wrong sources, as after
 * a second submission, unless the run was aborted or no source is left.
 */
export function answerOf(outcome: AgentOutcome, submitted: Submitted | null, commit: string): ExploreAnswer {
  const { model, fellBackFrom, calls, usage, costUsd, ms, steps } = outcome;
  const cost: ExploreCost = { model, fellBackFrom, calls, usage, costUsd, ms, steps: steps.length };
  const base = { commit, cost, repeated: false, sources: [], dropped: [], ...submitted };
  const isAnswered =
    submitted !== null && outcome.kind !== "aborted" && (outcome.kind === "finished" || submitted.sources.length > 0);
  if (isAnswered) {
    const { synthesis, sources } = submitted;
    return { ...base, kind: "answered", synthesis, verified: sources.length > 0 };
  }
  const cause = causeOf(outcome);
  const text = submitted?.synthesis ?? answerText(lastText(outcome));
  return { ...base, kind: "gave up", cause, why: whyOf(cause), synthesis: text === "" ? null : text };
}

/** The cost of a cached answer. */
export function noCost(model: string): ExploreCost {
  return { model, fellBackFrom: [], calls: 0, usage: NO_USAGE, costUsd: 0, ms: 0, steps: 0 };
}

/** The answer of a caller who aborted before anything ran. */
export function abortedAnswer(model: string, commit: string): ExploreAnswer {
  const cause: GaveUpCause = { kind: "aborted" };
  return {
    kind: "gave up",
    cause,
    why: whyOf(cause),
    synthesis: null,
    sources: [],
    dropped: [],
    commit,
    cost: noCost(model),
    repeated: false,
  };
}

/** The last text of the model, unless it refused, or the text only announces the tool calls in the same answer. */
function lastText(outcome: AgentOutcome): string {
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
  steps: "it took as many answers as allowed without handing in findings (models.timeouts.explore_steps allows more)",
  input_tokens: "it read as many tokens as allowed",
  output_tokens: "it wrote as many tokens as allowed",
  cost: "it cost as much as allowed",
  time: "it took as long as allowed (models.timeouts.run_factor allows more)",
  answer_length: "the model's answer was longer than allowed",
  repeats: "the model made the same calls again and again",
};

import { RelayError } from "../../lib/errors.ts";
import { errorOfFailure } from "../../adapters/models/failure-error.ts";
import type { AgentOutcome } from "../../adapters/models/model.ts";

/** Why a run brought no actions: a word or two for the next cycle, and an error for people. */
export function unable(outcome: AgentOutcome): { kind: "unable"; why: string; error: RelayError } {
  const { model } = outcome;
  switch (outcome.kind) {
    case "failed":
      return { kind: "unable", why: outcome.failure.kind, error: errorOfFailure(outcome.failure) };
    case "limit": {
      const limit = outcome.limit.replaceAll("_", " ");
      const message = `${model} reached the limit of ${limit} of a planning cycle before it submitted anything; use a model that is better at calling tools, or raise the limit`;
      return {
        kind: "unable",
        why: `limit of ${limit}`,
        error: new RelayError(outcome.limit === "time" ? "timeout" : "too_large", message),
      };
    }
    case "refused":
      return {
        kind: "unable",
        why: "declined",
        error: new RelayError("forbidden", `${model} declined to plan for this issue; use another model for it`),
      };
    case "aborted":
      return {
        kind: "unable",
        why: "aborted",
        error: new RelayError("unavailable", `planning with ${model} was stopped; it is taken up again later`),
      };
    case "finished":
      return {
        kind: "unable",
        why: "no submission",
        error: new RelayError(
          "invalid",
          `${model} ended without submitting actions, also after a reminder; use a model that is better at calling tools`,
        ),
      };
    default:
      return outcome satisfies never;
  }
}

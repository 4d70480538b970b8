import { RelayError } from "../../lib/errors.ts";
import { errorOfFailure } from "../../adapters/models/failure-error.ts";
import type { AgentOutcome, ModelFailure } from "../../adapters/models/model.ts";

/** The error of a run that brought no spec: `invalid` where another try may do better; see `agentSpecGenerator`. */
export function noSpec(model: string, outcome: AgentOutcome): RelayError {
  switch (outcome.kind) {
    case "finished":
      return new RelayError("invalid", `${model} ended its work without handing in a spec`);
    case "limit":
      return new RelayError("invalid", `${model} reached a limit (${outcome.limit}) before it handed in a spec`);
    case "refused":
      return new RelayError("invalid", `${model} declined to write the spec`);
    case "aborted":
      return new RelayError("timeout", `the writing of the spec by ${model} was stopped`);
    case "failed":
      return failed(outcome.failure);
  }
  return outcome satisfies never;
}

/** An answer that made no sense is asked for again at once, not by the job. */
function failed(failure: ModelFailure): RelayError {
  return errorOfFailure(failure.kind === "invalid_answer" ? { ...failure, retryable: false } : failure);
}

import type { LimitKind, RunLimits } from "./limits.ts";
import type { AgentTool, ToolCall } from "./tool.ts";
import type { Usage } from "./usage.ts";

/** The tasks of models. Each role may have a model of its own. */
export const MODEL_ROLES = ["planner", "spec", "explore", "rerank", "triage", "fix_plan", "reply", "worker"] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];

/** A turn of the conversation that a run begins with. */
export interface Turn {
  role: "user" | "assistant";
  content: string;
  /** The text up to here stays the same from run to run: cache it, where the provider can (R-PLAN-11). */
  cacheBreakpoint?: true;
}

export type ToolChoice = "auto" | "required" | "none" | { tool: string };

export interface AgentRequest {
  role: ModelRole;
  system: string;
  turns: readonly Turn[];
  tools?: readonly AgentTool[];
  /** Default `auto`. */
  toolChoice?: ToolChoice;
  limits?: Partial<RunLimits>;
  temperature?: number;
  /** The tool that ends the run: the last answers that are allowed must call it, where the server can demand it. */
  endsBy?: string;
  /** Sent once to a model that answers without calling a tool, where a tool has to end the run (R-PLAN-4). */
  reminder?: string;
  signal?: AbortSignal;
}

/** One answer of the model and the results of its tool calls, in the model's order. */
export interface AgentStep {
  text: string;
  calls: ToolCall[];
  finishReason: string;
}

export type FailureKind =
  | "auth" // the key is missing, wrong, or may not use the model
  | "no_credit" // the account has nothing left to pay with
  | "not_found" // no such model, or a wrong base URL
  | "bad_request" // refused as malformed: a fault of ours or of the server's compatibility
  | "no_tools" // the model cannot call tools
  | "too_long" // the prompt does not fit into the context
  | "rate_limited"
  | "overloaded"
  | "server_error"
  | "unreachable"
  | "timeout" // the whole call took too long, or the stream fell silent
  | "cut_short" // the connection ended before the answer did
  | "invalid_answer"; // violates the protocol, or repeats invalid calls

export interface ModelFailure {
  kind: FailureKind;
  /** One sentence for people: what failed, on which model, and the fix. Contains no key. */
  message: string;
  /** The beginning of that sentence, without details: `anthropic/claude-sonnet-4-5 is overloaded (529)`. */
  brief: string;
  /** A later retry may succeed; immediate retries have already failed. */
  retryable: boolean;
  status?: number;
  /** Milliseconds that the provider asked to wait. */
  retryAfterMs?: number;
}

/** What a run used, however it ended: failed and aborted runs cost money too (R-OBS-1). */
export interface RunReport {
  /** The model that answered last, as `provider/name`. */
  model: string;
  /** Models that failed before a fallback took over, in order. */
  fellBackFrom: { model: string; failure: ModelFailure }[];
  steps: AgentStep[];
  /** Calls made, retries included. */
  calls: number;
  usage: Usage;
  /** US dollars; null as soon as one call was made on a model without a known price. */
  costUsd: number | null;
  ms: number;
}

export type AgentOutcome = RunReport &
  (
    | {
        kind: "finished";
        /** The text of the last answer. */
        text: string;
        /** The tool call that ended the run: the first of its step, in the model's order, whose result said so. */
        endedBy: ToolCall | null;
      }
    | { kind: "limit"; limit: LimitKind; text: string }
    /** The model or the provider's filter declined; `text` is its message, if any. */
    | { kind: "refused"; text: string }
    | { kind: "failed"; failure: ModelFailure }
    | { kind: "aborted" }
  );

/** The record of one call of a model; every attempt has one, failed or not (R-OBS-1). */
export interface ModelCall {
  role: ModelRole;
  provider: string;
  model: string;
  /** 1 for the first answer of the run. */
  step: number;
  /** 1 for the first try of the step. */
  attempt: number;
  /** sha256 of system prompt, tools and conversation. */
  promptHash: string;
  /** The part of the prompt that is new since the previous step; all of it for the first. */
  input: unknown;
  output: { text: string; calls: { tool: string; input: string }[] };
  status: "answered" | "refused" | "cut_for_length" | "aborted" | FailureKind;
  finishReason: string | null;
  usage: Usage;
  /** US dollars, null for a model without a known price. */
  costUsd: number | null;
  startedAt: Date;
  ms: number;
}

/**
 * A model that works with tools until it is done: the only way in which stages use models. All behaviour of providers
 * and models results in an outcome; only wrong use throws.
 */
export interface AgentModel {
  /** `provider/name` of the first choice. */
  readonly name: string;
  run(request: AgentRequest): Promise<AgentOutcome>;
}

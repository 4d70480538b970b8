import { type CallRequest, type CallResult, promptText } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import type { ModelCall, ModelRole } from "./model.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** The record of one call (R-OBS-1). */
export function recordOf(
  result: CallResult,
  request: CallRequest,
  { name, connection }: Candidate,
  run: { role: ModelRole; step: number; attempt: number; sentEntries: number; costUsd: number | null },
): ModelCall {
  const messages = request.entries.slice(run.sentEntries);
  const tools = request.tools.map((tool) => tool.name);
  return {
    role: run.role,
    provider: connection.provider,
    model: name,
    step: run.step,
    attempt: run.attempt,
    promptHash: promptHash(request),
    input: run.step === 1 ? { system: request.system, tools, messages } : { messages },
    output: {
      text: textOf(result),
      calls: result.parts.flatMap((part) => (part.type === "call" ? [{ tool: part.tool, input: part.input }] : [])),
    },
    status: statusOf(result),
    finishReason: result.finishReason,
    usage: result.usage,
    costUsd: run.costUsd,
    startedAt: result.startedAt,
    ms: result.ms,
  };
}

/** SHA-256 of everything that a model reads, in hex. */
export function promptHash(request: Pick<CallRequest, "system" | "tools" | "entries">): string {
  return sha256Of(promptText(request));
}

/** The text of an answer, without reasoning. */
export function textOf({ parts }: Pick<CallResult, "parts">): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function statusOf(result: CallResult): ModelCall["status"] {
  switch (result.kind) {
    case "failed":
      return result.failure.kind;
    case "aborted":
      return "aborted";
    case "overlong":
      return "cut_for_length";
    case "answered":
      if (result.finish === "refused") return "refused";
      return result.finish === "length" ? "cut_for_length" : "answered";
  }
  return result satisfies never;
}

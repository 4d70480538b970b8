import type { Attributes } from "@opentelemetry/api";
import type { CallRequest, CallResult } from "./call.ts";
import type { Usage } from "./usage.ts";

/* Names and attributes of spans by OpenTelemetry's semantic conventions for generative AI (R-OBS-3). */

/** Providers that have another name in the conventions. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = { google: "gcp.gemini" };

interface Called {
  provider: string;
  name: string;
}

/** The name of the span of one call. */
export function chatName({ name }: Called): string {
  return `chat ${name}`;
}

export function chatAttributes({ provider, name }: Called): Attributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": PROVIDER_NAMES[provider] ?? provider,
    "gen_ai.request.model": name,
  };
}

export function requestAttributes(
  model: Called,
  { maxOutputTokens, temperature }: Pick<CallRequest, "maxOutputTokens" | "temperature">,
): Attributes {
  return {
    ...chatAttributes(model),
    "gen_ai.request.max_tokens": maxOutputTokens,
    ...(temperature === undefined ? {} : { "gen_ai.request.temperature": temperature }),
  };
}

/** `costUsd` is null for a model without a known price. */
export function usageAttributes(usage: Usage, costUsd: number | null): Attributes {
  return {
    "gen_ai.usage.input_tokens": usage.input,
    "gen_ai.usage.output_tokens": usage.output,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInput,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
    ...(costUsd === null ? {} : { "relay.cost_usd": costUsd }),
  };
}

export function answerAttributes(result: CallResult, costUsd: number | null): Attributes {
  const usage = usageAttributes(result.usage, costUsd);
  switch (result.kind) {
    case "answered":
      return { ...usage, "gen_ai.response.finish_reasons": [result.finish] };
    case "failed":
      return { ...usage, "error.type": result.failure.kind };
    case "overlong":
    case "aborted":
      return { ...usage, "error.type": result.kind };
  }
  return result satisfies never;
}

/** Attributes of a run of a model with tools, or of a coding agent. */
export function agentAttributes(name: string): Attributes {
  return { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name };
}

export function toolAttributes(name: string): Attributes {
  return { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.type": "function" };
}

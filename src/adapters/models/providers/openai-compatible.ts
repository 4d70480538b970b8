import { openai, openaiCounts, openaiGateway } from "./openai.ts";
import type { ModelProvider } from "./provider.ts";

/** Servers that speak OpenAI's older chat protocol, most of them run by their users. */
export const openaiCompatible = {
  name: "openai-compatible",
  keys: ["RELAY_MODEL_API_KEY", "OPENAI_API_KEY"],
  addressVariable: null,
  address: null,
  path: "/v1",
  agents: openai.agents,
  gateway: openaiGateway,
  counts: openaiCounts,
  open: async ({ name, apiKey, baseUrl, fetch }) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const made = new Set<Omission>();
    const settings = {
      name: "compatible",
      baseURL: baseUrl,
      fetch,
      // Otherwise such servers send no token counts when they stream.
      includeUsage: true,
      transformRequestBody: (body: Record<string, unknown>) => adapted(body, made),
      ...(apiKey === null || apiKey === "" ? {} : { apiKey }),
    };
    return {
      model: createOpenAICompatible(settings).chatModel(name),
      adapt: (refusal) => {
        const omission = omissionFor(refusal, made);
        if (omission === null) return false;
        made.add(omission);
        return true;
      },
    };
  },
} as const satisfies ModelProvider;

/*
 * These servers accept different parameters. One that a server rejects by name is omitted or renamed from then on, so
 * that no per-server configuration is needed.
 */

const OMISSIONS = [
  "rename_max_tokens",
  "no_max_tokens",
  "no_temperature",
  "auto_tool_choice",
  "no_stream_options",
] as const;
type Omission = (typeof OMISSIONS)[number];

/** The parameter to omit next, from the error message; null if it names none. */
function omissionFor(refusal: string, made: ReadonlySet<Omission>): Omission | null {
  const hinted = OMISSIONS.filter((omission) => HINTS[omission].test(refusal));
  return hinted.find((omission) => !made.has(omission)) ?? null;
}

const HINTS: Record<Omission, RegExp> = {
  rename_max_tokens: /max_completion_tokens/i,
  no_max_tokens: /max_tokens|max_completion_tokens|completion tokens|in the completion|output tokens/i,
  no_temperature: /temperature/i,
  auto_tool_choice: /tool_choice|tool choice/i,
  no_stream_options: /stream_options/i,
};

/** The request without the parameters that the server rejected. */
function adapted(body: Record<string, unknown>, made: ReadonlySet<Omission>): Record<string, unknown> {
  const { max_tokens: maxTokens, temperature, stream_options: streamOptions, tool_choice: toolChoice, ...rest } = body;
  const limit = made.has("rename_max_tokens") ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
  return {
    ...rest,
    ...(maxTokens === undefined || made.has("no_max_tokens") ? {} : limit),
    ...(temperature === undefined || made.has("no_temperature") ? {} : { temperature }),
    ...(streamOptions === undefined || made.has("no_stream_options") ? {} : { stream_options: streamOptions }),
    ...(toolChoice === undefined || made.has("auto_tool_choice") ? {} : { tool_choice: toolChoice }),
  };
}

import { z } from "zod";
import { isOnTheWeb, lengthOf, recordsBelow, recordsIn, WANTS } from "../gateway-body.ts";
import { type Counts, type GatewayRules, type ModelProvider, bearer } from "./provider.ts";

const count = z.number().int().min(0).optional().catch(undefined);
const details = z.object({ cached_tokens: count, reasoning_tokens: count }).optional().catch(undefined);
/** Usage in the Responses API, and in the older chat API. */
const usageSchema = z
  .object({
    input_tokens: count,
    prompt_tokens: count,
    input_tokens_details: details,
    prompt_tokens_details: details,
    output_tokens: count,
    completion_tokens: count,
    output_tokens_details: details,
    completion_tokens_details: details,
  })
  .optional()
  .catch(undefined);
const eventSchema = z.object({
  usage: usageSchema,
  response: z.object({ usage: usageSchema }).optional().catch(undefined),
});

/** Token counts in an event of either API, or in an answer of one piece. */
export function openaiCounts(event: unknown): Counts {
  const { usage: own, response } = eventSchema.safeParse(event).data ?? {};
  const usage = own ?? response?.usage;
  const input = usage?.input_tokens ?? usage?.prompt_tokens;
  const output = usage?.output_tokens ?? usage?.completion_tokens;
  const { cached_tokens: cachedInput = 0 } = usage?.input_tokens_details ?? usage?.prompt_tokens_details ?? {};
  const { reasoning_tokens: reasoning = 0 } = usage?.output_tokens_details ?? usage?.completion_tokens_details ?? {};
  return {
    ...(input === undefined ? {} : { input, cachedInput }),
    ...(output === undefined ? {} : { output, reasoning }),
  };
}

const text = z.unknown().optional();
const chunkSchema = z.object({
  /** Of the Responses API. */
  delta: text,
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: text,
            reasoning: text,
            reasoning_content: text,
            refusal: text,
            tool_calls: z
              .array(z.object({ function: z.object({ arguments: text }).optional().catch(undefined) }))
              .optional()
              .catch(undefined),
          })
          .optional()
          .catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
});

/** What both APIs let agents ask. */
export const openaiGateway: GatewayRules = {
  calls: [
    { method: "POST", path: /^(?:\/v1)?\/(?:responses|chat\/completions)$/, paid: true },
    { method: "GET", path: /^(?:\/v1)?\/models(?:\/[^/]+)?$/, paid: false },
  ],
  refuses: (body) => {
    const tools = recordsIn(body["tools"]);
    if (tools.some(({ type }) => type === "mcp")) return WANTS.servers;
    // Codex's own search reads what is in a cache.
    const searches = tools.some(
      (tool) => String(tool["type"]).startsWith("web_search") && tool["external_web_access"] !== false,
    );
    const parts = recordsBelow([body["input"], body["messages"]].flat(), ["content", "output"]);
    const fetches = parts.some(({ image_url: image, file_url: file }) => isOnTheWeb(image) || isOnTheWeb(file));
    if (fetches || searches || body["web_search_options"] !== undefined) return WANTS.fetching;
    if (body["background"] === true) return WANTS.later;
    if (body["prompt"] !== undefined && body["prompt"] !== null) return WANTS.stored;
    return body["service_tier"] === "priority" ? WANTS.costlier : null;
  },
  written: (event) => {
    const { delta, choices = [] } = chunkSchema.safeParse(event).data ?? {};
    return choices.reduce((sum, { delta: part }) => {
      const calls = (part?.tool_calls ?? []).map((call) => call.function?.arguments);
      return sum + lengthOf(part?.content, part?.reasoning, part?.reasoning_content, part?.refusal, ...calls);
    }, lengthOf(delta));
  },
};

export const openai = {
  name: "openai",
  keys: ["OPENAI_API_KEY"],
  addressVariable: "OPENAI_BASE_URL",
  address: "https://api.openai.com/v1",
  path: "/v1",
  agents: {
    keys: [{ variable: "OPENAI_API_KEY", headers: bearer }],
    address: "OPENAI_BASE_URL",
    url: "https://api.openai.com/v1",
    version: null,
  },
  open: async ({ name, apiKey, baseUrl, fetch }) => {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return { model: createOpenAI({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch }).responses(name) };
  },
  gateway: openaiGateway,
  counts: openaiCounts,
  // The provider must not keep anything of an issue.
  options: { openai: { store: false } },
} as const satisfies ModelProvider;

import { z } from "zod";
import { type ModelProvider, bearer } from "./provider.ts";

const count = z.number().int().min(0).optional().catch(undefined);
/** The first event of a stream, and the last. */
const events = z.object({
  message: z
    .object({
      usage: z.object({ input_tokens: count, cache_read_input_tokens: count, cache_creation_input_tokens: count }),
    })
    .optional()
    .catch(undefined),
  usage: z.object({ output_tokens: count }).optional().catch(undefined),
});

export const anthropic = {
  name: "anthropic",
  keys: ["ANTHROPIC_API_KEY"],
  addressVariable: "ANTHROPIC_BASE_URL",
  address: "https://api.anthropic.com/v1",
  path: "/v1",
  agents: {
    keys: [
      { variable: "ANTHROPIC_API_KEY", headers: (key) => ({ "x-api-key": key }) },
      { variable: "ANTHROPIC_AUTH_TOKEN", headers: bearer },
      // Of a subscription; Claude Code itself adds the other headers that the server wants with it.
      { variable: "CLAUDE_CODE_OAUTH_TOKEN", headers: bearer },
    ],
    address: "ANTHROPIC_BASE_URL",
    url: "https://api.anthropic.com",
    version: "v1",
  },
  open: async ({ name, apiKey, baseUrl, fetch }) => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return { model: createAnthropic({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch }).languageModel(name) };
  },
  cacheBreakpoint: { anthropic: { cacheControl: { type: "ephemeral" } } },
  earlyCounts: (event) => {
    const { message, usage } = events.safeParse(event).data ?? {};
    const first = message?.usage;
    const cached = (first?.cache_read_input_tokens ?? 0) + (first?.cache_creation_input_tokens ?? 0);
    return {
      ...(first?.input_tokens === undefined ? {} : { input: first.input_tokens + cached }),
      ...(usage?.output_tokens === undefined ? {} : { output: usage.output_tokens }),
    };
  },
} as const satisfies ModelProvider;

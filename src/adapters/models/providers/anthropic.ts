import { z } from "zod";
import { isOnTheWeb, lengthOf, recordsBelow, recordsIn, WANTS } from "../gateway-body.ts";
import { type GatewayRules, type ModelProvider, bearer } from "./provider.ts";

const count = z.number().int().min(0).optional().catch(undefined);
const usageSchema = z.object({
  input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  output_tokens: count,
});
/** The first event of a stream has `message`; the last one, and an answer in one piece, `usage`. */
const eventSchema = z.object({
  message: z.object({ usage: usageSchema }).optional().catch(undefined),
  usage: usageSchema.optional().catch(undefined),
});
const deltaSchema = z.object({ delta: z.record(z.string(), z.unknown()) });

const gateway: GatewayRules = {
  calls: [
    { method: "POST", path: /^\/v1\/messages$/, paid: true },
    { method: "POST", path: /^\/v1\/messages\/count_tokens$/, paid: false },
    { method: "GET", path: /^\/v1\/models(?:\/[^/]+)?$/, paid: false },
  ],
  refuses: (body) => {
    const tools = recordsIn(body["tools"]).map(({ type }) => String(type));
    if (body["mcp_servers"] !== undefined || tools.some((type) => type.startsWith("mcp"))) return WANTS.servers;
    const blocks = recordsBelow([body["system"], body["messages"]].flat(), ["content", "source"]);
    const fetches = blocks.some(({ type, url }) => type === "url" || isOnTheWeb(url));
    if (fetches || tools.some((type) => type.startsWith("web_fetch"))) return WANTS.fetching;
    return body["speed"] !== undefined && body["speed"] !== "standard" ? WANTS.costlier : null;
  },
  written: (event) => {
    const { text, thinking, partial_json } = deltaSchema.safeParse(event).data?.delta ?? {};
    return lengthOf(text, thinking, partial_json);
  },
};

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
  gateway,
  counts: (event) => {
    const { message, usage: last } = eventSchema.safeParse(event).data ?? {};
    const usage = last ?? message?.usage;
    const cachedInput = usage?.cache_read_input_tokens ?? 0;
    const cacheWrite = usage?.cache_creation_input_tokens ?? 0;
    const { input_tokens: fresh } = usage ?? {};
    return {
      ...(fresh === undefined ? {} : { input: fresh + cachedInput + cacheWrite, cachedInput, cacheWrite }),
      ...(last?.output_tokens === undefined ? {} : { output: last.output_tokens }),
    };
  },
} as const satisfies ModelProvider;

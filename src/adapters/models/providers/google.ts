import { z } from "zod";
import { lengthOf, recordsBelow, recordsIn, WANTS } from "../gateway-body.ts";
import type { GatewayRules, ModelProvider } from "./provider.ts";

const count = z.number().int().min(0).optional().catch(undefined);
const eventSchema = z.object({
  usageMetadata: z
    .object({
      promptTokenCount: count,
      toolUsePromptTokenCount: count,
      cachedContentTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
    })
    .optional()
    .catch(undefined),
});

const chunkSchema = z.object({
  candidates: z.array(
    z.object({
      content: z.object({
        parts: z.array(z.object({ text: z.unknown().optional(), functionCall: z.unknown().optional() })),
      }),
    }),
  ),
});

/** Field names are read in either spelling. */
const FETCHES = ["urlContext", "url_context"];
const SERVERS = ["mcpServers", "mcp_servers"];

const gateway: GatewayRules = {
  calls: [
    {
      method: "POST",
      path: /^\/v1(?:alpha|beta)?\/models\/(?<model>[^/:]+):(?:streamGenerateContent|generateContent)$/,
      paid: true,
    },
    { method: "POST", path: /^\/v1(?:alpha|beta)?\/models\/(?<model>[^/:]+):countTokens$/, paid: false },
    { method: "GET", path: /^\/v1(?:alpha|beta)?\/models(?:\/[^/:]+)?$/, paid: false },
  ],
  refuses: (body) => {
    const tools = recordsIn(body["tools"]);
    if (tools.some((tool) => SERVERS.some((name) => name in tool))) return WANTS.servers;
    const parts = recordsBelow([body["contents"], body["systemInstruction"], body["system_instruction"]].flat(), [
      "parts",
    ]);
    const fetches = parts.some((part) => "fileData" in part || "file_data" in part);
    return fetches || tools.some((tool) => FETCHES.some((name) => name in tool)) ? WANTS.fetching : null;
  },
  written: (event) => {
    const parts = chunkSchema.safeParse(event).data?.candidates.flatMap(({ content }) => content.parts) ?? [];
    return parts.reduce(
      (sum, { text, functionCall }) => sum + lengthOf(text, functionCall && JSON.stringify(functionCall)),
      0,
    );
  },
};

export const google = {
  name: "google",
  keys: ["GOOGLE_GENERATIVE_AI_API_KEY"],
  addressVariable: null,
  address: "https://generativelanguage.googleapis.com/v1beta",
  path: "/v1beta",
  agents: {
    keys: [{ variable: "GEMINI_API_KEY", headers: (key) => ({ "x-goog-api-key": key }) }],
    address: "GOOGLE_GEMINI_BASE_URL",
    url: "https://generativelanguage.googleapis.com",
    version: "v1beta",
  },
  open: async ({ name, apiKey, baseUrl, fetch }) => {
    const { createGoogle } = await import("@ai-sdk/google");
    return { model: createGoogle({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch }).languageModel(name) };
  },
  gateway,
  counts: (event) => {
    const usage = eventSchema.safeParse(event).data?.usageMetadata;
    const { promptTokenCount: prompt, candidatesTokenCount: output, thoughtsTokenCount: reasoning = 0 } = usage ?? {};
    const input = prompt === undefined ? undefined : prompt + (usage?.toolUsePromptTokenCount ?? 0);
    return {
      ...(input === undefined ? {} : { input, cachedInput: usage?.cachedContentTokenCount ?? 0 }),
      ...(output === undefined ? {} : { output: output + reasoning, reasoning }),
    };
  },
} as const satisfies ModelProvider;

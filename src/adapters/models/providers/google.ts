import { z } from "zod";
import type { ModelProvider } from "./provider.ts";

const count = z.number().int().min(0).optional().catch(undefined);
const eventSchema = z.object({
  usageMetadata: z
    .object({ promptTokenCount: count, candidatesTokenCount: count, thoughtsTokenCount: count })
    .optional()
    .catch(undefined),
});

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
  earlyCounts: (event) => {
    const usage = eventSchema.safeParse(event).data?.usageMetadata;
    const { promptTokenCount: input, candidatesTokenCount: output, thoughtsTokenCount: thoughts } = usage ?? {};
    return {
      ...(input === undefined ? {} : { input }),
      ...(output === undefined ? {} : { output: output + (thoughts ?? 0) }),
    };
  },
} as const satisfies ModelProvider;

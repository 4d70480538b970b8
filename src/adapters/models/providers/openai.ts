import { type ModelProvider, bearer } from "./provider.ts";

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
  // The provider must not keep anything of an issue.
  options: { openai: { store: false } },
} as const satisfies ModelProvider;

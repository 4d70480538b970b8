import { describe, expect, test } from "vitest";
import { type ModelSettings, chooseModels } from "./choice.ts";

const settings = (changes: Partial<ModelSettings>): ModelSettings => ({
  model: "offline",
  roles: {},
  fallback: [],
  baseUrl: undefined,
  ...changes,
});
const env = { ANTHROPIC_API_KEY: "a-key", OPENAI_API_KEY: "o-key", GOOGLE_GENERATIVE_AI_API_KEY: "g-key" };

test("without a model, the rules do the work", () => {
  expect(chooseModels("planner", settings({}), env)).toEqual({ kind: "offline" });
  const roles = { planner: "offline" };
  expect(chooseModels("planner", settings({ model: "openai/gpt", roles }), env)).toEqual({ kind: "offline" });
});

test("a role has its own model, or that of all", () => {
  const given = settings({ model: "openai/gpt", roles: { explore: "anthropic/claude" } });
  expect(chooseModels("explore", given, env)).toEqual({
    kind: "models",
    models: [{ provider: "anthropic", name: "claude", apiKey: "a-key", baseUrl: null }],
    withRulesFallback: false,
  });
  expect(chooseModels("spec", given, env)).toMatchObject({
    models: [{ provider: "openai", name: "gpt", apiKey: "o-key" }],
  });
});

test("the fallback follows, and the rules only where they can plan", () => {
  const given = settings({ model: "openai/gpt", fallback: ["openai/gpt", "google/gemini", "offline"] });
  expect(chooseModels("planner", given, env)).toMatchObject({
    models: [{ name: "gpt" }, { name: "gemini", apiKey: "g-key" }],
    withRulesFallback: true,
  });
  expect(chooseModels("spec", given, env)).toMatchObject({ withRulesFallback: false });
});

describe("what is refused, with what to set", () => {
  test.each([
    ["anthropic/claude", /anthropic\/claude needs a key; set ANTHROPIC_API_KEY$/],
    ["openai/gpt", /needs a key; set OPENAI_API_KEY$/],
    ["google/gemini", /needs a key; set GOOGLE_GENERATIVE_AI_API_KEY$/],
    ["openai-compatible/llama", /needs the address of its server; set RELAY_MODEL_BASE_URL$/],
    ["mistral/large", /“mistral\/large” is no model/],
    ["gpt-5", /“gpt-5” is no model/],
    ["openai/", /is no model/],
    ["openai/a b", /is no model/],
  ])("%s", (model, message) => {
    for (const empty of [{}, { ANTHROPIC_API_KEY: " ", OPENAI_API_KEY: "" }]) {
      expect(() => chooseModels("spec", settings({ model }), empty)).toThrow(message);
    }
  });

  test("a fallback without a key, also before it is needed", () => {
    const given = settings({ model: "openai/gpt", fallback: ["anthropic/claude"] });
    expect(() => chooseModels("spec", given, { OPENAI_API_KEY: "k" })).toThrow(/ANTHROPIC_API_KEY/);
  });

  test("anything after the rules", () => {
    const given = settings({ model: "openai/gpt", fallback: ["offline", "google/gemini"] });
    expect(() => chooseModels("planner", given, env)).toThrow(/make it the last/);
  });

  test("an address that is none", () => {
    const given = settings({ model: "openai/gpt" });
    expect(() => chooseModels("spec", given, { ...env, OPENAI_BASE_URL: "localhost:1" })).toThrow(/OPENAI_BASE_URL/);
  });
});

describe("addresses", () => {
  const addressOf = (changes: Partial<ModelSettings>, variables: Record<string, string> = {}) => {
    const choice = chooseModels("planner", settings(changes), { ...env, ...variables });
    return choice.kind === "models" ? choice.models[0].baseUrl : choice;
  };

  test("an openai-compatible server needs no key, and takes one", () => {
    const given = settings({ model: "openai-compatible/qwen/qwen3:32b", baseUrl: "http://localhost:11434/v1/" });
    expect(chooseModels("spec", given, {})).toMatchObject({
      models: [{ name: "qwen/qwen3:32b", apiKey: null, baseUrl: "http://localhost:11434/v1" }],
    });
    expect(chooseModels("spec", given, { RELAY_MODEL_API_KEY: "r", OPENAI_API_KEY: "o" })).toMatchObject({
      models: [{ apiKey: "r" }],
    });
  });

  test("an address of only a host gets the path that the protocol has", () => {
    expect(addressOf({ model: "openai-compatible/x", baseUrl: "http://localhost:1234" })).toBe(
      "http://localhost:1234/v1",
    );
    expect(addressOf({ model: "google/x", baseUrl: "https://proxy/" })).toBe("https://proxy/v1beta");
    expect(addressOf({ model: "anthropic/x" }, { ANTHROPIC_BASE_URL: "https://proxy" })).toBe("https://proxy/v1");
  });

  test("one address is never given to two providers", () => {
    const roles = { explore: "openai-compatible/small" };
    expect(addressOf({ model: "anthropic/x", roles, baseUrl: "http://localhost:1/v1" })).toBeNull();
    expect(addressOf({ model: "anthropic/x", roles: { explore: "openai/y" }, baseUrl: "http://localhost:1/v1" })).toBe(
      "http://localhost:1/v1",
    );
    const other = { model: "anthropic/x", roles: { planner: "openai/y" }, baseUrl: "http://localhost:1/v1" };
    expect(addressOf(other)).toBeNull();
  });
});

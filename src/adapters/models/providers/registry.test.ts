import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MODEL_PROVIDERS, OFFLINE, parseModelName, PROVIDERS } from "./registry.ts";

const docs = readFileSync(join(import.meta.dirname, "../../../../docs/models.md"), "utf8");

test("every provider's file has a line in the registry", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => !/^(?:provider|registry)\.|\.test\.ts$/.test(name));
  expect(files.map((name) => name.replace(/\.ts$/, "")).toSorted()).toEqual(PROVIDERS.toSorted());
});

test.each(MODEL_PROVIDERS)(
  "docs/models.md names $name, its keys and its address",
  ({ name, keys, addressVariable }) => {
    for (const text of [`\`${name}/…\``, ...keys, addressVariable ?? ""]) expect(docs).toContain(text);
  },
);

test("a model's name is a known provider, a slash, and a name of that provider's", () => {
  expect(parseModelName("openai-compatible/qwen/qwen3:32b")).toEqual({
    provider: "openai-compatible",
    name: "qwen/qwen3:32b",
  });
  for (const text of [OFFLINE, "mistral/large", "openai/", "/gpt", "openai/a b", `openai/${"x".repeat(201)}`]) {
    expect(parseModelName(text)).toBeNull();
  }
});

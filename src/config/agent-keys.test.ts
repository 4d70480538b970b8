import { expect, test } from "vitest";
import { agentKeys } from "./agent-keys.ts";

const CLAUDE = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"];
const PLACEHOLDER = "kept-outside-by-relay";

test("the token of a subscription stays outside, as a key does", () => {
  expect(agentKeys(CLAUDE, { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-secret" })).toEqual({
    models: [
      {
        variable: "ANTHROPIC_BASE_URL",
        url: "https://api.anthropic.com",
        headers: { authorization: "Bearer sk-ant-oat01-secret" },
        provider: "anthropic",
      },
    ],
    environment: { CLAUDE_CODE_OAUTH_TOKEN: PLACEHOLDER },
  });
});

test("of several keys for one server the agent sees the one that is used", () => {
  const both = { ANTHROPIC_API_KEY: "sk-ant-api03-secret", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-secret" };
  const { models, environment } = agentKeys(CLAUDE, both);
  expect(models.map(({ headers }) => headers)).toEqual([{ "x-api-key": "sk-ant-api03-secret" }]);
  expect(environment).toEqual({ ANTHROPIC_API_KEY: PLACEHOLDER });
});

test("an agent gets no key of a server that it does not speak to", () => {
  expect(
    agentKeys(["GEMINI_API_KEY"], { CLAUDE_CODE_OAUTH_TOKEN: "x", OPENAI_API_KEY: "y", GEMINI_API_KEY: " " }),
  ).toEqual({ models: [], environment: {} });
});

import { expect, test } from "vitest";
import { tokensIn } from "./tokens.ts";

const told = { inputTokens: 140, cachedReadTokens: 40, cachedWriteTokens: 20, outputTokens: 30, thoughtTokens: 10 };

test.each([
  { totalTokens: 240, means: { input: 200, output: 40 } },
  { totalTokens: 230, means: { input: 200, output: 30 } },
  { totalTokens: 180, means: { input: 140, output: 40 } },
  { totalTokens: 170, means: { input: 140, output: 30 } },
])("a total of $totalTokens says what is counted twice: $means", ({ totalTokens, means }) => {
  expect(tokensIn({ usage: { ...told, totalTokens } })).toMatchObject({ ...means, cachedInput: 40, reasoning: 10 });
});

test("an agent that tells its tokens in its own word is transcript, and one that tells nothing, or nonsense, is not", () => {
  const quota = { token_count: { input_tokens: 200, output_tokens: 40 }, model_usage: [] };
  expect(tokensIn({ stopReason: "end_turn", _meta: { quota } })).toEqual({ input: 200, output: 40 });
  for (const answer of [null, 7, {}, { _meta: { quota: [] } }, { usage: null }]) expect(tokensIn(answer)).toBeNull();
  expect(tokensIn({ usage: { inputTokens: -1, outputTokens: "many" } })?.input).toBeUndefined();
});

import { expect, test } from "vitest";
import { nothingHeard } from "../transcript.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";

const silent = () => {};

test("Claude's results tell of the whole session, so that a second one counts nothing twice", () => {
  const heard = nothingHeard();
  const result = (total_cost_usd: number, inputTokens: number) => ({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "Done.",
    total_cost_usd,
    modelUsage: {
      sonnet: { inputTokens, cacheReadInputTokens: 40, outputTokens: 10 },
      haiku: { inputTokens: 5, outputTokens: 1 },
    },
    permission_denials: [],
  });
  claude.hear?.(result(0.2, 100), heard, silent);
  claude.hear?.(result(0.3, 150), heard, silent);
  expect(heard).toMatchObject({ usd: 0.3, tokens: { input: 195, cachedInput: 40, output: 11 } });
});

test("Codex counts a session from its beginning, so that a second turn counts nothing twice", () => {
  const heard = nothingHeard();
  for (const input_tokens of [100, 150]) {
    codex.hear?.({ type: "turn.completed", usage: { input_tokens, output_tokens: 10 } }, heard, silent);
  }
  codex.hear?.({ type: "turn.completed" }, heard, silent);
  expect(heard.tokens).toMatchObject({ input: 150, output: 10 });
});

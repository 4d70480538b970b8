import { expect, test } from "vitest";
import { emptyTranscript } from "./transcript.ts";
import { claude } from "./presets/claude.ts";
import { codex } from "./presets/codex.ts";

const silent = () => {};

test("Claude's results emit of the whole session, so that a second one counts nothing twice", () => {
  const transcript = emptyTranscript();
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
  claude.readEvent?.(result(0.2, 100), transcript, silent);
  claude.readEvent?.(result(0.3, 150), transcript, silent);
  expect(transcript).toMatchObject({ usd: 0.3, tokens: { input: 195, cachedInput: 40, output: 11 } });
});

test("Codex counts a session from its beginning, so that a second turn counts nothing twice", () => {
  const transcript = emptyTranscript();
  for (const input_tokens of [100, 150]) {
    codex.readEvent?.({ type: "turn.completed", usage: { input_tokens, output_tokens: 10 } }, transcript, silent);
  }
  codex.readEvent?.({ type: "turn.completed" }, transcript, silent);
  expect(transcript.tokens).toMatchObject({ input: 150, output: 10 });
});

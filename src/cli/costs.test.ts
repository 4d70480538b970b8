import { expect, test } from "vitest";
import { knownCost } from "../server/api/shapes/costs.ts";
import { costText } from "./costs.ts";

const NONE = { calls: 0, agentRuns: 0, unpricedCalls: 0, costUsd: 0, inputTokens: 0, outputTokens: 0 };
const SOME = { ...NONE, inputTokens: 1_000, outputTokens: 50 };

test.each([
  [NONE, null],
  [
    { ...SOME, calls: 19, agentRuns: 9, costUsd: 1.5 },
    "cost $1.50 (19 call(s), 9 agent run(s), 1000 tokens in, 50 out)",
  ],
  [{ ...SOME, calls: 2, costUsd: 0.5 }, "cost $0.50 (2 call(s), 1000 tokens in, 50 out)"],
  [
    { ...SOME, calls: 2, agentRuns: 1, unpricedCalls: 1, costUsd: 0.5 },
    "cost $0.50, and 1 of unknown price (2 call(s), 1 agent run(s), 1000 tokens in, 50 out)",
  ],
  [
    { ...SOME, agentRuns: 2, unpricedCalls: 2 },
    "cost unknown: no price for the model (2 agent run(s), 1000 tokens in, 50 out)",
  ],
])("calls of models and runs of agents are counted apart: %o", (usage, text) => {
  expect(costText(usage)).toBe(text);
});

test("an unknown cost is none, and not nothing", () => {
  expect(knownCost({ ...NONE, calls: 2, unpricedCalls: 2 })).toBeNull();
  expect(knownCost({ ...NONE, calls: 2, unpricedCalls: 1, costUsd: 0.5 })).toBe(0.5);
  expect(knownCost(NONE)).toBe(0);
});

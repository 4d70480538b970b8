import { expect, test } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";
import { trackedIssue, trackedRepository } from "../../test/support/tracked-issue.ts";
import { WORK_SETTINGS } from "../../test/support/work-settings.ts";
import type { IterationFacts, Run } from "../domain/work.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import { listCalls, usageOf } from "../storage/model-calls.ts";
import { costLimit, recordAgentRun } from "./spending.ts";

const TOKENS = { input: 1_000, cachedInput: 600, cacheWrite: 100, output: 50, reasoning: 20 };
const FACTS: IterationFacts = {
  number: 1,
  commit: "c1",
  tree: "t1",
  agent: {
    ending: "finished",
    detail: "",
    denied: [],
    summary: "Done.",
    usable: true,
    question: null,
    done: null,
    answers: [],
  },
  checks: [],
  undone: [],
  changedFiles: 1,
  untouched: [],
  usd: 0,
  seconds: 2,
};
const TASK = { id: "1", agent: "codex", reason: "plan" } satisfies Pick<Run, "id" | "agent" | "reason">;

async function recorded(facts: Partial<IterationFacts>, run: Partial<typeof TASK> = {}) {
  const { db } = await freshDatabase();
  const issue = await trackedIssue(db, (await trackedRepository(db)).id);
  const settings = { ...WORK_SETTINGS, model: { provider: "openai", name: "elk" } };
  const deps = { db, clock: systemClock, ids: snowflakes(), settings };
  await recordAgentRun({ issue, run: { ...TASK, ...run } }, { ...FACTS, ...facts }, deps);
  return { calls: await listCalls(db, issue.id), usage: await usageOf(db, issue.id) };
}

test("what an agent tells of its tokens and its dollars counts in what the issue has taken", async () => {
  const { calls, usage } = await recorded({ usd: 0.5, priced: true, tokens: TOKENS });
  expect(calls).toMatchObject([
    { model: "openai/elk", ms: 2_000, usage: { ...TOKENS, estimated: false }, status: "ok", costUsd: 0.5 },
  ]);
  expect(usage).toEqual({
    costUsd: 0.5,
    calls: 0,
    agentRuns: 1,
    unpricedCalls: 0,
    inputTokens: 1_000,
    cachedTokens: 600,
    outputTokens: 50,
  });
});

test("an agent that tells tokens of a model without a price is unpriced, with its tokens", async () => {
  const { calls, usage } = await recorded({ priced: false, tokens: TOKENS });
  expect(calls).toMatchObject([{ usage: { ...TOKENS, estimated: false }, costUsd: null }]);
  expect(usage).toMatchObject({ costUsd: 0, unpricedCalls: 1, inputTokens: 1_000 });
});

test("nothing is made up for an agent that tells nothing, and a model that costs nothing is priced", async () => {
  const silent = await recorded({ priced: false });
  expect(silent.calls).toMatchObject([{ usage: { input: 0, output: 0, estimated: true }, costUsd: null }]);
  const free = await recorded({ priced: true, tokens: TOKENS });
  expect(free.calls).toMatchObject([{ costUsd: 0 }]);
  const script = await recorded({}, { agent: "script" });
  expect(script.usage).toMatchObject({ calls: 0, agentRuns: 0, unpricedCalls: 0 });
});

test("the first look at the checks, which no agent takes part in, is no call", async () => {
  expect((await recorded({ number: 0, agent: null })).calls).toEqual([]);
});

test("a run may cost its own bound, and no more than is left of the budgets", () => {
  const run = { usd: 0 };
  expect(costLimit({ restUsd: null, run }, null, [])).toBeNull();
  expect(costLimit({ restUsd: 2, run }, null, [])).toBe(2);
  expect(costLimit({ restUsd: null, run }, 3, [])).toBe(3);
  expect(costLimit({ restUsd: 2, run }, 3, [])).toBe(2);
});

test("what a run has cost already counts once, also what no stored iteration shows (R-WORK-15)", () => {
  const run = { usd: 2 };
  // The budgets had 5, of which the run has taken 2.
  expect(costLimit({ restUsd: 3, run }, null, [{ usd: 2 }])).toBe(5);
  expect(costLimit({ restUsd: 3, run }, null, [])).toBe(3);
  expect(costLimit({ restUsd: null, run }, 3, [{ usd: 0.5 }])).toBe(1.5);
  expect(costLimit({ restUsd: null, run }, 1, [])).toBe(0);
});

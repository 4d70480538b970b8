import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../test/support/database.ts";
import { type Turn, startMockModel } from "../../test/mock-model/server.ts";
import { trackedIssue, trackedRepository } from "../../test/support/tracked-issue.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import { createAgentModel, measurePrompt } from "../adapters/models/agent.ts";
import type { PriceTable } from "../adapters/models/prices.ts";
import { addEval, linkCalls, listCalls, usageOf } from "../storage/model-calls.ts";
import { beginCycle } from "../storage/cycles.ts";
import type { Db } from "../storage/db.ts";
import { forgetIssue } from "../storage/issues.ts";
import { findAnswer } from "../storage/answers.ts";
import { recordCall } from "./record-call.ts";

const now = { clock: systemClock, ids: snowflakes() };
const PRICES: PriceTable = {
  models: [{ model: "anthropic/m", input: 3, cached_read: 0.3, cache_write: 3.75, output: 15 }],
};

async function open() {
  const { db } = await freshDatabase();
  const server = await startMockModel();
  onTestFinished(async () => await server.close());
  const repository = await trackedRepository(db);
  const issue = await trackedIssue(db, repository.id);
  const run = async (turns: Turn[], { prices = PRICES, question = "Why?" } = {}) => {
    server.script(turns);
    const model = createAgentModel({
      models: [{ provider: "anthropic", name: "m", apiKey: "key", baseUrl: server.url("anthropic") }],
      prices,
      clock: systemClock,
      random: () => 0,
      sleep: async () => {},
      onCall: recordCall(db, { issueId: issue.id }, now),
    });
    return await model.run({ role: "spec", system: "Write.", turns: [{ role: "user", content: question }] });
  };
  return { db, issue, repository, run };
}

const ANSWER: Turn = { kind: "answer", text: "Because.", usage: { input: 1_000, cached: 400, output: 100 } };

async function kept(db: Db) {
  return await db.query(
    z.object({
      input: z.unknown(),
      output: z.unknown(),
      cost: z.number().nullable(),
      prompt_hash: z.string().nullable(),
    }),
    "select input, output, cost_usd::float8 as cost, prompt_hash from llm_evals where kind = 'call' order by id",
    [],
  );
}

describe("a record of each call of a model", () => {
  test("gives the answer again, by issue, prompt and model, until its text is erased", async () => {
    const { db, issue, repository, run } = await open();
    const other = await trackedIssue(db, repository.id, "58");
    await run([{ kind: "status", status: 400 }]);
    const { hash: promptHash } = await measurePrompt({ system: "Write.", turns: [{ role: "user", content: "Why?" }] });
    const asked = { issueId: issue.id, promptHash, model: "anthropic/m" };
    expect(await findAnswer(db, asked)).toBe(null);
    await run([ANSWER]);
    expect(await findAnswer(db, asked)).toEqual({ text: "Because.", calls: [] });
    expect(await findAnswer(db, { ...asked, model: "anthropic/n" })).toBe(null);
    expect(await findAnswer(db, { ...asked, issueId: other.id })).toBe(null);
    expect(await findAnswer(db, { ...asked, promptHash: "0" })).toBe(null);
    await db.execute("update llm_evals set input = '{}', output = '{}'", []);
    expect(await findAnswer(db, asked)).toBe(null);
  });

  test("holds no secret of its texts, nor half of one", async () => {
    const { db, run } = await open();
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2)}`;
    const question = `${"x ".repeat(14_980)}${token}${" y".repeat(60_000)}`;
    await run([{ ...ANSWER, text: `It is ${token}.` }], { question });
    const [call] = await kept(db);
    expect(JSON.stringify(call)).not.toContain("a1B2c3D4");
  });

  test("says who was asked for what, with all tokens, time, status and cost", async () => {
    const { db, issue, run } = await open();
    const outcome = await run([ANSWER]);
    const [call] = await listCalls(db, issue.id);
    expect(call).toMatchObject({
      stage: "spec_generator",
      role: "spec",
      model: "anthropic/m",
      step: 1,
      attempt: 1,
      status: "answered",
      usage: { input: 1_000, cachedInput: 400, output: 100, estimated: false },
    });
    expect(call?.promptHash).toMatch(/^[0-9a-f]{64}$/);
    expect(call?.costUsd).toBeCloseTo(outcome.costUsd ?? -1, 6);
    expect(call?.costUsd).toBeCloseTo((600 * 3 + 400 * 0.3 + 100 * 15) / 1e6, 6);
  });

  test("also tells of attempts that failed", async () => {
    const { db, issue, run } = await open();
    await run([{ kind: "status", status: 529 }, ANSWER]);
    expect((await listCalls(db, issue.id)).map((call) => [call.attempt, call.status])).toEqual([
      [1, "overloaded"],
      [2, "answered"],
    ]);
  });

  test("tells a price that is not known from none", async () => {
    const { db, issue, run } = await open();
    await run([ANSWER]);
    await run([ANSWER], { prices: { models: [] } });
    expect(await usageOf(db, issue.id)).toMatchObject({ calls: 2, unpricedCalls: 1, inputTokens: 2_000 });
    expect((await kept(db)).map((call) => call.cost === null)).toEqual([false, true]);
  });

  test("keeps a prompt of a megabyte in part, and says so; a NUL breaks nothing", async () => {
    const { db, run } = await open();
    await run([ANSWER], { question: `\0begin ${"x".repeat(1_000_000)} end` });
    const text = JSON.stringify((await kept(db))[0]?.input);
    expect(text.length).toBeLessThan(61_000);
    expect(text).toMatch(/begin x+\[… \d+ characters left out …\]x+ end/);
  });

  test("is linked to the cycle that it was made for, once that is stored", async () => {
    const { db, issue, run } = await open();
    await run([ANSWER]);
    const cycle = await beginCycle(db, issue.id, { planner: "anthropic/m", reasoning: "" }, now);
    await linkCalls(db, issue.id, cycle.id);
    await run([ANSWER]);
    expect((await listCalls(db, issue.id)).map((call) => call.cycleId)).toEqual([cycle.id, null]);
  });

  test("an outcome has no cost of its own: its money is in its calls", async () => {
    const { db, issue, run } = await open();
    await run([ANSWER]);
    const { costUsd } = await usageOf(db, issue.id);
    const outcome = { stage: "planner", model: "anthropic/m", input: {}, output: {}, latencyMs: 1 } as const;
    await addEval(db, { issueId: issue.id, cycleId: null, ...outcome }, now);
    expect(await usageOf(db, issue.id)).toMatchObject({ calls: 1, costUsd });
  });

  test("forgetting an issue leaves what it cost, and no word of what was said", async () => {
    const { db, issue, run } = await open();
    await run([ANSWER]);
    const { costUsd } = await usageOf(db, issue.id);
    await forgetIssue(db, issue, "operator", now);
    const [left] = await kept(db);
    expect(left?.cost).toBeCloseTo(costUsd, 6);
    expect(left).toMatchObject({ input: null, output: null, prompt_hash: null });
  });
});

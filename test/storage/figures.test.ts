import { expect, test } from "vitest";
import { connectAgain, freshDatabase } from "../support/database.ts";
import { trackedIssue, trackedRepository } from "../support/tracked-issue.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { beginCycle, endCycle } from "../../src/storage/cycles.ts";
import type { Db } from "../../src/storage/db.ts";
import { deadLetterDelivery } from "../../src/storage/dead-letters.ts";
import { markProcessed } from "../../src/storage/deliveries.ts";
import { type Figure, readBudgets, readFigures } from "../../src/storage/figures.ts";
import { forgetIssue, moveIssue } from "../../src/storage/issues.ts";
import { type CallEval, addCall, addEval } from "../../src/storage/model-calls.ts";

const now = { clock: systemClock, ids: snowflakes() };

const ofName = (name: string, figures: readonly Figure[]) =>
  figures.flatMap((one) => (one.name === name && one.amount !== 0 ? [[...one.labels, one.amount]] : []));

async function figuresOf(name: string, db: Db) {
  return ofName(name, await readFigures(db));
}

test("issues are counted by state, also after they moved and were forgotten", async () => {
  const { db } = await freshDatabase();
  const { id: repositoryId } = await trackedRepository(db);
  const issues = [await trackedIssue(db, repositoryId), await trackedIssue(db, repositoryId, "2")];
  const [first, second] = issues;
  expect(await figuresOf("issues", db)).toEqual([["pending_plan", 2]]);
  await moveIssue(db, first?.id ?? "", { state: "clarifying", returnTo: null }, systemClock);
  expect(await figuresOf("issues", db)).toEqual([
    ["clarifying", 1],
    ["pending_plan", 1],
  ]);
  if (second) await forgetIssue(db, second, "operator", now);
  expect(await figuresOf("issues", db)).toEqual([["clarifying", 1]]);
});

test("deliveries are counted once by what was decided", async () => {
  const { db } = await freshDatabase();
  const add = `insert into deliveries (id, provider, delivery_id, event, received_at)
    values ($1::bigint, 'github', $1::text, '{}', now())`;
  for (const id of ["2", "3", "4"]) await db.execute(add, [id]);
  expect(await figuresOf("deliveries", db)).toEqual([]);
  await markProcessed(db, "2", "engage", systemClock);
  await markProcessed(db, "3", "refresh: closed by its request", systemClock);
  await deadLetterDelivery(db, "4", "it broke", systemClock);
  await db.execute("update deliveries set looks = 1", []);
  expect(await figuresOf("deliveries", db)).toEqual([
    ["github", "dead_letter", 1],
    ["github", "engage", 1],
    ["github", "refresh", 1],
  ]);
});

test("a cycle is as long as its planner thought and its actions took", async () => {
  const { db } = await freshDatabase();
  const issue = await trackedIssue(db, (await trackedRepository(db)).id);
  const began = { ...now, clock: { now: () => new Date(Date.now() - 20_000) } };
  const cycle = await beginCycle(db, issue.id, { planner: "x/m", reasoning: "" }, began);
  const outcome = { stage: "planner", model: "x/m", input: {}, output: {}, latencyMs: 15_000 } as const;
  await addEval(db, { issueId: issue.id, cycleId: cycle.id, ...outcome }, now);
  await endCycle(db, cycle.id, "done", systemClock);
  expect(await figuresOf("cycles", db)).toEqual([["done", "60", 1]]);
  expect(await figuresOf("cycle_seconds", db)).toEqual([["done", expect.closeTo(35, -1)]]);
});

test("calls of models are counted with tokens, time and cost; an unknown price is no price of nothing", async () => {
  const { db } = await freshDatabase();
  const issue = await trackedIssue(db, (await trackedRepository(db)).id);
  const usage = { input: 100, cachedInput: 40, cacheWrite: 0, output: 10, reasoning: 0, estimated: false };
  const made = { stage: "planner", role: "planner", model: "x/m", provider: "x", step: 1, attempt: 1 } as const;
  const content = { input: "in", output: "out", latencyMs: 500, promptHash: "h", finishReason: null };
  const call = (status: string, costUsd: number | null): CallEval => {
    return { ...made, ...content, status, issueId: issue.id, cycleId: null, usage, costUsd, startedAt: new Date() };
  };
  await addCall(db, call("answered", 0.25), now);
  await addCall(db, call("overloaded", null), now);
  const figures = await readFigures(db);
  expect(ofName("model_calls", figures)).toEqual([
    ["planner", "x/m", "answered", 1],
    ["planner", "x/m", "overloaded", 1],
  ]);
  expect(ofName("model_tokens", figures)).toEqual([
    ["planner", "x/m", "cached_input", 80],
    ["planner", "x/m", "input", 200],
    ["planner", "x/m", "output", 20],
  ]);
  expect(ofName("model_cost", figures)).toEqual([["planner", "x/m", 0.25]]);
  expect(ofName("model_unpriced", figures)).toEqual([["planner", "x/m", 1]]);
  expect(ofName("model_seconds", figures)).toEqual([["planner", "x/m", 1]]);
  expect(await readBudgets(db, 1_000_000)).toEqual({ spentUsd: 110.25, stopped: [] });
});

test("several that read at once lose nothing and count nothing twice", async () => {
  const { db, connection } = await freshDatabase();
  const add = async (n: number) =>
    await db.execute(`insert into figures_added select 'x', array['a'], 1 from generate_series(1, $1)`, [n]);
  const others = [db, connectAgain(connection), connectAgain(connection)];
  for (let round = 1; round <= 5; round += 1) {
    await add(100);
    const read = await Promise.all(others.map(async (one) => await figuresOf("x", one)));
    expect(read).toEqual(others.map(() => [["a", 100 * round]]));
  }
});

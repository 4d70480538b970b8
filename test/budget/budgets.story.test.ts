import { describe, expect, onTestFinished, test } from "vitest";
import type { Issue, IssueAddress } from "../../src/domain/issue.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { createAgentModel } from "../../src/adapters/models/agent.ts";
import type { Budgets } from "../../src/budget/budget.ts";
import { listCalls, usageOf } from "../../src/storage/model-calls.ts";
import { listCycles } from "../../src/storage/cycles.ts";
import { endBudgetStop, findBudgetStop } from "../../src/storage/spending.ts";
import type { OrchestratorDeps } from "../../src/engine/wake.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";
import { startMockModel } from "../mock-model/server.ts";

const OFF: Budgets = { issue: "off", repositoryDay: "off", workspaceMonth: "off", unpricedPerMillion: 5 };
const DAY_MS = 86_400_000;
/** Each call takes this many tokens in, at one dollar for a hundred thousand. */
const DOLLAR = 100_000;

/** A life whose planner first asks a model, which costs a dollar, and then goes by the rules. */
async function costlyLife(
  budgets: Partial<Budgets>,
  change: (deps: OrchestratorDeps) => Partial<OrchestratorDeps> = () => ({}),
) {
  const server = await startMockModel();
  onTestFinished(async () => await server.close());
  server.script([{ kind: "answer", text: "So.", usage: { input: DOLLAR, output: 0 } }], { forever: true });
  const time = { offsetMs: 0, priced: true };
  const rests: (number | null)[] = [];
  const life = await openLife((deps) => ({
    budgets: { ...OFF, ...budgets },
    clock: { now: () => new Date(Date.now() + time.offsetMs) },
    plannerFor: (code, spending) => {
      const rules = deps.plannerFor(code, spending);
      const model = createAgentModel({
        models: [{ provider: "anthropic", name: "m", apiKey: "key", baseUrl: server.url("anthropic") }],
        prices: { models: time.priced ? [{ model: "anthropic/m", input: 10, output: 10 }] : [] },
        clock: { now: () => new Date(Date.now() + time.offsetMs) },
        random: () => 0,
        sleep: async () => {},
        onCall: spending.onCall,
      });
      return {
        name: "anthropic/m",
        plan: async (context, judge) => {
          rests.push(await spending.restUsd());
          await model.run({ role: "planner", system: "Plan.", turns: [{ role: "user", content: context.issue.body }] });
          return await rules.plan(context, judge);
        },
      };
    },
    ...change(deps),
  }));
  return { life, time, rests, server };
}

async function assigned(life: Life, address: IssueAddress): Promise<Issue> {
  await life.deliver(await life.people.assign(address, "mia", BOT));
  return await life.settled(address);
}

async function says(life: Life, address: IssueAddress, text: string): Promise<Issue> {
  await life.deliver(await life.people.comment(address, "ann", text));
  return await life.settled(address);
}

const budgetComments = async (life: Life, address: IssueAddress) =>
  (await life.said(address)).filter((text) => text.includes("relay:budget:"));

/** What `relay resume` does. */
async function operatorResumes(life: Life, issue: Issue): Promise<Issue> {
  await endBudgetStop(life.db, issue.id, "operator", life.clock);
  await life.transition(life.db, issue.id, "resume_requested", { why: "resumed", actor: "op" });
  await life.orchestrator.wakeNow(issue.id);
  return await life.settled(issue);
}

describe("the budget of an issue", () => {
  test("stops it before the next cycle, with one comment, and nothing more is spent", async () => {
    const { life, server } = await costlyLife({ issue: 1 });
    const issue = await report(life);
    expect((await assigned(life, issue)).state).toBe("clarifying");
    const stopped = await says(life, issue, "1. empty carts");
    expect(stopped).toMatchObject({ state: "paused", resumesAs: "clarifying" });
    const spent = server.requests.length;
    await life.orchestrator.wake(stopped.id, "directly");
    await says(life, issue, "are you there?");
    expect(server.requests).toHaveLength(spent);
    expect(await budgetComments(life, issue)).toEqual([
      expect.stringMatching(/^I’ve paused because the budget for this issue/),
    ]);
    expect(await usageOf(life.db, stopped.id)).toMatchObject({ calls: 1, unpricedCalls: 0, costUsd: 1 });
  });

  test("is given anew by the operator, who is told again only when that is used up too; no word is lost", async () => {
    const { life } = await costlyLife({ issue: 1 });
    const issue = await report(life);
    await assigned(life, issue);
    const stopped = await says(life, issue, "1. The total of an empty cart should be 0.\n2. It throws.");
    const resumed = await operatorResumes(life, stopped);
    expect(resumed.state).not.toBe("paused");
    expect(await listCycles(life.db, stopped.id)).toHaveLength(2);
    expect(await budgetComments(life, issue)).toHaveLength(1);
    expect((await says(life, issue, "and one more thing")).state).toBe("paused");
    expect(await budgetComments(life, issue)).toHaveLength(2);
  });

  test("tells agents what is left, and links their calls to the cycle", async () => {
    const { life, rests } = await costlyLife({ issue: 2.5, repositoryDay: 10 });
    const issue = await report(life);
    const asked = await assigned(life, issue);
    await says(life, issue, "1. empty carts");
    expect(rests).toEqual([2.5, 1.5]);
    const cycles = (await listCycles(life.db, asked.id)).map((cycle) => cycle.id);
    expect((await listCalls(life.db, asked.id)).map((call) => call.cycleId)).toEqual(cycles);
  });

  test("counts calls of unknown price by their tokens", async () => {
    const { life, time } = await costlyLife({ issue: 0.5 });
    time.priced = false;
    const issue = await report(life);
    await assigned(life, issue);
    expect((await says(life, issue, "1. empty carts")).state).toBe("paused");
  });

  test("does not stop rules, which cost nothing", async () => {
    const life = await openLife(() => ({ budgets: { ...OFF, issue: 0 } }));
    const issue = await report(life);
    expect((await assigned(life, issue)).state).toBe("clarifying");
  });
});

describe("the budget of a day", () => {
  test("stops each issue of the repository once; the next day goes on by itself", async () => {
    const { life, time } = await costlyLife({ repositoryDay: 1 });
    const first = await report(life);
    const second = await report(life, "Der Warenkorb zeigt eine falsche Summe an, wenn er leer ist.", "Falsche Summe");
    await assigned(life, first);
    const stopped = await assigned(life, second);
    expect(stopped).toMatchObject({ state: "paused", resumesAs: "pending_plan", language: "de" });
    expect(await budgetComments(life, second)).toEqual([
      expect.stringMatching(/^Ich pausiere, weil das heutige Budget/),
    ]);
    await life.orchestrator.wake(stopped.id);
    expect((await life.existing(second)).state).toBe("paused");

    time.offsetMs = DAY_MS;
    await life.orchestrator.recover();
    await life.orchestrator.wake(stopped.id);
    expect((await life.existing(second)).state).toBe("clarifying");
    expect(await budgetComments(life, second)).toHaveLength(1);
    expect(await findBudgetStop(life.db, stopped.id)).toBeNull();
  });

  test("an issue that the operator lets go on is not stopped again on that day", async () => {
    const { life } = await costlyLife({ repositoryDay: 1 });
    const issue = await report(life);
    await assigned(life, issue);
    const stopped = await says(life, issue, "1. empty carts");
    expect((await operatorResumes(life, stopped)).state).not.toBe("paused");
    expect((await says(life, issue, "2. it throws")).state).not.toBe("paused");
    expect(await budgetComments(life, issue)).toHaveLength(1);
  });

  test("the operator's own pause does not end with the day", async () => {
    const { life, time } = await costlyLife({ workspaceMonth: 1 });
    const issue = await report(life);
    await assigned(life, issue);
    const stopped = await says(life, issue, "1. empty carts");
    await endBudgetStop(life.db, stopped.id, "held", life.clock);
    time.offsetMs = 40 * DAY_MS;
    await life.orchestrator.wake(stopped.id);
    expect((await life.existing(issue)).state).toBe("paused");
  });
});

test("a comment that could not be posted is posted by the next try, once, and nothing is spent meanwhile", async () => {
  let refused = 0;
  const { life, server } = await costlyLife({ issue: 1 }, (deps) => ({
    trackerFor: async (repository) => {
      const tracker = await deps.trackerFor(repository);
      const createComment: typeof tracker.createComment = async (issue, body, thread) => {
        if (body.includes("relay:budget") && refused === 0) {
          refused += 1;
          // The tracker has it, and its answer is lost.
          await tracker.createComment(issue, body, thread);
          throw new RelayError("unavailable", "503", { status: 503 });
        }
        return await tracker.createComment(issue, body, thread);
      };
      return { ...tracker, createComment };
    },
  }));
  const issue = await report(life);
  await assigned(life, issue);
  expect((await says(life, issue, "1. empty carts")).state).toBe("paused");
  expect(refused).toBe(1);
  expect(await budgetComments(life, issue)).toHaveLength(1);
  expect(server.requests).toHaveLength(1);
});

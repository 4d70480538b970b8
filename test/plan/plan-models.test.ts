import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { planMaker } from "../../src/plan/make-plan.ts";
import { createAgentModel } from "../../src/adapters/models/agent.ts";
import { stepsByModel } from "../../src/plan/model/steps.ts";
import { triageByModel } from "../../src/plan/model/triage.ts";
import { Explorer } from "../../src/code/index/explorer.ts";
import { startMockModel } from "../mock-model/server.ts";
import { moment, openPlanning, planned, say } from "../support/planning-relay.ts";

/** Each call takes this many tokens in, at one dollar for a hundred thousand. */
const DOLLAR = 100_000;

test("calls for triage and plan are kept with their cost, and their budget stops an issue whose planner is free", async () => {
  const server = await startMockModel();
  onTestFinished(async () => await server.close());
  server.script([{ kind: "answer", text: "So.", usage: { input: DOLLAR, output: 0 } }], { forever: true });
  let explorer: Explorer | null = null;
  onTestFinished(() => explorer?.close());
  const life = await openPlanning((deps) => ({
    budgets: { ...deps.budgets, issue: 2 },
    plansWithModels: true,
    makePlanFor: (_, spending) => {
      const model = createAgentModel({
        models: [{ provider: "anthropic", name: "m", apiKey: "key", baseUrl: server.url("anthropic") }],
        prices: { models: [{ model: "anthropic/m", input: 10, output: 10 }] },
        clock: systemClock,
        random: () => 0,
        sleep: async () => {},
        onCall: spending.onCall,
      });
      const parts = { model, random: Math.random };
      return planMaker({
        clock: deps.clock,
        log: silentLog,
        indexOf: async (code) => await (explorer ??= await Explorer.open(code.gitDirectory, null)).at(code),
        branchExists: async () => await Promise.resolve(false),
        models: { triage: triageByModel(parts), steps: stepsByModel(parts) },
      });
    },
  }));
  const issue = await planned(life);
  // Neither model handed in anything that can be used; the rules planned.
  expect(await life.existing(issue)).toMatchObject({ state: "waiting_confirmation" });
  const row = z.object({ stage: z.string(), usd: z.coerce.number() });
  const kept = await life.db.query(
    row,
    "select stage, sum(cost_usd) as usd from llm_evals where kind = 'call' group by stage order by stage",
    [],
  );
  expect(kept.map(({ stage }) => stage)).toEqual(["fix_planner", "triage"]);
  expect(kept.every(({ usd }) => usd >= 1)).toBe(true);
  const asked = server.requests.length;
  await moment();
  const { state } = await say(life, issue, "ann", "It must also refuse negative prices in src/cart.ts.");
  expect(state).toBe("paused");
  expect(server.requests).toHaveLength(asked);
});

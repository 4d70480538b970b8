import { expect, onTestFinished, test } from "vitest";
import { createAgentModel } from "../../src/adapters/models/agent.ts";
import { loadPrompt } from "../../src/adapters/models/prompt.ts";
import { storedSpec } from "../../src/adapters/spec-stores/stored-spec.ts";
import type { SpecInput } from "../../src/specification/generator.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { agentPlanner } from "../../src/planner/agent/planner.ts";
import { agentSpecGenerator } from "../../src/specification/agent/generator.ts";
import { listCycles } from "../../src/storage/cycles.ts";
import { type MockModel, startMockModel } from "../mock-model/server.ts";
import { PRICES, knowsTheCart, looks, submit } from "../support/planner-fixture.ts";
import { moment, openPlanning, planOf, say, setMode, tasksOf } from "../support/planning-relay.ts";
import { BOT, report } from "../support/relay.ts";
import { submits } from "../support/spec-agent-fixture.ts";

const WISH = "Looks good, but an undefined list throws too. Please fix that here as well, with a test.";

async function mockModel(): Promise<MockModel> {
  const server = await startMockModel();
  onTestFinished(async () => await server.close());
  return server;
}

/** A Relay whose planner and writer are scripted models; the writer's writes what the rules would. */
async function scripted() {
  const [planner, writer] = [await mockModel(), await mockModel()];
  const modelOn = (server: MockModel) =>
    createAgentModel({
      models: [{ provider: "openai-compatible", name: "m", apiKey: null, baseUrl: server.url("openai-compatible") }],
      prices: PRICES,
      clock: systemClock,
      random: () => 0,
      sleep: async () => {},
      onCall: () => {},
    });
  const written: SpecInput[] = [];
  const life = await openPlanning((deps) => ({
    plannerFor: () =>
      agentPlanner({
        model: modelOn(planner),
        explore: knowsTheCart,
        readSpec: async (issue) => (await storedSpec(issue.spec, deps.specStore))?.content ?? "No spec.",
        prompt: loadPrompt("planner"),
        boundaryOf: () => "0123456789abcdef",
      }),
    generatorFor: (code, spending) => {
      const rules = deps.generatorFor(code, spending);
      const agent = agentSpecGenerator({
        model: modelOn(writer),
        explore: knowsTheCart,
        prompts: { spec: loadPrompt("spec") },
        random: Math.random,
      });
      const generate: typeof agent.generate = async (input, correction) => {
        written.push(input);
        const { markdown } = await rules.generate(input, correction);
        writer.script([submits(markdown)]);
        return await agent.generate(input, correction);
      };
      return { ...agent, generate };
    },
  }));
  return { life, planner, writer, written };
}

test("with a model, a wish of somebody who decides revises spec and plan in one go, and one yes is asked for (R-CONF-9)", async () => {
  const { life, planner, writer, written } = await scripted();
  setMode(life, "implement");
  planner.script([
    looks(),
    submit(
      {
        type: "update_findings",
        data: { add: [{ synthesis: "`total` throws for an empty cart.", sources: [{ location: "src/cart.ts:2" }] }] },
      },
      { type: "post_comment", data: { content: "`total([])` will be 0. Shall I write the spec?" } },
    ),
  ]);
  const issue = await report(life, "`total([])` in src/cart.ts throws. Expected: 0.");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "awaiting_proceed" });
  planner.script([
    submit({
      type: "ready_for_spec_generation",
      data: { context_summary: "An empty cart is 0.", proceed_signal: "go ahead" },
    }),
  ]);
  expect(await say(life, issue, "mia", "go ahead")).toMatchObject({ state: "waiting_confirmation" });
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "posted" });
  const before = (await life.said(issue)).length;

  const proceeds = submit({
    type: "ready_for_spec_generation",
    data: {
      context_summary: "An undefined list is 0 as well, with a test.",
      proceed_signal: "Please fix that here as well, with a test.",
    },
  });
  // A stranger's wish is no go-ahead, whatever the model makes of it.
  planner.script([proceeds, submit()], { forever: true });
  await moment();
  expect(await say(life, issue, "ann", WISH)).toMatchObject({ state: "waiting_confirmation" });
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "posted" });
  expect(written).toHaveLength(1);

  planner.script([proceeds]);
  await moment();
  expect(await say(life, issue, "mia", WISH)).toMatchObject({ state: "waiting_confirmation" });
  expect(planner.requests).toHaveLength(1);
  expect(JSON.stringify(planner.requests[0]?.body)).toContain("undefined list throws too");
  expect(written.at(-1)?.requests.map(({ author }) => author)).toEqual(["mia"]);
  expect(JSON.stringify(writer.requests[0]?.body)).toContain("undefined list throws too");
  expect((await storedSpec((await life.existing(issue)).spec, life.specStore))?.content).toContain("asked by @mia");
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  // One comment more: what has changed. None asks for a go-ahead.
  expect(await life.said(issue)).toHaveLength(before + 1);
  expect(await tasksOf(life)).toEqual([]);
  const { id } = await life.existing(issue);
  expect((await listCycles(life.db, id)).map(({ status }) => status)).not.toContain("failed");
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
});

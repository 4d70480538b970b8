import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AgentRequest } from "../../src/adapters/models/model.ts";
import type { Provider } from "../../src/adapters/models/providers/registry.ts";
import { agentTool } from "../../src/adapters/models/tool.ts";
import type { Turn } from "../mock-model/server.ts";
import { describeBounds } from "./model-bounds.ts";
import { type Stage, call, done, setStage } from "./model-fixture.ts";
import { describeStumbles } from "./model-stumbles.ts";
import { describeTroubles } from "./model-troubles.ts";

/** A sign that the reasoning of an answer is in the next prompt. */
const REASONING_SENT_BACK: Record<Provider, string> = {
  anthropic: "signed-by-anthropic",
  openai: "sealed-by-openai",
  google: "signed-by-google",
  "openai-compatible": "Bern is a city.",
};

/** What every provider must come to, whatever its protocol and whatever its model says. */
export function describeModel(provider: Provider): void {
  describe(`${provider} as a model`, () => {
    const stage = setStage(provider);
    describeNormalRuns(stage);
    describeStumbles(stage);
    describeBounds(stage);
    describeTroubles(stage);
  });
}

function describeNormalRuns(stage: Stage): void {
  const { run, calls, submit } = stage;
  describe("in a normal run", () => {
    test("gives the text, what was used, and what it cost", async () => {
      const usage = { input: 1_000, cached: 600, output: 50 };
      const outcome = await run([{ kind: "answer", text: "Rain.", usage }], { tools: [] });
      expect(outcome).toMatchObject({
        kind: "finished",
        text: "Rain.",
        endedBy: null,
        model: `${stage.provider}/priced`,
      });
      expect(outcome.usage).toMatchObject({ input: 1_000, cachedInput: 600, output: 50, estimated: false });
      expect(outcome.costUsd).toBeCloseTo((400 * 10 + 600 * 1 + 50 * 50) / 1e6, 9);
      expect(outcome).toMatchObject({ calls: 1, fellBackFrom: [] });
    });

    test("runs a tool, tells the model its result, and ends with the tool that ends", async () => {
      const outcome = await run([call("weather", { city: "Bern" }), done]);
      expect(outcome).toMatchObject({ kind: "finished", endedBy: { tool: "submit" }, calls: 2 });
      expect(outcome.steps.map((step) => step.calls.map(({ tool, outcome: end }) => [tool, end]))).toEqual([
        [["weather", "ok"]],
        [["submit", "ok"]],
      ]);
      expect(JSON.stringify(stage.server.requests[1]?.body)).toContain("It rains in Bern.");
    });

    test("sends system prompt, tools and temperature in the provider's form", async () => {
      await run([done], { temperature: 0.5 });
      const body = JSON.stringify(stage.server.requests[0]?.body);
      for (const part of ["You are terse.", "What is the weather?", "The weather of a city.", "city", "0.5"]) {
        expect(body).toContain(part);
      }
    });

    test.each(["required", { tool: "submit" }, "none"] as const)("takes %j as tool choice", async (toolChoice) => {
      await run([done], { toolChoice });
      const body = JSON.stringify(stage.server.requests[0]?.body);
      expect(body).toMatch(/tool_?[cC](hoice|onfig)/);
    });

    test("gives back the reasoning, as its provider wants it", async () => {
      await run([{ ...call("weather", { city: "Bern" }), reasoning: "Bern is a city." }, done]);
      expect(JSON.stringify(stage.server.requests[1]?.body)).toContain(REASONING_SENT_BACK[stage.provider]);
    });

    test("runs calls of one answer side by side and answers them in the model's order", async () => {
      let running = 0;
      let most = 0;
      const four = Promise.withResolvers<void>();
      const slow = agentTool({
        name: "look",
        description: "Looks.",
        input: z.object({ n: z.number() }),
        execute: async ({ n }) => {
          running += 1;
          most = Math.max(most, running);
          if (running === 4) four.resolve();
          await four.promise;
          await new Promise((resolve) => {
            setTimeout(resolve, 10 - n);
          });
          running -= 1;
          return `seen ${n}`;
        },
      });
      const six = [1, 2, 3, 4, 5, 6].map((n) => ({ tool: "look", input: JSON.stringify({ n }) }));
      const outcome = await run([{ kind: "answer", calls: six }, done], { tools: [slow, submit] });
      expect(outcome.steps[0]?.calls.map((each) => each.output)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `seen ${n}`));
      expect(most).toBe(4);
    });

    test("leaves it to the caller what two submissions in one answer mean", async () => {
      const seen: string[] = [];
      const handIn = agentTool({
        name: "submit",
        description: "Hands in.",
        input: z.object({ result: z.string() }),
        inTurn: true,
        execute: async ({ result }, { index, calledInStep }) => {
          seen.push(`${result} ${index} of ${calledInStep.length}`);
          return { output: "taken", ends: true };
        },
      });
      const two = ["a", "b"].map((result) => ({ tool: "submit", input: JSON.stringify({ result }) }));
      const outcome = await run([{ kind: "answer", calls: two }], { tools: [handIn] });
      expect(seen).toEqual(["a 0 of 2", "b 1 of 2"]);
      expect(outcome).toMatchObject({ kind: "finished", endedBy: { input: '{"result":"a"}' } });
    });

    test("reminds once who answers without a tool", async () => {
      const words: Turn = { kind: "answer", text: "It may rain." };
      const reminder = "Please call submit.";
      expect(await run([words, done], { reminder })).toMatchObject({ kind: "finished", endedBy: { tool: "submit" } });
      expect(JSON.stringify(stage.server.requests[1]?.body)).toContain(reminder);
      const twice = await run([words, words], { reminder });
      expect(twice).toMatchObject({ kind: "finished", endedBy: null, text: "It may rain.", calls: 2 });
    });

    test("a record that cannot be kept stops the run", async () => {
      const outcome = run([done], {}, { onCall: async () => await Promise.reject(new Error("the database is gone")) });
      await expect(outcome).rejects.toThrow(/database is gone/);
      expect(stage.server.requests).toHaveLength(1);
    });

    test("prompts are marked for the cache where the provider wants marks, and at most four times", async () => {
      const turns: AgentRequest["turns"] = [1, 2, 3, 4].map((n) => ({
        role: "user",
        content: `Part ${n}.`,
        cacheBreakpoint: true,
      }));
      await run([call("weather", { city: "Bern" }), done], { turns });
      for (const { body } of stage.server.requests) {
        const marks = JSON.stringify(body).match(/"cache_control"/g) ?? [];
        expect(marks.length).toBe(stage.provider === "anthropic" ? 4 : 0);
      }
    });

    test("each call is on record, with what was new in its prompt", async () => {
      await run([call("weather", { city: "Bern" }), done]);
      expect(calls).toMatchObject([
        {
          role: "planner",
          provider: stage.provider,
          model: `${stage.provider}/priced`,
          step: 1,
          attempt: 1,
          input: { system: "You are terse.", tools: ["weather", "submit"], messages: [{ role: "user" }] },
          output: { text: "", calls: [{ tool: "weather", input: '{"city":"Bern"}' }] },
          usage: { input: 100, output: 20 },
        },
        { step: 2, input: { messages: [{ role: "assistant" }, { role: "tool" }] } },
      ]);
      expect(calls[0]?.promptHash).toMatch(/^[0-9a-f]{64}$/);
      expect(calls[0]?.promptHash).not.toBe(calls[1]?.promptHash);
      expect(calls[0]?.startedAt).toBeInstanceOf(Date);
    });
  });
}

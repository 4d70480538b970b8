import { describe, expect, test } from "vitest";
import { z } from "zod";
import { agentTool } from "../../src/adapters/models/tool.ts";
import type { Turn } from "../mock-model/server.ts";
import { type Stage, KEY, call, done, failureOf } from "./model-fixture.ts";

/** Models that get the form of an answer wrong. */
export function describeStumbles(stage: Stage): void {
  const { run, asked, calls, submit } = stage;
  describe("with a model that stumbles", () => {
    test("tells it of malformed arguments, and goes on", async () => {
      const outcome = await run([call("weather", '{"city": "Ber'), call("weather", { city: "Bern" }), done]);
      expect(outcome).toMatchObject({ kind: "finished", endedBy: { tool: "submit" } });
      expect(asked).toEqual([{ city: "Bern" }]);
      // Gemini's server parses calls itself, and ends an answer whose calls it could not parse.
      const parsed = stage.provider === "google";
      expect(outcome.steps[0]?.calls.map((each) => each.outcome)).toEqual(parsed ? [] : ["malformed"]);
      const told = JSON.stringify(stage.server.requests[1]?.body);
      expect(told).toContain(parsed ? "Your answer was empty" : "not a JSON object");
    });

    test("tells it of arguments off the schema, by their names", async () => {
      const outcome = await run([call("weather", { town: "Bern" }), done]);
      expect(outcome.steps[0]?.calls).toMatchObject([{ outcome: "off_schema" }]);
      expect(JSON.stringify(stage.server.requests[1]?.body)).toMatch(/do not fit.{0,80}city/);
      expect(asked).toEqual([]);
    });

    test("tells it of a tool that does not exist, and of those that do", async () => {
      const outcome = await run([call("rm_rf", { path: "/" }), done]);
      expect(outcome.steps[0]?.calls).toMatchObject([{ outcome: "unknown_tool" }]);
      expect(JSON.stringify(stage.server.requests[1]?.body)).toContain("weather, submit");
    });

    test("tells it of a tool that threw, without keys", async () => {
      const broken = agentTool({
        name: "weather",
        description: "Broken.",
        input: z.object({}),
        execute: async () => {
          throw new Error(`no route for ${KEY}`);
        },
      });
      const outcome = await run([call("weather", {}), done], { tools: [broken, submit] });
      expect(outcome.steps[0]?.calls).toMatchObject([{ outcome: "threw" }]);
      const body = JSON.stringify(stage.server.requests[1]?.body);
      expect(body).toContain("no route for");
      expect(body).not.toContain(KEY);
    });

    test.each([
      ["a block of JSON", 'I ask.\n```json\n{"name": "weather", "arguments": {"city": "Bern"}}\n```'],
      ["a tag", '<tool_call>\n{"name": "weather", "arguments": "{\\"city\\": \\"Bern\\"}"}\n</tool_call>'],
      [
        "the form of a function",
        '{"type": "function", "function": {"name": "weather", "parameters": {"city": "Bern"}}}',
      ],
      ["its arguments alone", '```json\n{"city": "Bern"}\n```'],
    ])("understands a call that it wrote as %s", async (_form, text) => {
      const outcome = await run([{ kind: "answer", text }, done]);
      expect(outcome).toMatchObject({ kind: "finished", endedBy: { tool: "submit" }, calls: 2 });
      expect(asked).toEqual([{ city: "Bern" }]);
      expect(JSON.stringify(stage.server.requests[1]?.body)).toContain("It rains in Bern.");
    });

    test("takes no other JSON for a call", async () => {
      const text = 'An example: ```json\n{"name": "rm_rf", "town": "Bern"}\n```';
      expect(await run([{ kind: "answer", text }])).toMatchObject({ kind: "finished", endedBy: null });
      expect(asked).toEqual([]);
    });

    test("understands lists and objects that it encoded twice", async () => {
      const seen: unknown[] = [];
      const many = agentTool({
        name: "weather",
        description: "Of many.",
        input: z.object({ cities: z.array(z.string()) }),
        execute: async (input) => {
          seen.push(input);
          return await Promise.resolve("Rain.");
        },
      });
      await run([call("weather", { cities: '["Bern"]' }), done], { tools: [many, submit] });
      expect(seen).toEqual([{ cities: ["Bern"] }]);
    });

    test("is made to call the tool that ends the run in the last two answers", async () => {
      const turns = ["Bern", "Rome", "Oslo", "Kyiv"].map((city) => call("weather", { city }));
      await run(turns, { endsBy: "submit", limits: { steps: 4 } });
      const demanded = stage.server.requests.map(({ body }) =>
        /"(?:tool_choice|toolConfig)":(?!"auto"|\{"type":"auto"|\{"functionCallingConfig":\{"mode":"AUTO").{0,120}submit/.test(
          JSON.stringify(body),
        ),
      );
      expect(demanded).toEqual([false, false, true, true]);
    });

    test("is given up for what it did wrong, also where it repeats it", async () => {
      const outcome = await run(Array.from({ length: 4 }, () => call("rm_rf", { path: "/" })));
      expect(failureOf(outcome)).toMatchObject({
        kind: "invalid_answer",
        message: expect.stringContaining("rm_rf: there is no such tool"),
      });
      expect(outcome.calls).toBe(3);
    });

    test("gives up after three wrong answers in a row", async () => {
      const outcome = await run(["a", "b", "c", "d"].map((n) => call("weather", { [n]: 1 })));
      expect(failureOf(outcome)).toMatchObject({ kind: "invalid_answer", retryable: false });
      expect(outcome.calls).toBe(3);
    });

    test("stops one that makes the same call again and again", async () => {
      const outcome = await run(Array.from({ length: 9 }, () => call("weather", { city: "Bern" })));
      expect(outcome).toMatchObject({ kind: "limit", limit: "repeats", calls: 3 });
      expect(asked).toHaveLength(2);
    });

    test("says so when an answer is empty, and gives up after three", async () => {
      const empty: Turn = { kind: "answer", text: "" };
      expect(await run([empty, done])).toMatchObject({ kind: "finished", endedBy: { tool: "submit" } });
      expect(failureOf(await run([empty, empty, empty]))).toMatchObject({ kind: "invalid_answer" });
      expect(JSON.stringify(stage.server.requests[2]?.body)).toContain("Your answer was empty.");
    });

    test("runs no call of an answer that was cut for its length, and asks for less", async () => {
      const cut: Turn = { ...call("weather", { city: "Bern" }), finish: "length" };
      const outcome = await run([cut, done]);
      expect(outcome).toMatchObject({ kind: "finished" });
      expect(asked).toEqual([]);
      expect(JSON.stringify(stage.server.requests[1]?.body)).toContain("cut off");
      expect(await run([cut, cut, cut])).toMatchObject({ kind: "limit", limit: "answer_length", calls: 3 });
    });

    test("hands on what there is of a cut text, where there are no tools", async () => {
      const outcome = await run([{ kind: "answer", text: "Rain, and", finish: "length" }], { tools: [] });
      expect(outcome).toMatchObject({ kind: "limit", limit: "answer_length", text: "Rain, and" });
      expect(calls).toMatchObject([{ status: "cut_for_length" }]);
    });

    test.each<[string, Turn]>([
      ["text", { kind: "answer", text: "rain ".repeat(60_000) }],
      ["arguments", call("submit", { result: "rain ".repeat(60_000) })],
    ])("does not read 300 KB of %s to their end, and counts what was read", async (_, turn) => {
      const outcome = await run([turn]);
      expect(outcome).toMatchObject({ kind: "limit", limit: "answer_length", calls: 1 });
      expect(calls).toMatchObject([{ status: "cut_for_length" }]);
      expect(outcome.usage.output).toBeGreaterThan(10);
      expect(outcome.costUsd).toBeGreaterThan(0);
    });

    test("shows it a bounded part of an oversized tool result", async () => {
      const loud = agentTool({
        name: "weather",
        description: "Loud.",
        input: z.object({}),
        execute: async () => "rain ".repeat(60_000),
      });
      await run([call("weather", {}), done], { tools: [loud, submit], limits: { toolCharacters: 500 } });
      const body = JSON.stringify(stage.server.requests[1]?.body);
      expect(body.length).toBeLessThan(10_000);
      expect(body).toContain("299500 more characters");
    });

    test("says when it refuses", async () => {
      const outcome = await run([{ kind: "answer", text: "I will not.", finish: "refused" }]);
      expect(outcome).toMatchObject({ kind: "refused", calls: 1 });
      expect(calls).toMatchObject([{ status: "refused" }]);
    });
  });
}

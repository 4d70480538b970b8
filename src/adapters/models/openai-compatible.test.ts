import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type Turn, startMockModel } from "../../../test/mock-model/server.ts";
import { systemClock } from "../../lib/clock.ts";
import { createAgentModel } from "./agent.ts";
import { agentTool } from "./tool.ts";

// Servers that speak this protocol differ in its corners.

const look = agentTool({
  name: "look",
  description: "Looks.",
  input: z.object({ n: z.number() }),
  execute: async ({ n }) => `seen ${n}`,
});

async function run(turns: Turn[], apiKey: string | null = null, twice = false) {
  const server = await startMockModel();
  onTestFinished(async () => await server.close());
  server.script(turns);
  const model = createAgentModel({
    models: [
      { provider: "openai-compatible", name: "qwen/qwen3:32b", apiKey, baseUrl: server.url("openai-compatible") },
    ],
    prices: { models: [] },
    clock: systemClock,
    random: () => 0,
    sleep: async () => {},
    onCall: () => {},
  });
  const turn = { role: "user", content: "go" } as const;
  const request = { role: "planner", system: "s", turns: [turn], tools: [look], temperature: 0.2 } as const;
  const outcome = await model.run({ ...request, toolChoice: "required" });
  if (twice) await model.run(request);
  return { outcome, requests: server.requests };
}

function stream(...choices: { delta: object; finish_reason?: string }[]): Turn {
  const chunks = choices.map(({ delta, finish_reason = null }) => ({
    id: "1",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  }));
  return { kind: "raw", body: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") };
}

const done = stream({ delta: { content: "Done and done." } }, { delta: {}, finish_reason: "stop" });
const call = { type: "function", function: { name: "look", arguments: '{"n":7}' } };

test("usage is asked for, and counted offline where none is told", async () => {
  const { outcome, requests } = await run([done]);
  expect(requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  expect(outcome).toMatchObject({ kind: "finished", text: "Done and done.", usage: { estimated: true, output: 4 } });
  expect(outcome.usage.input).toBeGreaterThan(10);
});

test("a price that is not known makes the cost unknown, not nothing", async () => {
  expect((await run([done])).outcome.costUsd).toBeNull();
});

test.each([
  ["whole, in one piece, with `stop` for its end", { ...call, id: "call_9", index: 0 }],
  ["without an id", { ...call, index: 0 }],
  ["without an index", { ...call, id: "call_9" }],
])("a call that comes %s is carried out", async (_, sent) => {
  const { outcome, requests } = await run([stream({ delta: { tool_calls: [sent] }, finish_reason: "stop" }), done]);
  expect(outcome).toMatchObject({ kind: "finished", text: "Done and done." });
  expect(outcome.steps[0]?.calls).toMatchObject([{ tool: "look", outcome: "ok", output: "seen 7" }]);
  expect(JSON.stringify(requests[1]?.body)).toContain("seen 7");
});

test("two calls of one id are answered one by one", async () => {
  const twice = [
    { ...call, id: "call_9", index: 0 },
    { ...call, id: "call_9", index: 1 },
  ];
  const { outcome, requests } = await run([
    stream({ delta: { tool_calls: twice }, finish_reason: "tool_calls" }),
    done,
  ]);
  expect(outcome.steps[0]?.calls).toHaveLength(2);
  const ids = JSON.stringify(requests[1]?.body).match(/"tool_call_id":"[^"]+"/g);
  expect(new Set(ids).size).toBe(2);
});

describe("what a server refuses by name", () => {
  const refusal = (message: string): Turn => ({ kind: "status", status: 400, message });

  test.each([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { max_tokens: undefined, max_completion_tokens: 16_384 },
    ],
    ["max_tokens is too large: 16384. This model supports at most 4096 completion tokens.", { max_tokens: undefined }],
    [
      "maximum context length is 8192 tokens, but you requested 20000 (3616 in the messages, 16384 in the completion)",
      { max_tokens: undefined },
    ],
    ["'temperature' does not support 0.2 with this model", { temperature: undefined }],
    ["tool_choice: only auto is supported", { tool_choice: undefined }],
    ["Extra inputs are not permitted: stream_options", { stream_options: undefined }],
  ])("is left out, or said otherwise: %s", async (message, expected) => {
    const { outcome, requests } = await run([refusal(message), done]);
    expect(outcome).toMatchObject({ kind: "finished", calls: 2 });
    const [first, second] = requests.map((request) => request.body);
    expect(second).toEqual(JSON.parse(JSON.stringify({ ...first, ...expected })));
  });

  test("is remembered from run to run", async () => {
    const { requests } = await run([refusal("no temperature, please"), done, done], null, true);
    expect(requests.map(({ body }) => "temperature" in body)).toEqual([true, false, false]);
  });

  test("again and again ends the run", async () => {
    const { outcome } = await run(Array.from({ length: 20 }, () => refusal("max_completion_tokens and temperature")));
    expect(outcome).toMatchObject({ kind: "failed", failure: { kind: "bad_request" }, calls: 4 });
  });
});

test("a server without keys gets none", async () => {
  const { requests } = await run([done]);
  expect(requests[0]?.headers["authorization"]).toBeUndefined();
  expect((await run([done], "a-key")).requests[0]?.headers["authorization"]).toBe("Bearer a-key");
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type MockModel, type Turn, startMockModel } from "./server.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createAgentModel } from "../../src/adapters/models/agent.ts";
import type { AgentOutcome } from "../../src/adapters/models/model.ts";
import { PROVIDERS, type Provider } from "../../src/adapters/models/providers/registry.ts";
import type { Fetch } from "../../src/adapters/models/providers/provider.ts";
import { type Recording, readRecording, recordCalls, replayCalls, writeRecording } from "./recording.ts";
import { agentTool } from "../../src/adapters/models/tool.ts";

const KEY = "a-key-of-no-known-shape";
let server: MockModel;
beforeAll(async () => {
  server = await startMockModel();
});
afterAll(async () => {
  await server.close();
});

const look = agentTool({
  name: "look",
  description: "Looks at a file.",
  input: z.object({ file: z.string() }),
  execute: async ({ file }) => `${file} holds ghp_${"a1".repeat(18)}`,
});

const TURNS: Turn[] = [
  { kind: "status", status: 429, headers: { "retry-after": "1", "x-request-id": KEY } },
  { kind: "cut", text: "I am looking" },
  { kind: "answer", text: "Looking.", calls: [{ tool: "look", input: '{"file":"a.ts"}' }] },
  { kind: "answer", text: "It is good.", usage: { input: 500, cached: 100, output: 9 } },
];

async function run(provider: Provider, fetch: Fetch, question = "Is it good?"): Promise<AgentOutcome> {
  const model = createAgentModel({
    models: [{ provider, name: "m", apiKey: KEY, baseUrl: server.url(provider) }],
    prices: { models: [] },
    clock: systemClock,
    random: () => 0,
    sleep: async () => {},
    onCall: () => {},
    fetch,
  });
  return await model.run({
    role: "explore",
    system: "Look.",
    turns: [{ role: "user", content: question }],
    tools: [look],
  });
}

async function recorded(provider: Provider): Promise<{ recording: Recording; outcome: AgentOutcome }> {
  server.script(TURNS);
  const recorder = recordCalls(globalThis.fetch, [KEY]);
  const outcome = await run(provider, recorder.fetch);
  return { recording: recorder.recording, outcome };
}

function outputs(outcome: AgentOutcome): string[] {
  return outcome.steps.flatMap((step) => [step.text, ...step.calls.map((call) => call.output)]);
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-recording-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "run.json");
}

describe.each(PROVIDERS)("a run on %s", (provider) => {
  test("is replayed from a file as it was, troubles included, without the network", async () => {
    const { recording, outcome } = await recorded(provider);
    const file = temporary();
    writeRecording(file, recording);
    server.script([]);
    const player = replayCalls(readRecording(file));
    const again = await run(provider, player.fetch);
    expect(server.requests).toEqual([]);
    expect(player.unplayed()).toBe(0);
    expect(again).toMatchObject({ kind: "finished", calls: 4, usage: outcome.usage });
    expect(outputs(again)).toEqual(outputs(outcome));
  });

  test("leaves no key on the recording", async () => {
    const { recording } = await recorded(provider);
    const file = temporary();
    writeRecording(file, recording);
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain(KEY);
    expect(text).not.toContain("a1a1a1");
    expect(text).not.toMatch(/authorization|x-api-key|x-goog-api-key|127\.0\.0\.1/i);
    expect(text).toContain("a.ts holds [secret removed]");
  });
});

test("a request that is not on the recording fails, and says where it differs", async () => {
  const { recording } = await recorded("anthropic");
  const player = replayCalls(recording);
  await expect(run("anthropic", player.fetch, "Is it bad?")).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringMatching(/differs at messages\.0\.content\.0\.text: .*good.* became .*bad/),
  });
});

test("a run that goes on after the end of its recording fails", async () => {
  const { recording } = await recorded("openai");
  const player = replayCalls({ ...recording, exchanges: recording.exchanges.slice(0, 3) });
  await expect(run("openai", player.fetch)).rejects.toThrow(/the recording is over/);
});

test("requests that run side by side may come in another order", async () => {
  const body = "data: {}\n\n";
  const response = { status: 200, headers: {}, body, end: "whole" as const };
  const recording: Recording = {
    version: 1,
    exchanges: ["a", "b"].map((request) => ({ path: "/v1/x", request, response: { ...response, body: request } })),
  };
  const { fetch, unplayed } = replayCalls(recording);
  const ask = async (text: string) =>
    await (await fetch("http://elsewhere/v1/x", { method: "POST", body: JSON.stringify(text) })).text();
  expect([await ask("b"), await ask("a")]).toEqual(["b", "a"]);
  expect(unplayed()).toBe(0);
});

test("values of fields that are named like keys are masked, and the keys given, wherever they are", async () => {
  const recorder = recordCalls(
    async () => new Response('{"api_key":"xyz","max_tokens":5,"text":"my own key"}'),
    ["own key"],
  );
  const body = JSON.stringify({ tool: { password: "xyz", tokens: "5" }, say: ["own key"] });
  await (await recorder.fetch("http://here/v1/x?key=xyz", { method: "POST", body })).text();
  expect(JSON.stringify(recorder.recording)).not.toMatch(/xyz|own key/);
  expect(JSON.stringify(recorder.recording)).toContain("max_tokens");
});

test.each(["{", '{"version":2,"exchanges":[]}'])("a file that is no recording is refused by its name: %s", (text) => {
  const file = temporary();
  writeFileSync(file, text);
  expect(() => readRecording(file)).toThrow(/run\.json cannot be replayed/);
});

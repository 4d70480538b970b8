import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type Turn, startMockModel } from "../../../test/mock-model/server.ts";
import { systemClock } from "../../lib/clock.ts";
import { createAgentModel } from "./agent.ts";
import type { ModelCall } from "./model.ts";
import { type Provider, PROVIDERS } from "./providers/registry.ts";
import { agentTool } from "./tool.ts";

const look = agentTool({
  name: "look",
  description: "Looks.",
  input: z.object({ n: z.number() }),
  execute: async ({ n }) => `seen ${n}`,
});

async function runOver(first: Provider, second: Provider, turns: Turn[]) {
  const server = await startMockModel();
  onTestFinished(async () => await server.close());
  server.script(turns);
  const calls: ModelCall[] = [];
  const connection = (provider: Provider) => ({ provider, name: "m", apiKey: "k", baseUrl: server.url(provider) });
  const model = createAgentModel({
    models: [connection(first), connection(second)],
    prices: { models: [{ model: `${first}/m`, input: 1, output: 1 }] },
    clock: systemClock,
    random: () => 0,
    sleep: async () => {},
    onCall: (call) => void calls.push(call),
  });
  const outcome = await model.run({
    role: "planner",
    system: "s",
    turns: [{ role: "user", content: "go" }],
    tools: [look],
  });
  return { outcome, calls, requests: server.requests };
}

const pairs = PROVIDERS.flatMap((first) =>
  PROVIDERS.filter((second) => second !== first).map((second) => [first, second]),
);

test.each(pairs)("a conversation that %s began goes on with %s, results and all", async (first, second) => {
  const broken: Turn[] = Array.from({ length: 4 }, () => ({ kind: "status", status: 503 }));
  const began: Turn = {
    kind: "answer",
    reasoning: "hm",
    text: "Looking.",
    calls: [{ tool: "look", input: '{"n":7}' }],
  };
  const { outcome, calls, requests } = await runOver(first, second, [
    began,
    ...broken,
    { kind: "answer", text: "Done." },
  ]);
  expect(outcome).toMatchObject({ kind: "finished", text: "Done.", model: `${second}/m`, calls: 6, costUsd: null });
  expect(outcome.fellBackFrom).toMatchObject([{ model: `${first}/m`, failure: { kind: "overloaded", status: 503 } }]);
  expect(calls.map((call) => call.provider)).toEqual([...Array.from({ length: 5 }, () => first), second]);
  const sent = JSON.stringify(requests.at(-1)?.body);
  expect(sent).toContain("seen 7");
  expect(sent).toContain("Looking.");
});

import { expect, test } from "vitest";
import type { AgentReport, CodingAgent } from "./agent.ts";
import { pricedAgent } from "./priced.ts";

const tokens = { input: 1_000_000, cachedInput: 0, cacheWrite: 0, output: 10, reasoning: 0 };

function reporting(told: Pick<AgentReport, "usd" | "tokens">): CodingAgent {
  const run = async () => ({ ending: { kind: "finished" as const }, summary: "", denied: [], ...told });
  return { name: "codex", program: "codex", hosts: [], variables: [], run };
}

test.each([
  { why: "tells no dollars", told: { usd: null, tokens }, known: true, usd: 3 },
  { why: "tells dollars itself", told: { usd: 0.5, tokens }, known: true, usd: 0.5 },
  { why: "tells nothing", told: { usd: null, tokens: null }, known: true, usd: null },
  { why: "uses a model without a known price", told: { usd: null, tokens }, known: false, usd: null },
])("an agent that $why costs $usd", async ({ told, known, usd }) => {
  const agent = pricedAgent(reporting(told), ({ input }) => (known ? (input * 3) / 1_000_000 : null));
  const request = {
    prompt: "",
    directory: "/tree",
    home: "/home",
    environment: {},
    model: null,
    timeoutMs: 1,
    mostOutputBytes: 1,
    maxTurns: null,
    maxUsd: null,
    launch: async () => await Promise.reject(new Error("nothing is started")),
    onEntry: () => {},
  };
  expect(await agent.run(request)).toMatchObject({ usd, tokens: told.tokens });
});

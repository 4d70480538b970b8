import { afterAll, beforeAll, beforeEach } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import { createAgentModel, type AgentModelOptions } from "../../src/adapters/models/agent.ts";
import type { AgentOutcome, AgentRequest, ModelCall, ModelFailure } from "../../src/adapters/models/model.ts";
import { type Provider, type ModelConnection } from "../../src/adapters/models/providers/registry.ts";
import { type AgentTool, agentTool } from "../../src/adapters/models/tool.ts";
import { type MockModel, type Turn, startMockModel } from "../mock-model/server.ts";

export const KEY = "sk-test-0123456789abcdefghij";

/** A model of one provider, with a server that says what a test wants it to say. */
export interface Stage {
  provider: Provider;
  readonly server: MockModel;
  /** What was recorded, and how long was waited, since the test began. */
  calls: ModelCall[];
  waits: number[];
  /** What the tool `weather` was asked. */
  asked: { city: string }[];
  submit: AgentTool;
  connection: (name?: string) => ModelConnection;
  run: (script: Turn[], request?: Partial<AgentRequest>, options?: Partial<AgentModelOptions>) => Promise<AgentOutcome>;
}

/** Sets up the stage for the tests of the `describe` that calls it. */
export function setStage(provider: Provider): Stage {
  let server: MockModel | undefined;
  const calls: ModelCall[] = [];
  const waits: number[] = [];
  const asked: { city: string }[] = [];
  beforeAll(async () => {
    server = await startMockModel();
  });
  afterAll(async () => {
    await server?.close();
  });
  beforeEach(() => {
    for (const list of [calls, waits, asked]) list.length = 0;
  });
  const running = () => {
    if (server === undefined) throw new Error("the stage is used outside of its tests");
    return server;
  };
  const rates = { input: 10, cached_read: 1, cache_write: 12.5, output: 50 };
  const prices = {
    models: [
      { model: `${provider}/priced`, ...rates },
      { model: `${provider}/small`, ...rates, context: 20_000 },
    ],
  };
  const connection = (name = "priced") => ({ provider, name, apiKey: KEY, baseUrl: running().url(provider) });
  const weather = agentTool({
    name: "weather",
    description: "The weather of a city.",
    input: z.object({ city: z.string().min(2) }),
    execute: async (input) => {
      asked.push(input);
      return `It rains in ${input.city}.`;
    },
  });
  const submit = agentTool({
    name: "submit",
    description: "Hands in the result.",
    input: z.object({ result: z.string() }),
    inTurn: true,
    execute: async () => ({ output: "taken", ends: true }),
  });
  return {
    provider,
    get server() {
      return running();
    },
    calls,
    waits,
    asked,
    submit,
    connection,
    run: async (script, request = {}, options = {}) => {
      running().script(script);
      for (const list of [calls, waits, asked]) list.length = 0;
      const model = createAgentModel({
        models: [connection()],
        prices,
        clock: systemClock,
        random: () => 0,
        sleep: async (ms) => void waits.push(ms),
        onCall: (made) => void calls.push(made),
        ...options,
      });
      return await model.run({
        role: "planner",
        system: "You are terse.",
        turns: [{ role: "user", content: "What is the weather?" }],
        tools: [weather, submit],
        ...request,
      });
    },
  };
}

/** An answer that calls one tool; `input` as an object, or as the text that a model took for one. */
export function call(tool: string, input: unknown): Extract<Turn, { kind: "answer" }> {
  return { kind: "answer", calls: [{ tool, input: typeof input === "string" ? input : JSON.stringify(input) }] };
}

/** The answer that ends a run as it should end. */
export const done: Turn = call("submit", { result: "rain" });

export function failureOf(outcome: AgentOutcome): ModelFailure {
  if (outcome.kind !== "failed") throw new Error(`it ended as ${outcome.kind}`);
  return outcome.failure;
}

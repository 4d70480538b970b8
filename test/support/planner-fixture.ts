import { afterAll, beforeAll } from "vitest";
import type { BatchState } from "../../src/planner/actions/batch-state.ts";
import { judgeSubmission } from "../../src/planner/actions/submission.ts";
import type { ConversationMessage } from "../../src/domain/conversation.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createAgentModel } from "../../src/adapters/models/agent.ts";
import type { ModelCall } from "../../src/adapters/models/model.ts";
import type { Provider } from "../../src/adapters/models/providers/registry.ts";
import { loadPrompt } from "../../src/adapters/models/prompt.ts";
import type { Explore, ExploreQuestion } from "../../src/planner/agent/explore.ts";
import type { LookingTools } from "../../src/code/agent/looking-tools.ts";
import { type PlannerLimits, type SpecReading, agentPlanner } from "../../src/planner/agent/planner.ts";
import { type CycleFacts, buildContext } from "../../src/planner/context.ts";
import type { Planned } from "../../src/planner/planner.ts";
import { type MockModel, type Turn, startMockModel } from "../mock-model/server.ts";
import { cycleFacts } from "./cycle-facts.ts";

export const PRICES = {
  models: [{ model: "*", input: 10, cached_read: 1, cache_write: 12.5, output: 50 }],
};

/** What one scripted exploration costs: $0.01. */
export const EXPLORE_COST = {
  calls: 2,
  usage: { input: 500, cachedInput: 0, cacheWrite: 0, output: 100, reasoning: 0, estimated: false },
  costUsd: 0.01,
};

/** Knows one place: the line in which an empty cart throws. */
export const knowsTheCart: Explore = async () =>
  await Promise.resolve({
    kind: "answered",
    synthesis: "`total` throws for an empty cart.",
    verified: true,
    sources: [
      {
        location: "src/cart.ts:1-3",
        snippet: "export function total() {\n  throw new Error();\n}",
      },
    ],
    dropped: [],
    cost: EXPLORE_COST,
  });

interface Change {
  provider?: Provider;
  facts?: Partial<CycleFacts>;
  explore?: Explore;
  look?: LookingTools;
  readSpec?: (reading: SpecReading) => string;
  hints?: string[];
  limits?: Partial<PlannerLimits>;
  /** How long the model may say nothing. */
  silenceMs?: number;
}

/** A planner on a scripted model, judged by the real rules of actions. */
export function setPlannerStage() {
  let server: MockModel | undefined;
  beforeAll(async () => {
    server = await startMockModel();
  });
  afterAll(async () => {
    await server?.close();
  });
  const running = () => {
    if (server === undefined) throw new Error("the stage is used outside of its tests");
    return server;
  };
  const calls: ModelCall[] = [];
  const explored: ExploreQuestion[] = [];
  return {
    calls,
    explored,
    get server() {
      return running();
    },
    /** One cycle with what the model says, the last turn again and again where `forever`. */
    async plan(script: Turn[], change: Change = {}, forever = false): Promise<Planned> {
      running().script(script, { forever });
      calls.length = 0;
      explored.length = 0;
      const provider = change.provider ?? "openai-compatible";
      const look = change.explore ?? knowsTheCart;
      const context = buildContext(cycleFacts(change.facts));
      const planner = agentPlanner({
        model: createAgentModel({
          models: [{ provider, name: "m", apiKey: "sk-test-0123456789abcdef", baseUrl: running().url(provider) }],
          prices: PRICES,
          clock: systemClock,
          random: () => 0,
          sleep: async () => {},
          onCall: (call) => void calls.push(call),
          timeouts: { callMs: 20_000, silenceMs: change.silenceMs ?? 10_000 },
        }),
        explore: async (question) => {
          explored.push(question);
          return await look(question);
        },
        readSpec: async (_issue, reading) => await Promise.resolve(change.readSpec?.(reading) ?? "No spec."),
        locateHint: async () => await Promise.resolve(change.hints ?? []),
        ...(change.look === undefined ? {} : { look: change.look }),
        prompt: loadPrompt("planner"),
        boundaryOf: () => "0123456789abcdef",
        ...(change.limits === undefined ? {} : { limits: change.limits }),
      });
      return await planner.plan(context, (submitted) => judgeSubmission(submitted, stateOf(cycleFacts(change.facts))));
    },
  };
}

/** What the batches of a cycle with these facts are judged by. */
export function stateOf(facts: CycleFacts): BatchState {
  const mayProceed = new Set(facts.participants.filter((one) => one.mayProceed).map((one) => one.login));
  return {
    issue: facts.issue.externalIssueId,
    gaps: facts.gaps,
    nextGapNumber: facts.nextGapNumber,
    findings: facts.findings,
    messages: facts.messages.map((message: ConversationMessage) => ({
      ...message,
      permitted: mayProceed.has(message.author),
      isNew: facts.newMessages.includes(message.seq),
    })),
    participants: facts.participants.map((one) => one.login),
    bot: "relay",
    hasSpec: facts.specStub !== null,
    proceedAsked: facts.proceedAsked,
    wishes: facts.wishes,
    quickWay: facts.quickWay,
    textEdited: facts.textEdited && facts.planned,
    now: new Date("2026-01-02T00:00:00Z"),
  };
}

/** An answer of the model that makes these calls. */
export function answer(...calls: [tool: string, input: unknown][]): Extract<Turn, { kind: "answer" }> {
  return {
    kind: "answer",
    calls: calls.map(([tool, input]) => ({ tool, input: typeof input === "string" ? input : JSON.stringify(input) })),
  };
}

export function submit(...actions: unknown[]): Extract<Turn, { kind: "answer" }> {
  return answer(["submit_actions", { actions, reasoning: "so it is" }]);
}

export function looks(question = "What throws?"): Extract<Turn, { kind: "answer" }> {
  return answer(["explore", { question, thoroughness: "quick" }]);
}

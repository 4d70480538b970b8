import { afterAll, beforeAll, beforeEach } from "vitest";
import {
  createExploreAgent,
  type ExploreAgent,
  type ExploreAgentOptions,
  type ExploreQuestion,
} from "../../src/code/agent/explore-agent.ts";
import type { ExploreAnswer } from "../../src/code/agent/explore-answer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createAgentModel } from "../../src/adapters/models/agent.ts";
import type { ModelCall } from "../../src/adapters/models/model.ts";
import type { Provider } from "../../src/adapters/models/providers/registry.ts";
import { loadPrompt } from "../../src/adapters/models/prompt.ts";
import { type IndexedRepository, type PlannedFile, indexedRepository } from "./indexed-repository.ts";
import { type MockModel, type Turn, startMockModel } from "../mock-model/server.ts";

/** An explorer on a real repository, with a model that says what a test wants it to say. */
export interface ExploreStage {
  readonly server: MockModel;
  readonly made: IndexedRepository;
  /** What was recorded since the test began. */
  calls: ModelCall[];
  agent(options?: Partial<ExploreAgentOptions>): ExploreAgent;
  /** One exploration by an agent of its own; the model goes by the script. */
  explore(
    script: Turn[],
    asked?: Partial<ExploreQuestion>,
    options?: Partial<ExploreAgentOptions>,
  ): Promise<ExploreAnswer>;
}

/** Sets up the stage for the tests of the file or `describe` that calls it. */
export function setExploreStage(files: readonly PlannedFile[], provider: Provider = "anthropic"): ExploreStage {
  let server: MockModel | undefined;
  let made: IndexedRepository | undefined;
  const calls: ModelCall[] = [];
  beforeAll(async () => {
    server = await startMockModel();
    made = await indexedRepository([{ files }]);
  });
  afterAll(async () => {
    await server?.close();
    await made?.remove();
  });
  beforeEach(() => {
    calls.length = 0;
  });
  const stage: ExploreStage = {
    calls,
    get server() {
      return running(server);
    },
    get made() {
      return running(made);
    },
    agent: (options = {}) =>
      createExploreAgent({
        model: createAgentModel({
          models: [
            { provider, name: "priced", apiKey: "sk-test-0123456789abcdefghij", baseUrl: stage.server.url(provider) },
          ],
          prices: { models: [{ model: `${provider}/priced`, input: 10, output: 50 }] },
          clock: systemClock,
          random: () => 0,
          sleep: async () => {},
          onCall: (call) => void calls.push(call),
        }),
        index: stage.made.index,
        prompt: loadPrompt("explorer"),
        random: () => 0.5,
        ...options,
      }),
    explore: async (script, asked = {}, options = {}) => {
      stage.server.script(script);
      calls.length = 0;
      return await stage
        .agent(options)
        .explore({ question: "How is the total of a cart computed?", thoroughness: "quick", ...asked });
    },
  };
  return stage;
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("the stage is used outside of its tests");
  return part;
}

/** An answer of the model with these calls. */
export function calling(...made: [tool: string, input: unknown][]): Turn {
  return { kind: "answer", calls: made.map(([tool, input]) => ({ tool, input: JSON.stringify(input) })) };
}

/** An answer that hands in findings. */
export function submitting(synthesis: string, ...locations: string[]): Turn {
  return calling(["submit_findings", { synthesis, sources: locations.map((location) => ({ location })) }]);
}

/** All that the model was told in its last request, as text of the wire. */
export function toldLast(server: MockModel): string {
  return JSON.stringify(server.requests.at(-1)?.body);
}

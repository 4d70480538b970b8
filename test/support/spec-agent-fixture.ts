import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Complexity } from "../../src/domain/spec.ts";
import { type Repository, openRepository } from "../../src/code/git/repository.ts";
import { lookingTools } from "../../src/code/agent/looking-tools.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { createAgentModel } from "../../src/adapters/models/agent.ts";
import type { Provider } from "../../src/adapters/models/providers/registry.ts";
import { loadPrompt } from "../../src/adapters/models/prompt.ts";
import { type AgentSpecGeneratorOptions, agentSpecGenerator } from "../../src/specification/agent/generator.ts";
import { groundingIn } from "../../src/specification/code.ts";
import { type GeneratedSpec, generateSpec } from "../../src/specification/generate.ts";
import type { SpecGenerator, SpecInput } from "../../src/specification/generator.ts";
import { validateSpec } from "../../src/specification/validate/validate.ts";
import { type IndexedRepository, indexedRepository } from "./indexed-repository.ts";
import { type MockModel, type Turn, startMockModel } from "../mock-model/server.ts";

const LINES = "line of code\n".repeat(100);
const FILES = [
  "src/import/lines.ts",
  "src/import/lines.test.ts",
  "src/notify/mail.ts",
  "src/jobs/queue.ts",
  "src/builds/finish.ts",
  "docs/openapi.yaml",
];

export const specOf = (level: Complexity) =>
  readFileSync(new URL(`../fixtures/specs/${level}.md`, import.meta.url), "utf8");

/** The answer that hands in a spec, with whatever else is to stand in the arguments. */
export function submits(markdown: string, more: Record<string, unknown> = {}): Extract<Turn, { kind: "answer" }> {
  const submission = { spec_markdown: markdown, spec_summary: ["one", "two", "three", "four", "five"], ...more };
  return { kind: "answer", calls: [{ tool: "submit_spec", input: JSON.stringify(submission) }] };
}

export function calls(tool: string, input: unknown): Extract<Turn, { kind: "answer" }> {
  return { kind: "answer", calls: [{ tool, input: JSON.stringify(input) }] };
}

export function explores(...questions: string[]): Extract<Turn, { kind: "answer" }> {
  return {
    kind: "answer",
    calls: questions.map((question) => ({ tool: "explore", input: JSON.stringify({ question }) })),
  };
}

/** A model that writes specs as a test scripts it, for a repository whose files have 100 lines each. */
export function setSpecStage(provider: Provider = "openai-compatible") {
  let server: MockModel | undefined;
  let made: IndexedRepository | undefined;
  let code: Repository | undefined;
  const asked: string[] = [];
  beforeAll(async () => {
    server = await startMockModel();
    made = await indexedRepository([{ files: FILES.map((path) => ({ path, content: LINES })) }]);
    code = await openRepository(made.directory);
  });
  afterAll(async () => {
    await server?.close();
    await code?.close();
    await made?.remove();
  });
  beforeEach(() => {
    asked.length = 0;
  });
  const running = () => {
    if (server === undefined) throw new Error("the stage is used outside of its tests");
    return server;
  };
  const grounded = () => {
    if (code === undefined) throw new Error("the stage is used outside of its tests");
    return groundingIn(code);
  };
  const generator = (options: Partial<AgentSpecGeneratorOptions> = {}): SpecGenerator =>
    agentSpecGenerator({
      model: createAgentModel({
        models: [
          { provider, name: "writer", apiKey: "sk-test-0123456789abcdefghij", baseUrl: running().url(provider) },
        ],
        prices: { models: [{ model: `${provider}/writer`, input: 2, cached_read: 1, cache_write: 2, output: 10 }] },
        clock: systemClock,
        random: () => 0,
        sleep: async () => {},
        onCall: () => {},
      }),
      explore: async ({ question }) => {
        asked.push(question);
        return await Promise.resolve({
          kind: "answered",
          synthesis: `What is known of ${question}.`,
          sources: [{ location: "src/jobs/queue.ts:22-61", snippet: "retry()" }],
        });
      },
      prompts: { spec: loadPrompt("spec") },
      random: Math.random,
      ...options,
    });
  return {
    asked,
    generator,
    /** Short looks at the code of the stage. */
    look: () => {
      if (made === undefined) throw new Error("the stage is used outside of its tests");
      return lookingTools(made.index);
    },
    script: (turns: Turn[], options?: { forever?: boolean }) => running().script(turns, options),
    /** What was sent with each request, as one text. */
    requests: () => running().requests.map((request) => JSON.stringify(request.body)),
    bodies: () => running().requests.map((request) => request.body),
    /** Writes a spec as the flow does: with three attempts, checked against the commit, and corrected. */
    run: async (input: SpecInput, options: Partial<AgentSpecGeneratorOptions> = {}): Promise<GeneratedSpec> =>
      await generateSpec(input, {
        finish: (markdown) => markdown,
        generator: generator(options),
        log: silentLog,
        validate: async ({ markdown, complexity }) =>
          await validateSpec(markdown, {
            complexity,
            grounding: {
              gapNumbers: new Set(input.closedGaps.map((gap) => gap.number)),
              findings: input.findings.map(({ number, id }) => ({ number, id, removed: null })),
              messageCount: input.messages.length,
              mustCover: input.closedGaps.map((gap) => gap.number),
              code: grounded(),
            },
          }),
      }),
  };
}

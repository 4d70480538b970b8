import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentRequest } from "../../../src/adapters/agents/agent.ts";
import { type AgentChoice, codingAgent } from "../../../src/adapters/agents/coding-agent.ts";
import { agentStage, TEST_KEY } from "../../support/coding-agent-fixture.ts";
import { serveAgentsModel } from "./agents-model.ts";

/** Where `npm install --prefix DIR` put the real ones; CONTRIBUTING says which. */
const installed = process.env["RELAY_TEST_AGENTS"];
const programs = join(installed ?? "/nowhere", "node_modules/.bin");

interface Real {
  program: string;
  choice: Omit<AgentChoice, "sandboxed">;
  model: AgentRequest["model"];
}

const anthropic = { provider: "anthropic", name: "claude-sonnet-4-5" };
const openai = { provider: "openai", name: "gpt-5.1-codex" };
const google = { provider: "google", name: "gemini-2.5-pro" };
const compatible = { provider: "openai-compatible", name: "qwen3:32b" };

const reals: Real[] = [
  { program: "claude", choice: { name: "claude" }, model: anthropic },
  { program: "codex", choice: { name: "codex" }, model: openai },
  { program: "opencode", choice: { name: "opencode" }, model: anthropic },
  { program: "opencode", choice: { name: "opencode" }, model: compatible },
  { program: "gemini", choice: { name: "gemini" }, model: google },
  { program: "pi", choice: { name: "pi" }, model: anthropic },
  { program: "pi", choice: { name: "pi" }, model: compatible },
  { program: "opencode", choice: { name: "acp", command: ["opencode", "acp"] }, model: compatible },
  { program: "claude-agent-acp", choice: { name: "acp", command: ["claude-agent-acp"] }, model: anthropic },
  { program: "codex-acp", choice: { name: "acp", command: ["codex-acp"] }, model: openai },
  { program: "gemini", choice: { name: "acp", command: ["gemini", "--acp", "--model", "{model}"] }, model: google },
];

describe.each(reals)("the real $program as $choice.name with $model.provider", ({ program, choice, model }) => {
  const there = installed !== undefined && existsSync(join(programs, program));

  function environmentOf(origin: string): Record<string, string> {
    return {
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_API_KEY: TEST_KEY,
      OPENAI_BASE_URL: `${origin}/v1`,
      OPENAI_API_KEY: TEST_KEY,
      GOOGLE_GEMINI_BASE_URL: origin,
      GEMINI_API_KEY: TEST_KEY,
    };
  }

  test.runIf(there)("writes a file in a repository, and tells what it did", async () => {
    const stage = agentStage([programs]);
    const server = await serveAgentsModel({ file: join(stage.directory, "hello.txt") }, "writes");
    const report = await stage.run(await codingAgent({ ...choice, sandboxed: true }), {
      model,
      prompt: `- Write hello.txt.\n${"It is long. ".repeat(10_000)}\nThe last line of the task.`,
      environment: environmentOf(server.origin),
    });
    expect(report).toMatchObject({ ending: { kind: "finished" } });
    expect(stage.changes()).toBe("?? hello.txt");
    expect(report.summary).toMatch(/All done/);
    expect(server.heard()).toMatch(/The last line of the task/);
  });

  test.runIf(there)("says that no other run would fare better where its key is refused", async () => {
    const stage = agentStage([programs]);
    const server = await serveAgentsModel({ file: join(stage.directory, "hello.txt") }, "refuses");
    const report = await stage.run(await codingAgent({ ...choice, sandboxed: true }), {
      model,
      environment: environmentOf(server.origin),
    });
    expect(report.ending).toMatchObject({ kind: "failed", usable: false });
    expect(JSON.stringify(report)).not.toContain(TEST_KEY);
  });
});

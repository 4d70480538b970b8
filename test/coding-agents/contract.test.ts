import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { codingAgent } from "../../src/agents/coding-agent.ts";
import type { TriedAgent } from "../contracts/coding-agent.ts";
import { describeCodingAgent } from "../contracts/coding-agent.ts";

const programs = mkdtempSync(join(tmpdir(), "relay-agents-"));
afterAll(() => rmSync(programs, { recursive: true, force: true }));

/** A program that is an agent of our own under the name of a real one. */
function install(program: string, child: string, name = ""): void {
  const script = join(import.meta.dirname, "../children", child);
  const node = `"${process.execPath}" --no-warnings "${script}"`;
  writeFileSync(join(programs, program), `#!/bin/sh\nexec ${node} ${name} "$@"\n`, { mode: 0o755 });
}

const ALL = { tools: true, limits: true, tokens: true, usd: true };
const TEXT = { tools: false, limits: false, tokens: false, usd: false };

for (const name of ["claude", "codex", "opencode", "gemini", "cursor", "pi"] as const) {
  const agent = codingAgent({ name, sandboxed: true });
  const tells: Record<typeof name, TriedAgent["tells"]> = {
    claude: ALL,
    codex: { ...ALL, limits: false, usd: false },
    opencode: { ...ALL, limits: false },
    gemini: { ...ALL, usd: false },
    cursor: { ...ALL, limits: false, tokens: false, usd: false },
    pi: TEXT,
  };
  install(agent.program ?? "", "fake-agent.ts", name);
  describeCodingAgent(name, () => ({ agent, programs, tells: tells[name] }));
}

install("own-agent", "fake-agent.ts", "command");
for (const words of [["own-agent", "--read", "{prompt_file}"], ["own-agent", "--yes", "{prompt}"], ["own-agent"]]) {
  const agent = codingAgent({ name: "command", sandboxed: true, command: words });
  describeCodingAgent(words.join(" "), () => ({ agent, programs, tells: TEXT }));
}

install("acp-agent", "fake-acp-agent.ts");
describeCodingAgent("acp", () => ({
  agent: codingAgent({ name: "acp", sandboxed: true, command: ["acp-agent", "{directory}"] }),
  programs,
  tells: { ...ALL, tokens: false },
}));

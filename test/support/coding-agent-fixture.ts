import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { AgentEntry, AgentReport, AgentRequest, CodingAgent } from "../../src/adapters/agents/agent.ts";
import type { Launch } from "../../src/lib/launch.ts";
import { start } from "../../src/adapters/sandbox/process.ts";

/** A repository for an agent to work in, and all that a run of one is given. */
export interface AgentStage {
  /** The tree. */
  directory: string;
  /** The agent's folder. */
  home: string;
  /** What git says has changed in it, one line for each file. */
  changes(): string;
  run: (agent: CodingAgent, changes?: Partial<AgentRequest>) => Promise<AgentReport & { entries: AgentEntry[] }>;
}

export const TEST_KEY = "key-of-the-test-0123456789";

/** Programs are looked for in `programs` first; they get nothing of this process's environment. */
export function agentStage(programs: readonly string[]): AgentStage {
  const folder = mkdtempSync(join(tmpdir(), "relay-agent-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const directory = join(folder, "tree");
  mkdirSync(directory);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: directory, encoding: "utf8", stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(directory, "README.md"), "A tree.\n");
  git("add", "-A");
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "Begin");
  const path = [...programs, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  const launch: Launch = async (request) =>
    await start({ ...request, environment: { PATH: path, LANG: "C.UTF-8", ...request.environment } });
  const home = join(folder, "home");
  return {
    directory,
    home,
    changes: () => git("status", "--short", "--untracked-files=all").trim(),
    run: async (agent, changes = {}) => {
      const entries: AgentEntry[] = [];
      const report = await agent.run({
        prompt: "Write hello.txt.",
        directory,
        home,
        environment: {},
        model: null,
        timeoutMs: 240_000,
        mostOutputBytes: 20_000_000,
        maxTurns: null,
        maxUsd: null,
        launch,
        ...changes,
        onEntry: (entry) => {
          entries.push(entry);
          changes.onEntry?.(entry);
        },
      });
      return { ...report, entries };
    },
  };
}

import type { AgentRequest, CodingAgent } from "../../adapters/agents/agent.ts";
import type { IterationFacts } from "../../domain/work.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Launch } from "../../lib/launch.ts";
import type { WorkLimits } from "./work-order.ts";
import type { RunLog } from "./run-log.ts";
import type { Author, ChangeRules, Workspace } from "./workspace/workspace.ts";

/** What a run works with. */
export interface RunContext {
  workspace: Workspace;
  agent: CodingAgent;
  /** Into the sandbox of the agent, which reaches its model. */
  launch: Launch;
  /** Into that of the commands of the repository. */
  commandLaunch: Launch;
  /** For the agent alone: its model's key and address. */
  environment: Readonly<Record<string, string>>;
  /** For the commands of the repository. */
  commandEnvironment: Readonly<Record<string, string>>;
  model: AgentRequest["model"];
  limits: WorkLimits;
  rules: ChangeRules;
  author: Author;
  clock: Clock;
  /** From 0 up to, not including, 1: for the boundaries of what others wrote. */
  random: () => number;
  log: RunLog;
  /** Ends the run, at any point. */
  signal: AbortSignal;
  /** What the run came to before a crash; the first look of an earlier run of the same branch; empty otherwise. */
  earlier: readonly IterationFacts[];
  /** Stores how far the run came; the run ends with its error where it throws. */
  onIteration: (facts: IterationFacts) => Promise<void>;
}

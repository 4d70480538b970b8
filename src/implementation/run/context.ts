import type { AgentRequest, CodingAgent } from "../../adapters/agents/agent.ts";
import type { ModelGateway } from "../../adapters/models/gateway.ts";
import type { CommitAuthor, IterationFacts } from "../../domain/work.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Launch } from "../../lib/launch.ts";
import type { WorkLimits } from "./work-order.ts";
import type { RunLog } from "./run-log.ts";
import type { ChangeRules, Workspace } from "./workspace/workspace.ts";

/** The workspace, programs, limits and rules of a run. */
export interface RunContext {
  workspace: Workspace;
  agent: CodingAgent;
  /** Launches programs in the agent's sandbox, which can reach its model. */
  launch: Launch;
  /** Launches the repository's commands in their own sandbox. */
  commandLaunch: Launch;
  /** Opens another sandbox for them, around another tree. */
  openCommands: (tree: Workspace) => Promise<CommandSandbox>;
  /** For the agent alone: its model's key and address. */
  environment: Readonly<Record<string, string>>;
  /** For the repository's commands. */
  commandEnvironment: Readonly<Record<string, string>>;
  network: NetworkSeen;
  model: AgentRequest["model"];
  /** The gateway to the agent's model, which counts what the agent uses. */
  gateway: Pick<ModelGateway, "allow" | "read" | "last">;
  /** The operator's scanner of finished changes, run by `sh -c`; null without one. */
  scanCommand: string | null;
  limits: WorkLimits;
  rules: ChangeRules;
  author: CommitAuthor;
  clock: Clock;
  /** Returns a number in [0, 1), for the boundaries of fenced text. */
  random: () => number;
  log: RunLog;
  /** Ends the run, at any point. */
  signal: AbortSignal;
  /** Iterations before a crash, or the baseline of an earlier run of the same branch; empty otherwise. */
  earlier: readonly IterationFacts[];
  /** Stores an iteration; an error ends the run. */
  onIteration: (facts: IterationFacts) => Promise<void>;
  /** Stores the cost of an attempt that an outage ended before it changed anything; an error ends the run. */
  onInterrupted: (facts: IterationFacts) => Promise<void>;
  /**
   * Stores the last iteration's checks, proof, duration and concerns once the change is done; an error ends the run.
   */
  onProof: (facts: IterationFacts) => Promise<void>;
}

/** What commands in a sandbox may reach on the network, and what they failed to reach. */
export interface NetworkSeen {
  /** Whether they may reach any host. */
  isOpen: boolean;
  /** Whether a host that is not in `work.network` was refused to them. */
  wasRefused: () => boolean;
  /** Descriptions of failed attempts to reach allowed hosts. */
  unreached: () => readonly string[];
}

export interface CommandSandbox extends Pick<RunContext, "commandLaunch" | "commandEnvironment" | "network"> {
  close: () => Promise<void>;
}

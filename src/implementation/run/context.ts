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
  /** For the commands of the repository. */
  commandEnvironment: Readonly<Record<string, string>>;
  network: NetworkSeen;
  model: AgentRequest["model"];
  /** Counts what the agent uses of its model. */
  gateway: Pick<ModelGateway, "allow" | "read" | "last">;
  /** The operator's scanner of finished changes, for `sh -c`; null without one. */
  scanCommand: string | null;
  limits: WorkLimits;
  rules: ChangeRules;
  author: CommitAuthor;
  clock: Clock;
  /** In [0, 1): for the boundaries of fenced text. */
  random: () => number;
  log: RunLog;
  /** Ends the run, at any point. */
  signal: AbortSignal;
  /** Iterations before a crash, or the baseline of an earlier run of the same branch; empty otherwise. */
  earlier: readonly IterationFacts[];
  /** Stores an iteration; an error ends the run. */
  onIteration: (facts: IterationFacts) => Promise<void>;
  /** Stores what an attempt cost that an outage ended before it changed anything; an error ends the run. */
  onInterrupted: (facts: IterationFacts) => Promise<void>;
  /** Stores the last iteration's checks, proof, duration and concerns, once the change is done; an error ends the run. */
  onProof: (facts: IterationFacts) => Promise<void>;
}

/** What the commands of a sandbox may reach of the network, and did not. */
export interface NetworkSeen {
  /** Whether they may reach any host. */
  isOpen: boolean;
  /** Whether a host was refused to them that is not in `work.network`. */
  wasRefused: () => boolean;
  /** Attempts at allowed hosts that could not be reached, in words. */
  unreached: () => readonly string[];
}

export interface CommandSandbox extends Pick<RunContext, "commandLaunch" | "commandEnvironment" | "network"> {
  close: () => Promise<void>;
}

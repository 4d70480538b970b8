import type { AgentTokens } from "../../domain/work.ts";
import type { Launch } from "../../lib/launch.ts";

/** One fresh run of a coding agent in a working tree (R-WORK-2). */
export interface AgentRequest {
  /** The whole task: it knows nothing of earlier runs. */
  prompt: string;
  /** Absolute path of the working tree that it may change. */
  directory: string;
  /** Its own writable folder for settings and sessions, empty at the first run. */
  home: string;
  /** Variables for the agent: the model's key and address. No credentials of Relay's are among them. */
  environment: Readonly<Record<string, string>>;
  /** The model's provider, and its name there; null for the agent's own choice. */
  model: { provider: string; name: string } | null;
  timeoutMs: number;
  mostOutputBytes: number;
  /** Enforced by agents that have such limits; null for none. */
  maxTurns: number | null;
  maxUsd: number | null;
  launch: Launch;
  signal?: AbortSignal;
  /** Receives the messages and actions that it reports, for the live log. Never throws. */
  onEntry: (entry: AgentEntry) => void;
}

export interface AgentEntry {
  kind: "said" | "tool" | "output";
  text: string;
}

/**
 * How the agent ended, by its own report. Only the working tree shows the result: an agent may report `finished` and
 * have done nothing, or fail after the work was done.
 */
export type AgentEnding =
  | { kind: "finished" }
  /** It reached a limit of its own: turns, dollars. */
  | { kind: "limit"; detail: string }
  /** It ran out of time or output, or was stopped. */
  | { kind: "timeout" | "flooded" | "stopped"; detail?: string }
  /**
   * It ended with an error; `usable: false` if another run would fail as well (no key, no such program), `passing:
   * true` if it reports an outage.
   */
  | { kind: "failed"; detail: string; usable: boolean; passing?: boolean };

export interface AgentReport {
  ending: AgentEnding;
  /** Its last words, at most 4,000 characters; empty if it has none. */
  summary: string;
  /** Actions that it was denied, one line each. */
  denied: string[];
  /** Null where it reports none. */
  usd: number | null;
  /** Null where it reports none. */
  tokens: AgentTokens | null;
}

/** A coding agent (R-WORK-3). Relay itself writes no code. */
export interface CodingAgent {
  /** Its name in the configuration: `claude`, `codex`, `acp`, … */
  readonly name: string;
  /** The program that it runs; null for one that runs none. */
  readonly program: string | null;
  /** The oldest version of the program that is known to work; absent where none is. */
  readonly oldest?: string;
  /** Hosts that it needs, besides the model's address. */
  readonly hosts: readonly string[];
  /** Models that it uses by itself beside this one, as `provider/name` with one `*` at most. */
  readonly ownModels?: (model: string | null) => readonly string[];
  /** Variables for its model's key and address; passed on if they are set. */
  readonly variables: readonly string[];
  /** The variable that it requires, for people; absent if that depends, or is unknown. */
  readonly needs?: string;
  /** It may run without any of them, so `relay doctor` requires none. */
  readonly keyless?: true;
  /**
   * Runs it once; resolves when it and all of its children are gone. Throws `RelayError` `config` only if it could not
   * be started.
   */
  run(request: AgentRequest): Promise<AgentReport>;
}

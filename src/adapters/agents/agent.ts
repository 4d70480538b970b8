import type { AgentTokens } from "../../domain/work.ts";
import type { Launch } from "../../lib/launch.ts";

/** One fresh run of a coding agent in a working tree (R-WORK-2). */
export interface AgentRequest {
  /** All that it is told: it knows nothing of runs before. */
  prompt: string;
  /** Absolute path of the working tree that it may change. */
  directory: string;
  /** An own, writable folder for its settings and sessions, empty at the first run. */
  home: string;
  /** Variables for the agent: the model's key and address. No credentials of Relay's are among them. */
  environment: Readonly<Record<string, string>>;
  /** Name of the model, as its provider calls it, and who provides it; null for the agent's own choice. */
  model: { provider: string; name: string } | null;
  timeoutMs: number;
  mostOutputBytes: number;
  /** Where the agent has such limits of its own; null for none. */
  maxTurns: number | null;
  maxUsd: number | null;
  launch: Launch;
  signal?: AbortSignal;
  /** What it says and does, as far as it tells: for the live log. Never throws. */
  onEntry: (entry: AgentEntry) => void;
}

export interface AgentEntry {
  kind: "said" | "tool" | "output";
  text: string;
}

/**
 * How the agent says that it came to an end. What it did is told by the working tree alone: an agent may say `finished`
 * and have done nothing, or fail after the work was done.
 */
export type AgentEnding =
  | { kind: "finished" }
  /** A limit of its own: turns, money. */
  | { kind: "limit"; detail: string }
  /** Milliseconds or bytes were used up, or somebody stopped it. */
  | { kind: "timeout" | "flooded" | "stopped" }
  /** It ended with an error; `usable: false` where no other run would fare better (no key, no such program). */
  | { kind: "failed"; detail: string; usable: boolean };

export interface AgentReport {
  ending: AgentEnding;
  /** Its last words, at most 4,000 characters; empty where it has none. */
  summary: string;
  /** What it was not allowed to do, one line each. */
  denied: string[];
  /** Null where it does not tell. */
  usd: number | null;
  /** Null where it does not tell. */
  tokens: AgentTokens | null;
}

/** A coding agent (R-WORK-3). Relay itself writes no code. */
export interface CodingAgent {
  /** As the configuration calls it: `claude`, `codex`, `acp`, … */
  readonly name: string;
  /** The program that it runs; null for one that runs none. */
  readonly program: string | null;
  /** Hosts that it must reach, beside the one of the model's own address. */
  readonly hosts: readonly string[];
  /** Names of the variables with which its model's key and address are given; passed on where they are set. */
  readonly variables: readonly string[];
  /** The one that it cannot do without, for people; left out where that depends, or is not known. */
  readonly needs?: string;
  /** It may well run without any of them: `relay doctor` asks for none. */
  readonly keyless?: true;
  /**
   * Runs it once, and ends with it and all of its children gone. Throws `RelayError` only where it could not be started
   * (`config`).
   */
  run(request: AgentRequest): Promise<AgentReport>;
}

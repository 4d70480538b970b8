import type { AgentRequest, CodingAgent } from "./agent.ts";
import type { Emit, Transcript } from "./transcript.ts";

/** The input for an agent's settings and command line. */
export interface Start extends Pick<AgentRequest, "prompt" | "directory" | "environment" | "model"> {
  /** Its HOME: a new folder for this run only. */
  home: string;
  maxTurns: number | null;
  maxUsd: number | null;
  freedom: Freedom;
}

/**
 * What an agent may do without approval. In Relay's sandbox: everything, since its own sandbox cannot nest there, and
 * no one can approve. Without one it may edit the tree, but run commands only within its own sandbox.
 */
export type Freedom = "everything" | "edits";

export interface Settings {
  /** Relative to its home. */
  files: readonly { path: string; text: string }[];
  environment: Readonly<Record<string, string>>;
}

/** Arguments and input. Prompts go over stdin where an agent reads it: arguments are limited, and visible to all. */
export interface Call {
  args: readonly string[];
  input: string | null;
}

/** A well-known command-line agent: its data, command line and output format. */
export interface Preset {
  program: string;
  /** The oldest version that was tried with these options; absent where none was. */
  oldest?: string;
  /** Adapters for the Agent Client Protocol, if its own program does not speak it. */
  adapters?: readonly string[];
  hosts: readonly string[];
  variables: readonly string[];
  /** Models that it uses by itself besides the configured one, as `provider/name` with one `*` at most. */
  ownModels?: (model: string | null) => readonly string[];
  /** The key that it requires, for people; absent if some of its models need none. */
  needs?: string;
  settings: (start: Start) => Settings;
  call: (start: Start) => Call;
  /** Reads one event of its JSON lines; null for an agent that prints plain text. */
  readEvent: ((event: unknown, transcript: Transcript, emit: Emit) => void) | null;
  /** Reads files in its home that have more than its output. Never throws. */
  readHome?: (home: string, transcript: Transcript) => Promise<void>;
}

/** Settings of the agents that need some. */
export interface AgentSettings {
  /** Program and arguments, with placeholders. */
  command?: readonly string[];
  /** Absolute path of a patch. */
  patch?: string;
}

/** Builds an agent from its settings. Throws `config` if one is missing. */
export type OpenAgent = (settings: AgentSettings, freedom: Freedom, presets: readonly Preset[]) => CodingAgent;

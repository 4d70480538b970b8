import type { AgentRequest, CodingAgent } from "./agent.ts";
import type { Emit, Transcript } from "./transcript.ts";

/** What the settings and the command line of an agent are made from. */
export interface Start extends Pick<AgentRequest, "prompt" | "directory" | "environment" | "model"> {
  /** A new folder of this run alone: its HOME. */
  home: string;
  maxTurns: number | null;
  maxUsd: number | null;
  freedom: Freedom;
}

/**
 * What an agent may do unasked. In a sandbox of Relay's it is everything: its own sandbox would nest in ours, and nobody
 * is there to be asked. Without one it may edit the tree, but not run commands that only its own rules would hold.
 */
export type Freedom = "everything" | "edits";

export interface Settings {
  /** Relative to its home. */
  files: readonly { path: string; text: string }[];
  environment: Readonly<Record<string, string>>;
}

/** How it is told what to do. Prompts go over stdin where an agent reads it: arguments are short, and seen by all. */
export interface Call {
  args: readonly string[];
  input: string | null;
}

/** A well-known command-line agent: data, and how to call it and read its output. */
export interface Preset {
  program: string;
  /** Adapters with which it speaks the Agent Client Protocol, where its own program does not. */
  adapters?: readonly string[];
  hosts: readonly string[];
  variables: readonly string[];
  /** The key that it cannot do without, for people; left out where some of its models need none. */
  needs?: string;
  settings: (start: Start) => Settings;
  call: (start: Start) => Call;
  /** Reads one event of its JSON lines; null for an agent that prints plain text. */
  readEvent: ((event: unknown, transcript: Transcript, emit: Emit) => void) | null;
  /** Reads files that it left in its home, where they tell more than its output. Never throws. */
  readHome?: (home: string, transcript: Transcript) => Promise<void>;
}

/** Settings of the agents that need some. */
export interface AgentSettings {
  /** Program and arguments, with placeholders. */
  command?: readonly string[];
  /** Absolute path of a patch. */
  patch?: string;
}

/** Builds an agent from its settings. Throws `config` where one is missing. */
export type OpenAgent = (settings: AgentSettings, freedom: Freedom, presets: readonly Preset[]) => CodingAgent;

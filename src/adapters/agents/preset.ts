import type { AgentTokens } from "../../domain/work.ts";
import type { AgentEntry, AgentRequest } from "./agent.ts";

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

/** What was heard from an agent so far. */
export interface Heard {
  /** Its last words. */
  summary: string;
  denied: string[];
  usd: number | null;
  tokens: AgentTokens | null;
  /** Which limit of its own it met. */
  limit: string | null;
  /** What it ended with, where it ended badly. */
  error: string | null;
}

export type Tell = (kind: AgentEntry["kind"], text: string) => void;

/** A well-known command-line agent: data, and how it is spoken to and understood. */
export interface Preset {
  name: string;
  program: string;
  hosts: readonly string[];
  variables: readonly string[];
  /** Without what it can do nothing, for people; left out where some of its models need no key. */
  needs?: string;
  settings(start: Start): Settings;
  call(start: Start): Call;
  /** Takes one event of its JSON lines; null for an agent that prints text, all of which is what it says. */
  hear: ((event: unknown, heard: Heard, tell: Tell) => void) | null;
  /** Reads what it left in its home, where that tells more than what it printed. Never throws. */
  readHome?: (home: string, heard: Heard) => Promise<void>;
}

import type { createAnthropic } from "@ai-sdk/anthropic";
import type { Usage } from "../usage.ts";

/*
 * The AI SDK's providers translate between one form of prompt and answer and the wire protocols. Its agent loop is not
 * used: retries, limits, timeouts, the record of every attempt and the handling of wrong tool calls are Relay's own,
 * and the same for all. Only the files of this folder import it, each when its first model is opened.
 */

export type Fetch = typeof globalThis.fetch;
export type LanguageModel = ReturnType<ReturnType<typeof createAnthropic>["languageModel"]>;
export type CallOptions = Parameters<LanguageModel["doStream"]>[0];
type AnswerStream = Awaited<ReturnType<LanguageModel["doStream"]>>["stream"];
export type StreamPart = AnswerStream extends ReadableStream<infer Part> ? Part : never;
export type Prompt = CallOptions["prompt"];
export type Metadata = NonNullable<Extract<StreamPart, { type: "text-start" }>["providerMetadata"]>;
export type ProviderOptions = NonNullable<CallOptions["providerOptions"]>;

/** A model at its server. The key leaves this value only in a header of the provider's own form. */
export interface Endpoint {
  name: string;
  /** Null for servers that want none. */
  apiKey: string | null;
  baseUrl: string;
  fetch: Fetch;
}

export interface OpenModel {
  model: LanguageModel;
  /** Makes the next request omit the parameter that this message rejects; false if nothing can be omitted. */
  adapt?: (refusal: string) => boolean;
}

/** Token counts that a provider sends before the end of its answer; null for those it has not sent. */
export interface EarlyCounts {
  input: number | null;
  output: number | null;
}

interface AgentKey {
  variable: string;
  headers: (key: string) => Record<string, string>;
}

/** How coding agents get a key and a base URL for the provider. */
export interface AgentAccess {
  /** Variables that hold a key, and the headers that a key goes into. */
  keys: readonly [AgentKey, ...AgentKey[]];
  /** The variable that holds the address. */
  address: string;
  /** The provider's own address, in the form that this variable takes. */
  url: string;
  /** The version that other programs expect after the address; null if the address has it. */
  version: string | null;
}

/** Token counts of an answer, or of an event of its stream; those that it does not report are left out. */
export type Counts = Partial<Omit<Usage, "estimated">>;

/** A call of a provider's protocol. */
export interface GatewayCall {
  method: "GET" | "POST";
  /** Its path after the address that agents get; the group `model` is the model's name if the body does not have it. */
  path: RegExp;
  /** Whether the provider charges for it. */
  paid: boolean;
}

/** What coding agents may ask of a provider through Relay (R-WORK-13). */
export interface GatewayRules {
  calls: readonly GatewayCall[];
  /** What a request asks for that leads out of the sandbox or escapes the count, in words; null if nothing does. */
  refuses: (body: Readonly<Record<string, unknown>>) => string | null;
  /** Characters of the answer that one event of its stream brings. */
  written: (event: unknown) => number;
}

/** A provider of models: one file, and one line in the registry. */
export interface ModelProvider {
  /** As in `provider/name`. */
  name: string;
  /** Variables that may hold Relay's key; the first that is set counts. */
  keys: readonly string[];
  /** The variable that may hold another address; null for none. */
  addressVariable: string | null;
  /** Its own address; null for servers that people run themselves, which may want no key either. */
  address: string | null;
  /** Path for an address that names only a host. */
  path: string;
  agents: AgentAccess;
  open: (endpoint: Endpoint) => Promise<OpenModel>;
  /** Sent with every request. */
  options?: ProviderOptions;
  /** Marks the end of a cacheable prefix; left out where the provider finds prefixes by itself. */
  cacheBreakpoint?: ProviderOptions;
  gateway: GatewayRules;
  /** Token counts in one raw event of a stream, or in an answer of one piece. */
  counts: (event: unknown) => Counts;
}

/** The header that most providers read a key from. */
export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

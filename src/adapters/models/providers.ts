import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { RelayError } from "../../lib/errors.ts";
import type { Concession } from "./compat.ts";
import { concede } from "./compat.ts";
import type { Provider } from "./names.ts";

/*
 * The AI SDK's providers translate between one form of prompt and answer and the three wire protocols. Its agent loop
 * is not used: retries, limits, time-outs, the record of every attempt and what a wrong tool call means are ours, and
 * must be the same for all. This is the only file that imports it.
 */

/** One model, and how to reach it. The key never leaves this value except in a header of the provider's own form. */
export interface ModelConnection {
  provider: Provider;
  name: string;
  /** Null for servers that want none. */
  apiKey: string | null;
  /** Null for the provider's own address. */
  baseUrl: string | null;
}

export type Fetch = typeof globalThis.fetch;
export type LanguageModel = ReturnType<ReturnType<typeof createAnthropic>["languageModel"]>;
export type CallOptions = Parameters<LanguageModel["doStream"]>[0];
type AnswerStream = Awaited<ReturnType<LanguageModel["doStream"]>>["stream"];
export type StreamPart = AnswerStream extends ReadableStream<infer Part> ? Part : never;
export type Prompt = CallOptions["prompt"];
export type Metadata = NonNullable<Extract<StreamPart, { type: "text-start" }>["providerMetadata"]>;

/** Given here, so that the SDK does not look for others in the environment: only config.ts reads that. */
const ADDRESSES = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** Throws `config` for a server that has no address. `conceded` may grow between calls. */
export function languageModel(
  connection: ModelConnection,
  fetch: Fetch,
  conceded: ReadonlySet<Concession> = new Set(),
): LanguageModel {
  const { provider, name, baseUrl } = connection;
  const apiKey = connection.apiKey ?? "";
  switch (provider) {
    case "anthropic":
      return createAnthropic({ apiKey, baseURL: baseUrl ?? ADDRESSES.anthropic, fetch }).languageModel(name);
    case "openai":
      return createOpenAI({ apiKey, baseURL: baseUrl ?? ADDRESSES.openai, fetch }).responses(name);
    case "google":
      return createGoogle({ apiKey, baseURL: baseUrl ?? ADDRESSES.google, fetch }).languageModel(name);
    case "openai-compatible": {
      if (baseUrl === null) {
        throw new RelayError(
          "config",
          `openai-compatible/${name} needs the address of its server; set RELAY_MODEL_BASE_URL`,
        );
      }
      // Without includeUsage such servers tell no tokens when they stream.
      const settings = {
        name: "compatible",
        baseURL: baseUrl,
        fetch,
        includeUsage: true,
        transformRequestBody: (body: Record<string, unknown>) => concede(body, conceded),
      };
      return createOpenAICompatible(apiKey === "" ? settings : { ...settings, apiKey }).chatModel(name);
    }
  }
  return provider satisfies never;
}

import type { AnswerPart } from "./conversation.ts";
import type { Counts, EarlyCounts, Metadata, ModelProvider, StreamPart } from "./providers/provider.ts";
import type { Usage } from "./usage.ts";

/** An answer while it streams in; readable at any time, however it ends. */
export interface IncomingAnswer {
  take(part: StreamPart): void;
  parts(): AnswerPart[];
  /** All text, reasoning and tool arguments so far, also of unfinished calls: everything that was paid for. */
  said(): string;
  /** At least the length of that. */
  characters(): number;
  /** Null until the provider ended the answer. */
  finish(): { reason: Finish; raw: string } | null;
  /** The counts that came with the end of the answer; null before. */
  usage(): Usage | null;
  known(): EarlyCounts;
}

export type Finish = "stop" | "tool_calls" | "length" | "refused" | "broken" | "other";

type Reported = Extract<StreamPart, { type: "finish" }>["usage"];

/** Characters that a call counts besides its arguments, so that empty calls are bounded as well. */
const CALL_CHARACTERS = 50;

/** Collects the parts of one streamed answer; the caller handles `error` parts. */
export function incomingAnswer({ counts }: Partial<Pick<ModelProvider, "counts">> = {}): IncomingAnswer {
  const open = new Map<string, Extract<AnswerPart, { type: "text" | "reasoning" }>>();
  const parts: AnswerPart[] = [];
  /** Arguments of calls that are still coming in. */
  const unfinished = new Map<string, string>();
  let characters = 0;
  let finish: { reason: Finish; raw: string } | null = null;
  let usage: Usage | null = null;
  const known: EarlyCounts = { input: null, output: null };

  const takeCounts = ({ input, output }: Counts) => {
    known.input = input ?? known.input;
    known.output = output ?? known.output;
  };

  const begin = (type: "text" | "reasoning", id: string, metadata: Metadata | undefined) => {
    const part = { type, text: "", metadata };
    open.set(`${type} ${id}`, part);
    parts.push(part);
    return part;
  };

  // Some servers give all calls of an answer the same id, which would mix up their results.
  const ids = new Map<string, number>();
  const unique = (id: string): string => {
    const times = (ids.get(id) ?? 0) + 1;
    ids.set(id, times);
    return times === 1 ? id : unique(`${id}-${times}`);
  };

  return {
    take(part) {
      switch (part.type) {
        case "text-start":
        case "reasoning-start":
          begin(part.type === "text-start" ? "text" : "reasoning", part.id, part.providerMetadata);
          return;
        case "text-delta":
        case "reasoning-delta": {
          const type = part.type === "text-delta" ? "text" : "reasoning";
          const into = open.get(`${type} ${part.id}`) ?? begin(type, part.id, undefined);
          into.text += part.delta;
          into.metadata = merged(into.metadata, part.providerMetadata);
          characters += part.delta.length;
          return;
        }
        case "text-end":
        case "reasoning-end": {
          const into = open.get(`${part.type === "text-end" ? "text" : "reasoning"} ${part.id}`);
          if (into !== undefined) into.metadata = merged(into.metadata, part.providerMetadata);
          return;
        }
        case "tool-input-delta":
          characters += part.delta.length;
          unfinished.set(part.id, (unfinished.get(part.id) ?? "") + part.delta);
          return;
        case "tool-call":
          // Not every provider sends deltas before a call.
          characters += CALL_CHARACTERS + (unfinished.has(part.toolCallId) ? 0 : part.input.length);
          unfinished.delete(part.toolCallId);
          parts.push({
            type: "call",
            id: unique(part.toolCallId),
            tool: part.toolName,
            input: part.input,
            metadata: part.providerMetadata,
          });
          return;
        case "finish":
          finish = finishOf(part.finishReason);
          usage = usageOf(part.usage);
          return;
        case "raw":
          takeCounts(counts?.(part.rawValue) ?? {});
          return;
        default:
      }
    },
    parts: () => parts,
    said: () =>
      [...parts.map((part) => (part.type === "call" ? part.input : part.text)), ...unfinished.values()].join("\n"),
    characters: () => characters,
    finish: () => finish,
    usage: () => usage,
    known: () => known,
  };
}

function merged(a: Metadata | undefined, b: Metadata | undefined): Metadata | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const providers = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...providers].map((provider) => [provider, { ...a[provider], ...b[provider] }]));
}

function finishOf({ unified, raw }: { unified: string; raw: string | undefined }): { reason: Finish; raw: string } {
  const rawReason = raw ?? unified;
  switch (unified) {
    case "stop":
      return { reason: "stop", raw: rawReason };
    case "tool-calls":
      return { reason: "tool_calls", raw: rawReason };
    case "length":
      return { reason: "length", raw: rawReason };
    case "content-filter":
      return { reason: "refused", raw: rawReason };
    default:
      // The SDK gives this reason if the provider did not end the stream itself.
      return { reason: raw === undefined ? "broken" : "other", raw: rawReason };
  }
}

function usageOf({ inputTokens, outputTokens }: Reported): Usage | null {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return null;
  return {
    input: inputTokens.total,
    cachedInput: inputTokens.cacheRead ?? 0,
    cacheWrite: inputTokens.cacheWrite ?? 0,
    output: outputTokens.total,
    reasoning: outputTokens.reasoning ?? 0,
    estimated: false,
  };
}

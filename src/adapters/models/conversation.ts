import type { Metadata, Prompt } from "./providers/provider.ts";
import { providerOf } from "./providers/registry.ts";
import { isRecord } from "../../lib/text.ts";

/** A part of an answer, with metadata that its provider wants back unchanged (signatures of reasoning). */
export type AnswerPart = { metadata: Metadata | undefined } & (
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "call"; id: string; tool: string; input: string }
);

/** The conversation of a run, in a form that any provider can continue. */
export type Entry =
  | { role: "user"; text: string; cacheBreakpoint: boolean }
  /** From `model`; other models do not get its reasoning, which they cannot verify. */
  | { role: "assistant"; parts: AnswerPart[]; model: string }
  | { role: "tool"; results: { callId: string; tool: string; output: string; isError: boolean }[] };

/** Anthropic takes 4: one after the system prompt (tools come before it), one at the end, and these in between. */
const BREAKPOINTS_BETWEEN = 2;

/**
 * The prompt for `model`, in the order stable to volatile (R-PLAN-11). The end is a breakpoint as well, so that the
 * next step of a run finds the whole of this one in the cache.
 */
export function promptFor(model: string, system: string, conversation: readonly Entry[]): Prompt {
  const breakpoint = providerOf(model.slice(0, model.indexOf("/"))).cacheBreakpoint;
  // Only breakpoints need a user's turns kept apart; many chat templates reject two of them in a row.
  const entries = breakpoint === undefined ? withoutDoubleTurns(conversation) : conversation;
  const wanted = entries
    .slice(0, -1)
    .flatMap((entry, index) => (entry.role === "user" && entry.cacheBreakpoint ? [index] : []));
  const breakpoints = new Set([...wanted.slice(-BREAKPOINTS_BETWEEN), entries.length - 1]);
  const marked = breakpoint === undefined ? {} : { providerOptions: breakpoint };
  return [
    { role: "system", content: system, ...marked },
    ...entries.map((entry, index) => ({ ...message(entry, model), ...(breakpoints.has(index) ? marked : {}) })),
  ];
}

function withoutDoubleTurns(entries: readonly Entry[]): Entry[] {
  const joined: Entry[] = [];
  for (const entry of entries) {
    const last = joined.at(-1);
    if (last?.role !== "user" || entry.role !== "user") joined.push(entry);
    else joined[joined.length - 1] = { ...entry, text: `${last.text}\n\n${entry.text}` };
  }
  return joined;
}

function message(entry: Entry, model: string): Prompt[number] {
  switch (entry.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: entry.text }] };
    case "assistant":
      return { role: "assistant", content: assistantParts(entry, model) };
    case "tool":
      return {
        role: "tool",
        content: entry.results.map(({ callId, tool, output, isError }) => ({
          type: "tool-result",
          toolCallId: callId,
          toolName: tool,
          output: { type: isError ? "error-text" : "text", value: output },
        })),
      };
  }
  return entry satisfies never;
}

type AssistantPart = Extract<Prompt[number], { role: "assistant" }>["content"][number];

function assistantParts(entry: Extract<Entry, { role: "assistant" }>, model: string): AssistantPart[] {
  const own = entry.model === model;
  return entry.parts
    .filter((part) => (part.type === "reasoning" ? own : part.type === "call" || part.text !== ""))
    .map((part) => assistantPart(part, own && part.metadata !== undefined ? { providerOptions: part.metadata } : {}));
}

function assistantPart(part: AnswerPart, options: { providerOptions?: Metadata }): AssistantPart {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, text: part.text, ...options };
    case "call": {
      const input = argumentsOf(part.input) ?? { malformed: part.input.slice(0, MALFORMED_SHOWN) };
      return { type: "tool-call", toolCallId: part.id, toolName: part.tool, input, ...options };
    }
  }
  return part satisfies never;
}

const MALFORMED_SHOWN = 2_000;

/** The arguments of a call, or null unless they are a JSON object; an empty text means none. */
export function argumentsOf(input: string): Record<string, unknown> | null {
  if (input.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    // Some models encode the object twice.
    const decoded: unknown = typeof value === "string" ? JSON.parse(value) : value;
    return isRecord(decoded) ? decoded : null;
  } catch {
    return null;
  }
}

import { expect, test } from "vitest";
import { incomingAnswer } from "./answer.ts";
import { anthropic } from "./providers/anthropic.ts";
import type { StreamPart } from "./providers/provider.ts";

function answerOf(parts: StreamPart[]) {
  const answer = incomingAnswer(anthropic);
  for (const part of parts) answer.take(part);
  return answer;
}

const call = (toolCallId: string, input = "{}"): StreamPart => ({
  type: "tool-call",
  toolCallId,
  toolName: "look",
  input,
});

test("calls that a server gave one id can be told apart", () => {
  const ids = answerOf([call("c"), call("c"), call("c-2"), call("c"), call("d")])
    .parts()
    .map((part) => (part.type === "call" ? part.id : ""));
  expect(new Set(ids).size).toBe(5);
  expect(ids[0]).toBe("c");
});

test("calls without arguments count as well", () => {
  const many = answerOf(Array.from({ length: 10_000 }, () => call("c", "")));
  expect(many.characters()).toBeGreaterThan(260_000);
});

test("what is said in pieces, also in several texts at once, is put together with its metadata", () => {
  const answer = answerOf([
    { type: "reasoning-start", id: "1" },
    { type: "text-start", id: "1", providerMetadata: { x: { a: 1 } } },
    { type: "text-delta", id: "1", delta: "It " },
    { type: "reasoning-delta", id: "1", delta: "hm" },
    { type: "text-delta", id: "1", delta: "rains." },
    { type: "reasoning-end", id: "1", providerMetadata: { x: { signature: "s" } } },
    { type: "text-end", id: "1", providerMetadata: { x: { b: 2 } } },
    { type: "text-delta", id: "unknown", delta: "!" },
  ]);
  expect(answer.parts()).toEqual([
    { type: "reasoning", text: "hm", metadata: { x: { signature: "s" } } },
    { type: "text", text: "It rains.", metadata: { x: { a: 1, b: 2 } } },
    { type: "text", text: "!", metadata: undefined },
  ]);
  expect(answer.characters()).toBe("hmIt rains.!".length);
});

test("arguments of a call that never came to its end are counted as said, and are no call", () => {
  const answer = answerOf([
    { type: "tool-input-start", id: "c", toolName: "look" },
    { type: "tool-input-delta", id: "c", delta: '{"file": "a' },
  ]);
  expect(answer.parts()).toEqual([]);
  expect(answer.said()).toBe('{"file": "a');
  expect(answer.characters()).toBe(11);
});

test("without a finish there is no usage; what raw events told is known", () => {
  const answer = answerOf([
    {
      type: "raw",
      rawValue: { type: "message_start", message: { usage: { input_tokens: 5, cache_read_input_tokens: 7 } } },
    },
    { type: "raw", rawValue: { usage: { input_tokens: -1, output_tokens: "many" } } },
    { type: "raw", rawValue: "nonsense" },
    { type: "raw", rawValue: null },
  ]);
  expect(answer.usage()).toBeNull();
  expect(answer.finish()).toBeNull();
  expect(answer.known()).toEqual({ input: 12, output: null });
});

import { describe, expect, test } from "vitest";
import { type Entry, argumentsOf, promptFor } from "./conversation.ts";

const user = (text: string, cacheBreakpoint = false): Entry => ({ role: "user", text, cacheBreakpoint });
const cached = (entries: Entry[]) =>
  promptFor("anthropic/x", "system", entries).flatMap((message, index) => (message.providerOptions ? [index] : []));

describe("cache breakpoints", () => {
  test("stand after the system prompt, where they are wanted, and at the end", () => {
    expect(cached([user("a", true), user("b"), user("c")])).toEqual([0, 1, 3]);
  });

  test("are never more than the four that a provider takes; the latest count", () => {
    expect(cached([1, 2, 3, 4, 5].map((n) => user(String(n), true)))).toEqual([0, 3, 4, 5]);
    expect(cached([...[1, 2, 3].map((n) => user(String(n), true)), user("end")])).toEqual([0, 2, 3, 4]);
  });

  test("move on with the conversation, and leave what was before as it was", () => {
    const before = [user("a", true), user("b")];
    const words = (entries: Entry[]) =>
      promptFor("anthropic/x", "system", entries).map(({ role, content }) => JSON.stringify([role, content]));
    expect(words([...before, user("c")]).slice(0, 3)).toEqual(words(before));
  });
});

test("turns of the user in a row stay apart for Anthropic's cache, and are one turn for all others", () => {
  const entries = [user("issue", true), user("message", true), user("state")];
  expect(promptFor("anthropic/x", "", entries)).toHaveLength(4);
  for (const model of ["openai/x", "google/x", "openai-compatible/x"]) {
    expect(promptFor(model, "", entries).slice(1)).toMatchObject([
      { role: "user", content: [{ type: "text", text: "issue\n\nmessage\n\nstate" }] },
    ]);
  }
});

test("reasoning goes back to the model that made it, and to no other", () => {
  const entry: Entry = {
    role: "assistant",
    model: "anthropic/x",
    parts: [
      { type: "reasoning", text: "hm", metadata: { anthropic: { signature: "s" } } },
      { type: "text", text: "", metadata: undefined },
      { type: "call", id: "1", tool: "look", input: "{broken", metadata: { anthropic: { kept: true } } },
    ],
  };
  const own = promptFor("anthropic/x", "", [entry])[1];
  expect(own?.content).toMatchObject([{ type: "reasoning", providerOptions: { anthropic: { signature: "s" } } }, {}]);
  const other = promptFor("openai/y", "", [entry])[1];
  expect(other?.content).toEqual([
    { type: "tool-call", toolCallId: "1", toolName: "look", input: { malformed: "{broken" } },
  ]);
});

test.each([
  ["", {}],
  ['{"a": 1}', { a: 1 }],
  ["[1]", null],
  ["null", null],
  ["7", null],
  ['{"a": ', null],
])("arguments are a JSON object or none: %j", (text, expected) => {
  expect(argumentsOf(text)).toEqual(expected);
});

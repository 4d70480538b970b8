import { expect, test } from "vitest";
import { answersSomebody } from "./answers-somebody.ts";

type Said = Parameters<typeof answersSomebody>[0];

/** A thread of [author, words, thread]; Relay is “relay”. */
function threadOf(said: readonly [author: string, content: string, thread?: string][]): Said[] {
  return said.map(([author, content, id], at) => ({
    seq: at + 1,
    author,
    role: author === "relay" ? "self" : "other",
    content,
    externalThreadId: id ?? null,
  }));
}

function lastAnswers(...said: [author: string, content: string, thread?: string][]): boolean {
  const thread = threadOf(said);
  const last = thread.at(-1);
  return last !== undefined && answersSomebody(last, thread);
}

test.each(["yes", "Ja", "yep 👍", "да"])("%j to another person's question is its answer", (yes) => {
  expect(lastAnswers(["ruth", "@mia, are you back from holiday?"], ["mia", yes])).toBe(true);
  expect(lastAnswers(["ruth", "Does Max know?", "t"], ["relay", "plan", "p"], ["mia", yes, "t"])).toBe(true);
  expect(lastAnswers(["ruth", "Does Max know?"], ["relay", "plan"], ["mia", `> Does Max know?\n\n${yes}`])).toBe(true);
});

test("a yes that may be for Relay stays one", () => {
  expect(lastAnswers(["ruth", "Are you back from holiday?"], ["mia", "yes"])).toBe(false);
  expect(lastAnswers(["ruth", "@mia, are you back?"], ["relay", "This is plan 2."], ["mia", "yes"])).toBe(false);
  expect(lastAnswers(["relay", "The plan", "p"], ["mia", "yes", "p"])).toBe(false);
  expect(lastAnswers(["relay", "Reply yes?"], ["mia", "> Reply yes?\n\nyes"])).toBe(false);
  expect(lastAnswers(["ruth", "@mia, are you back?"], ["mia", "Go ahead with the plan."])).toBe(false);
  expect(lastAnswers(["ruth", "@mia I am back."], ["mia", "yes"])).toBe(false);
  expect(lastAnswers(["mia", "@mia?", "t"], ["mia", "yes", "t"])).toBe(false);
});

test.each(["@mia, can you approve this?", "@mia is the plan ok?", "@mia, sollen wir loslegen?", "@mia, 可以吗？"])(
  "so does the answer to %j",
  (question) => {
    expect(lastAnswers(["ruth", question], ["mia", "yes"])).toBe(false);
  },
);

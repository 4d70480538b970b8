import { describe, expect, test } from "vitest";
import type { ConversationMessage } from "../../domain/conversation.ts";
import type { Gap, Topic } from "../../domain/gap.ts";
import { givenAnswer } from "../../domain/given-answer.ts";
import { findAnswers } from "./answers.ts";

const ASKED = new Date("2026-03-01T10:00:00Z");
const LATER = new Date("2026-03-01T11:00:00Z");

function gap(number: number, topic: Topic): Gap {
  return {
    id: `id-${number}`,
    issueId: "1",
    number,
    question: `What about ${topic}, in this very case?`,
    evidence: null,
    severity: "high",
    respondent: "reporter",
    topic,
    proposedDefault: null,
    status: "open",
    askedAt: ASKED,
    askedIn: null,
    closedAt: null,
    closedReason: null,
    closedNote: null,
    answeredIn: null,
    createdAt: ASKED,
  };
}

function says(content: string, timestamp = LATER): ConversationMessage {
  return {
    seq: 3,
    author: "ann",
    role: "reporter",
    isBot: false,
    timestamp,
    editedAt: null,
    replyToSeq: null,
    content,
    externalId: "9",
    externalThreadId: null,
  };
}

function answers(gaps: Gap[], message: ConversationMessage): Record<number, string> {
  const found = findAnswers(gaps, [message], {
    topicsOf: (text) => (text.includes("expected") ? ["expected"] : []),
    mayAnswer: (one) => one.author === "ann",
    saysNothing: (text) => text === "thanks",
  });
  return Object.fromEntries(found.map((answer) => [answer.gap.number, answer.note]));
}

const both = [gap(4, "reproduction"), gap(5, "expected")];

describe("answers to open questions", () => {
  test.each([
    "4. Run it\n5. No error",
    "Q4: Run it\nQ5: No error",
    "**4)** Run it\n**5)** No error",
    "gap 4 - Run it\ngap 5 - No error",
  ])("go by number: %j", (text) => {
    expect(answers(both, says(text))).toEqual({ 4: "Run it", 5: "No error" });
  });

  test.each([
    "@relay 4. Run it 5. No error",
    "@relay 4. Run it\n5. No error",
    "4) Run it 5) No error",
    "4: Run it; 5: No error",
    "Q4 Run it Q5 No error",
    "@relay Q4: Run it, Q5: No error",
    "Sure: 4. Run it 5. No error",
  ])("go by number on one line, too: %j", (text) => {
    expect(answers(both, says(text))).toEqual({ 4: "Run it", 5: "No error" });
  });

  test.each([
    ["Use version 5. It is newer", { 4: "Use version 5. It is newer" }],
    ["4. Use version 5. It is newer", { 4: "Use version 5. It is newer" }],
    ["Wait 5. 5 s", { 4: "Wait 5. 5 s" }],
    ["4. Wait 5. 5 s", { 4: "Wait 5. 5 s" }],
    ["4. It takes 7. Then it ends", { 4: "It takes 7. Then it ends" }],
    ["5. No error after 4. clicks", { 5: "No error after 4. clicks" }],
    ["Q4 and Q5 are the same for me", { 4: "Q4 and Q5 are the same for me" }],
    ["4. See\n```\n5. click\n```", { 4: "See\n```\n5. click\n```" }],
  ])("a number in a sentence begins no answer: %j", (text, found) => {
    expect(answers(both, says(text))).toEqual(found);
  });

  test("keep the lines that follow their number", () => {
    expect(answers(both, says("4. Run it\n\n```\nboom\n```\n5) no error"))).toEqual({
      4: "Run it\n\n```\nboom\n```",
      5: "no error",
    });
  });

  test("below a quoted question belong to it", () => {
    expect(answers(both, says("> What about expected, in this very case?\n\nIt prints 3"))).toEqual({
      5: "It prints 3",
    });
  });

  test("in free text go to the topic they speak to", () => {
    expect(answers(both, says("I expected 3"))).toEqual({ 5: "I expected 3" });
  });

  test("in free text go to the most important question when no topic fits", () => {
    expect(answers(both, says("With the default settings."))).toEqual({ 4: "With the default settings." });
  });

  test("are not seen in politeness, in counter-questions, in what was said before asking, or from others", () => {
    expect(answers(both, says("thanks"))).toEqual({});
    expect(answers(both, says("What do you mean?"))).toEqual({});
    expect(answers(both, says("4. Run it", new Date("2026-03-01T09:00:00Z")))).toEqual({});
    expect(answers(both, { ...says("4. Run it"), author: "eve" })).toEqual({});
  });

  test("a bare yes is what the question proposed to assume, and else no answer", () => {
    const proposing = { ...gap(4, "reproduction"), proposedDefault: "default settings" };
    const found = (gaps: Gap[], content: string) =>
      findAnswers(gaps, [says(content)], { topicsOf: () => [], mayAnswer: () => true, saysNothing: () => true });
    const agreed = [{ gap: proposing, note: "default settings", seq: 3, isAgreed: true }];
    for (const yes of [
      "4. y",
      "4. Ja\n5. yes",
      "> What about reproduction, in this very case?\n\nok",
      "4. yes\n5. no",
    ]) {
      expect(found([proposing, gap(5, "expected")], yes)).toEqual(agreed);
    }
    expect(found([proposing], givenAnswer(4, { head: "_Answer 4._", text: "yes" }))).toEqual(agreed);
    // It does not say which question it means: it may be a yes to a plan, or a go-ahead.
    expect(found([proposing], "Yes!")).toEqual([]);
    expect(found([proposing, gap(5, "expected")], "Yes!")).toEqual([]);
    expect(found([proposing], "Go ahead.")).toEqual([]);
  });

  test("are not taken from Relay's own quoted numbers", () => {
    expect(answers(both, says("> 4. What about reproduction\n> 5. What about expected"))).toEqual({});
  });

  test("what a program gave goes to the question that it names, whatever is numbered in it", () => {
    const given = givenAnswer(5, { head: "_Answer 5._", text: "Yes, go ahead:\n4. Open it\n5. Click" });
    expect(answers(both, says(given))).toEqual({ 5: "Yes, go ahead:\n4. Open it\n5. Click" });
    expect(answers(both, says(givenAnswer(9, { head: "_Answer 9._", text: "No error is expected" })))).toEqual({});
  });
});

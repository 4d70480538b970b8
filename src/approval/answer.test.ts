import { expect, test } from "vitest";
import type { Gap } from "../domain/gap.ts";
import { answerKind } from "./answer.ts";

type Asked = Pick<Gap, "topic" | "severity" | "proposedDefault">;

function asked(given: Partial<Asked> = {}): Asked {
  return { topic: "acceptance", severity: "high", proposedDefault: "the tests pass", ...given };
}

const YES = ["y", "Yes.", "ok", "yep", "ja", "oui", "sí", "да", "はい", "是的", "👍", "yes\n\nThanks!"];

test.each(YES)("a bare yes agrees to what is assumed, or says nothing: %j", (text) => {
  expect(answerKind(asked(), text)).toBe("agreed");
  expect(answerKind(asked({ topic: null }), text)).toBe("agreed");
  for (const proposedDefault of [null, " "]) expect(answerKind(asked({ proposedDefault }), text)).toBe("nothing");
  expect(answerKind(asked({ severity: "blocking" }), text)).toBe("nothing");
});

test.each(["n", "No.", "nope", "nein", "нет", "いいえ", "no, thanks", "wait"])("a bare no is no answer: %j", (text) => {
  expect(answerKind(asked(), text)).toBe("nothing");
  expect(answerKind(asked({ topic: "compatibility" }), text)).toBe("answer");
  expect(answerKind(asked({ topic: null }), text)).toBe("answer");
});

test.each(["thanks", "correct", "done"])("nor is politeness: %j", (text) => {
  expect(answerKind(asked(), text)).toBe("nothing");
});

test("a question that may be one for a yes or a no takes either", () => {
  expect(answerKind({ topic: null, severity: "blocking", proposedDefault: null }, "yes")).toBe("answer");
});

test.each([
  "3",
  "`ok`",
  "“ok”",
  "yes\n```\nboom\n```",
  "yes, and the export too",
  "No, it must print 3",
  "don't crash",
  "@ann",
])("whatever says more is an answer: %j", (text) => {
  expect(answerKind(asked(), text)).toBe("answer");
});

test.each([
  ...["why do you ask?", "What version do you mean?", "Could you explain?", "Warum fragst du?", "Что это значит?"],
  ...["I don’t know", "not sure", "keine Ahnung", "no lo sé", "je ne sais pas", "не знаю", "不知道", "わかりません。"],
  ...["no idea, ask max", "No idea. Ask Ruth, please!", "I don't know, sorry. Maybe Max knows", "Ask Max."],
  ...[
    "keine Ahnung, frag Max",
    "Das muss Ruth entscheiden.",
    "no lo sé, pregúntale a Max",
    "je ne sais pas, demande à Max",
  ],
  ...[
    "não sei, pergunte ao Max",
    "не знаю, спроси у Макса",
    "不知道，问一下小王",
    "わかりません。田中さんに聞いてください。",
  ],
  ...["As Ruth says. Go ahead.", "same as above", "wie oben", "同上"],
  ...["I will not tell you that", "none of your business, drop it"],
])("who asks back, does not know or does not say answers nothing: %j", (text) => {
  expect(answerKind(asked(), text)).toBe("nothing");
  expect(answerKind(asked({ topic: null }), text)).toBe("nothing");
});

test.each([
  "how about 3 retries?",
  "Could you keep the old name?",
  "why not null?",
  "Not sure, but I think 3",
  "no idea. Maybe 5",
  "ask the user for a password",
  "ask first",
  "no idea, but it must not throw",
  "as the docs say: 3",
])("a guess or a proposal is an answer: %j", (text) => expect(answerKind(asked(), text)).toBe("answer"));

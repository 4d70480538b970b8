import { describe, expect, test } from "vitest";
import { answerIn, answeredGap, givenAnswer } from "../domain/given-answer.ts";
import { WRITTEN_LANGUAGES, phrases } from "../i18n/phrases.ts";
import { isDecision } from "./consent.ts";
import { canBeGoAhead, proceedSignal } from "./go-ahead.ts";
import { readReply, refusalIn } from "./read-reply.ts";
import { isWish } from "./wishes.ts";

const WORDS = [
  "Yes, go ahead.",
  "yes",
  "👍",
  "LGTM, ship it",
  "Go ahead with the spec.\n\nGo ahead with the plan.",
  "Stop!",
  "No.",
  "Please wait, do something else instead.",
  "да, поехали",
  "Yes\n<!-- relay-answer:2 -->\nGo ahead.",
  "> quoted\n\nYes, go ahead.",
  `${"Long. ".repeat(5_000)}Go ahead.`,
];

describe("an answer that a program gave", () => {
  test.each(WORDS)("decides nothing: %j", (words) => {
    const comment = givenAnswer(3, { head: "_Answer 3, given by a program._", text: words });
    expect(readReply(comment).kind).toBe("thanks");
    expect(refusalIn(comment)).toBeNull();
    expect([isWish(comment), isDecision(comment)]).toEqual([false, false]);
    for (const asked of [true, false]) {
      expect(proceedSignal(comment, { asked }).proceed).toBe(false);
      expect(canBeGoAhead(comment, { asked })).toBe(false);
    }
  });

  test.each(WRITTEN_LANGUAGES)("gives no yes and no stop where a tracker loses its mark: in %s", (language) => {
    const head = `_${phrases("thread", language)("answeredByProgram", { number: 3 })}_`;
    for (const words of WORDS) {
      const [, ...rest] = givenAnswer(3, { head, text: words }).split("\n");
      const comment = rest.join("\n").replaceAll(/<!--[^]*?-->/g, "");
      expect(readReply(comment).kind).not.toBe("approve");
      expect(refusalIn(comment)).not.toBe("clear");
      expect(proceedSignal(comment, { asked: true }).proceed).toBe(false);
    }
  });

  test("is for the gap that it names, in its own words", () => {
    const comment = givenAnswer(3, { head: "_Answer 3._", text: "1. Open it\n2. Click" });
    expect(answeredGap(comment)).toBe(3);
    expect(answerIn(`${comment}\n<!-- relay:x:1 -->`)).toBe("1. Open it\n2. Click");
    expect(answerIn(comment.replaceAll("\n", "\r\n"))).toBe("1. Open it\r\n2. Click");
  });

  test("is none where a person quotes one", () => {
    const quote = givenAnswer(3, { head: "_Answer 3._", text: "Yes" }).replaceAll(/^/gm, "> ");
    const comment = `${quote}\n\nYes, go ahead.`;
    expect(answeredGap(comment)).toBeNull();
    expect(readReply(comment).kind).toBe("approve");
  });
});

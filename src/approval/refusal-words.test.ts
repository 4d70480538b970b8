import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PRODUCT_REFUSES, REFUSALS, WORK_REFUSED } from "../../test/cases/refusals.ts";
import { readReply, refusalIn } from "./read-reply.ts";

describe.each(Object.entries(REFUSALS))("in %s", (_, { refused, harmless }) => {
  test("a refusal is heard, also in capitals, after thanks, and below a quote", () => {
    for (const text of refused) {
      for (const written of [
        text,
        text.toUpperCase(),
        `@relay ${text}`,
        `Thanks!\n\n${text}`,
        `> Shall I?\n\n${text}`,
      ]) {
        expect([written, refusalIn(written)]).toEqual([written, "clear"]);
      }
    }
  });

  test("reminders, thanks and remarks are none", () => {
    expect(harmless.filter((text) => refusalIn(text) !== null)).toEqual([]);
  });
});

test("what the product must refuse is a wish; in the same words the work is refused", () => {
  expect(PRODUCT_REFUSES.filter((text) => refusalIn(text) !== null)).toEqual([]);
  expect(PRODUCT_REFUSES.filter((text) => readReply(text).kind !== "more")).toEqual([]);
  expect(WORK_REFUSED.filter((text) => refusalIn(text) !== "clear")).toEqual([]);
});

describe("a refusal", () => {
  test.each([
    "nooo",
    "STOPPPP",
    "👎",
    "🛑",
    "dont do it",
    "pls stop",
    "Hi Relay, please stop.",
    "I like it. But hold on.",
  ])("is clear: %j", (text) => {
    expect(refusalIn(text)).toBe("clear");
  });

  test.each([
    "hmm, maybe we should ask Dana first",
    "are we sure this is safe?",
    "I'm a bit worried about the migration",
    "What about the old clients?",
    "🤔",
  ])("may be one: %j", (text) => {
    expect(refusalIn(text)).toBe("doubtful");
  });

  test("is none when quoted, struck out, or shown as code", () => {
    for (const text of ["> stop", "~~stop~~ thanks", "`stop`", "```\nstop\n```", "<!-- stop -->"]) {
      expect([text, refusalIn(text)]).toEqual([text, null]);
    }
  });

  test("takes linear time to hear", () => {
    const words = "please do not be very much of a hurry ".repeat(100);
    expect(refusalIn(words)).toBe("doubtful");
    expect(refusalIn("no ".repeat(1_300))).not.toBe(undefined);
  });

  test("is a mere stop in no message that Relay writes itself", () => {
    const folder = new URL("../i18n/locales/", import.meta.url);
    const texts = readdirSync(folder).flatMap((file) =>
      textsOf(JSON.parse(readFileSync(new URL(file, folder), "utf8"))),
    );
    const sentences = texts.filter((text) => text.includes(" "));
    expect(sentences.length).toBeGreaterThan(500);
    expect(readReply("Stop. <!-- relay:plan:12 -->").kind).toBe("stop");
    expect(sentences.filter((text) => readReply(text).kind === "stop")).toEqual([]);
  });
});

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsOf) : [];
}

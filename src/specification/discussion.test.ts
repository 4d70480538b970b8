import * as fc from "fast-check";
import { expect, test } from "vitest";
import { gap, message } from "../../test/support/spec-input.ts";
import { annotate, renderDiscussion } from "./discussion.ts";

const voices = ({ deciders = [], goAheads = [] }: { deciders?: number[]; goAheads?: number[] } = {}) => ({
  deciders: new Set(deciders),
  goAheads: new Set(goAheads),
});

test("a message says what it answers, what it replies to, and whether it says go", () => {
  const messages = [
    message({ seq: 1, author: "relay", content: "Per browser or per account? Which themes?" }),
    message({ seq: 2, author: "ann", replyToSeq: 1, content: "Per browser.\nLooks good,   GO AHEAD please." }),
    message({ seq: 3, author: "eve", content: "+1" }),
  ];
  const gaps = [gap({ number: 5 }), gap({ number: 6 }), gap({ number: 7, respondent: "assignee" })];
  expect(renderDiscussion(annotate(messages, gaps, voices({ deciders: [2], goAheads: [2] })))).toBe(
    [
      "<conversation>",
      '<msg n="1" author="relay" role="self" ts="2026-11-20T10:00:00.000Z">',
      "Per browser or per account? Which themes?",
      "</msg>",
      '<msg n="2" author="ann" role="reporter" decides="true" ts="2026-11-20T11:00:00.000Z" reply_to="1" answers_gap="5 6" is_proceed="true">',
      "Per browser.\nLooks good,   GO AHEAD please.",
      "</msg>",
      '<msg n="3" author="eve" role="other" ts="2026-11-20T12:00:00.000Z">',
      "+1",
      "</msg>",
      "</conversation>",
    ].join("\n"),
  );
});

const at = (seq: number) => message({ seq, author: "ann", content: "yes" });

test("an answer lies between the asking and the closing of a gap", () => {
  const asked = gap({ number: 1, askedAt: at(2).timestamp, closedAt: at(3).timestamp });
  const numbers = (given: Parameters<typeof gap>[0]) =>
    annotate([at(1), at(2), at(3), at(4)], [{ ...asked, ...given }], voices()).map((one) => one.answersGaps.length);
  expect(numbers({ number: 1 })).toEqual([0, 1, 1, 0]);
  expect(numbers({ number: 1, closedAt: null })).toEqual([0, 1, 1, 1]);
  expect(numbers({ number: 1, askedAt: null })).toEqual([0, 0, 0, 0]);
});

test("a message that is known to have answered a gap is its only answer, whoever wrote it", () => {
  const messages = [at(1), at(2), message({ seq: 3, author: "eve", content: "Both." })];
  const marked = annotate(messages, [gap({ number: 1, answeredIn: "m3" })], voices());
  expect(marked.map(({ answersGaps }) => answersGaps)).toEqual([[], [], [1]]);
});

test("nothing that people write opens or closes a tag", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (content, author) => {
      const xml = renderDiscussion(annotate([message({ seq: 1, author, content })], [], voices()));
      expect(xml.match(/<[^>]*>/g)).toHaveLength(4);
      expect(xml.match(/&(?!amp;|lt;|gt;|quot;)/g)).toBeNull();
      expect(xml.isWellFormed()).toBe(true);
    }),
  );
});

const long = Array.from({ length: 200 }, (_, index) =>
  message({ seq: index + 1, author: index === 100 ? "bob" : "eve", content: `number ${index + 1} ${"x".repeat(200)}` }),
);

test("a long thread loses its middle, but not what answers or says go", () => {
  const asked = gap({ number: 1, respondent: "assignee", askedAt: long[99]?.timestamp ?? null, closedAt: null });
  const xml = renderDiscussion(annotate(long, [asked], voices({ goAheads: [150] })), 10_000);
  expect(xml.length).toBeLessThanOrEqual(10_000);
  for (const n of [1, 2, 10, 101, 150, 199, 200]) expect(xml).toContain(`<msg n="${n}"`);
  expect(xml).toMatch(
    /n="10"[\s\S]*<omitted messages="90"\/>[\s\S]*n="101"[\s\S]*<omitted messages="48"\/>[\s\S]*n="150"/,
  );
  const omitted = [...xml.matchAll(/<omitted messages="(\d+)"/g)].reduce((sum, match) => sum + Number(match[1]), 0);
  expect(omitted + (xml.match(/<msg /g)?.length ?? 0)).toBe(200);
});

test("one enormous message does not crowd out the others, and says how much of it is missing", () => {
  const messages = [message({ seq: 1, content: "<".repeat(50_000) }), message({ seq: 2, content: "the answer" })];
  const xml = renderDiscussion(annotate(messages, [], voices()), 5_000);
  expect(xml.length).toBeLessThanOrEqual(5_000);
  expect(xml).toMatch(/\[… \d+ characters left out …\]/);
  expect(xml).toContain("the answer");
});

test("the budget holds whatever the thread", () => {
  const anyMessage = fc.record({
    content: fc.string({ maxLength: 2_000 }),
    author: fc.constantFrom("ann", "bob", "eve"),
  });
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 60 }), fc.integer({ min: 1_000, max: 20_000 }), (given, budget) => {
      const messages = given.map((one, index) => message({ seq: index + 1, ...one }));
      const xml = renderDiscussion(
        annotate(messages, [gap({ number: 1, closedAt: null })], voices({ goAheads: [2, 30] })),
        budget,
      );
      expect(xml.length).toBeLessThanOrEqual(budget);
    }),
    { numRuns: 50 },
  );
});

import { expect, test } from "vitest";
import { isAfterAsking } from "./gap.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second));
const asked = { askedAt: at(10), askedIn: "c2" };
const thread = [
  { seq: 1, externalId: "c1" },
  { seq: 2, externalId: "c2" },
  { seq: 3, externalId: "c3" },
];

test.each([
  ["a second before", 1, at(9), null, false],
  ["in the same second, above it", 1, at(10), null, false],
  ["in the same second, below it", 3, at(10), null, true],
  ["later", 3, at(11), null, true],
  ["before, and edited later", 1, at(9), at(12), true],
])("words written %s come after the question: by the tracker’s times and places", (_, seq, timestamp, editedAt, is) => {
  expect(isAfterAsking({ seq, timestamp, editedAt }, asked, thread)).toBe(is);
});

test("nothing comes after a question that was not asked", () => {
  const message = { seq: 3, timestamp: at(11), editedAt: null };
  expect(isAfterAsking(message, { askedAt: null, askedIn: null }, thread)).toBe(false);
});

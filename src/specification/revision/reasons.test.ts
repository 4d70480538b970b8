import { expect, test } from "vitest";
import { finding, specInput } from "../../../test/support/spec-input.ts";
import { reasonsIn } from "./reasons.ts";
import type { Unit } from "./units.ts";

const unit = (text: string): Unit => ({ kind: "item", name: "", parent: "", text, gap: 0, line: 1 });

test("the text of the issue was edited in one word: a short line that quotes it changes, too", () => {
  const input = { ...specInput({ title: "Total", body: "Expected 9, got 4." }), textEdited: true };
  const { forChange } = reasonsIn(input);
  expect(forChange(unit("Now: got 3."), unit("Now: got 4."))).toBe(true);
  expect(forChange(unit("Now: got 3."), unit("Now: got 5."))).toBe(false);
});

test("a finding made or removed since is a reason to change what cites its number, also where the numbers have holes", () => {
  const found = (number: number, createdAt: string) => ({
    ...finding(number, { synthesis: "It is so.", sources: [] }),
    createdAt: new Date(createdAt),
  });
  const gone = { ...found(5, "2026-11-19T00:00:00Z"), removedAt: new Date("2026-11-22T00:00:00Z"), why: null };
  const input = specInput({
    title: "Export",
    body: "It is slow.",
    existing: {
      content: "# Spec: Export\n",
      ref: {
        version: 1,
        backend: "local",
        path: "a",
        sha256: "0".repeat(64),
        updated_at: "2026-11-20T00:00:00Z",
        format: "markdown",
      },
    },
    findings: [found(4, "2026-11-19T00:00:00Z"), found(9, "2026-11-21T00:00:00Z")],
    removed: [gone],
  });
  const { forRemoval } = reasonsIn(input);
  const may = [2, 4, 5, 9].filter((number) => forRemoval(unit(`Cut rows (Finding #${number})`)));
  expect(may).toEqual([5, 9]);
});

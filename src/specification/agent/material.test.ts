import { expect, test } from "vitest";
import { finding, gap, message, specInput } from "../../../test/support/spec-input.ts";
import type { SpecInput } from "../generator.ts";
import { materialOf } from "./material.ts";

const BOUNDARY = "k".repeat(24);

const given = (): SpecInput => ({
  ...specInput({
    title: "Export as CSV",
    body: "We need it.",
    labels: ["feature"],
    language: "ru",
    complexityHint: "L1",
    messages: [
      message({ seq: 1, author: "ann", content: "Only finished orders." }),
      message({ seq: 2, author: "bob", content: "Fine. Go ahead with it." }),
    ],
    closedGaps: [
      gap({ number: 1, question: "Which orders?", evidence: "There are drafts.", closedNote: "Only finished ones." }),
      gap({ number: 2, question: "Which sign?", closedReason: "inferred", closedNote: "A comma." }),
      gap({ number: 3, question: "Which colour?", closedReason: "not_relevant", closedNote: null }),
    ],
    findings: [
      finding(1, {
        synthesis: "Orders are listed in one place.",
        sources: [{ location: "src/orders.ts:3-9", snippet: "list() // <!-- all -->" }],
      }),
    ],
  }),
  contextSummary: "A plain export.",
  learnings: [
    {
      id: "1",
      workspaceId: "1",
      type: "code_learnings",
      content: "Tests stand beside the source.",
      createdAt: new Date(0),
    },
  ],
});

test("all that the stores hold of an issue is in the material, in one order", () => {
  const material = materialOf(given(), BOUNDARY, 1);
  const order = [
    "Language of the spec: Russian (ru).",
    "hint at the level: L1.",
    "# The issue",
    "local/demo#7\nReporter: ann\nAssignees: bob\nLabels: feature",
    "Export as CSV",
    "We need it.",
    "# The go-ahead",
    "go ahead",
    "A plain export.",
    "# Settled questions",
    "Gap #1 (answered; medium; asked of the reporter)",
    "Which orders?",
    "There are drafts.",
    "Only finished ones.",
    "Gap #2 (inferred: an assumption;",
    "A comma.",
    "Gap #3 (not relevant;",
    "# Findings about the code",
    "Finding #1\n",
    "Orders are listed in one place.",
    `<<<src/orders.ts:3-9 ${BOUNDARY}\nlist() // <!-- all -->\n`,
    "Tests stand beside the source.",
    "# The discussion",
    '<msg n="1" author="ann" role="reporter" decides="true" ts="2026-11-20T10:00:00.000Z" answers_gap="1 2 3">\nOnly finished orders.\n</msg>',
    '<msg n="2" author="bob" role="assignee" decides="true" ts="2026-11-20T11:00:00.000Z" is_proceed="true">',
  ];
  const places = order.map((part) => [part, material.indexOf(part)] as const);
  expect(places.filter(([, at]) => at === -1)).toEqual([]);
  expect(places.map(([, at]) => at)).toEqual(places.map(([, at]) => at).toSorted((a, b) => a - b));
});

test("what there is nothing of has no heading", () => {
  const material = materialOf(specInput({ title: "Broken", body: "" }), BOUNDARY, 1);
  expect(material.match(/^# .*$/gm)).toEqual(["# The issue", "# The go-ahead, in the words of who gave it"]);
});

test("a language that is none is English", () => {
  expect(materialOf(specInput({ title: "x", body: "", language: "<x>" }), BOUNDARY, 1)).toContain(
    "Language of the spec: English (en).",
  );
});

test("a small share keeps the settled questions and leaves out the middle of the discussion", () => {
  const messages = Array.from({ length: 1_000 }, (_, n) =>
    message({ seq: n + 1, author: "eve", role: "other", content: `${n} ${"word ".repeat(100)}` }),
  );
  const material = materialOf({ ...given(), messages }, BOUNDARY, 0.08);
  expect(material.length).toBeLessThan(40_000);
  for (const part of ["Only finished ones.", '<msg n="1"', '<omitted messages="', '<msg n="1000"']) {
    expect(material).toContain(part);
  }
});

test("what people stated is a list with its standing, and what was looked at comes with its lines", () => {
  const place = { location: "src/orders.ts:3-4", snippet: "list()\nsort()" };
  const explored = { id: "1", issueId: "1", askedBy: "planner" as const, commit: "c", createdAt: new Date(0) };
  const input = specInput({
    title: "Export as CSV",
    body: "The export must keep `number`.",
    messages: [message({ seq: 1, author: "eve", content: "Please also add the tax." })],
    explorations: [{ ...explored, question: "Who lists?", thoroughness: "quick", synthesis: "One.", places: [place] }],
  });
  const material = materialOf(input, BOUNDARY, 1);
  for (const line of [
    "bound, @ann (decides), the issue: The export must keep `number`.",
    "wish, @eve (decides), message 1: Please also add the tax.",
    "Asked: Who lists?",
    "4| sort()",
  ])
    expect(material).toContain(line);
});

test("a removed finding that the spec still cites is told with its number, one that it does not cite is not", () => {
  const gone = (number: number) => ({
    ...finding(number, { synthesis: `Fact ${number}.`, sources: [] }),
    removedAt: new Date("2026-11-22T10:00:00Z"),
    why: "withdrawn" as const,
  });
  const ref = {
    version: 1 as const,
    backend: "local",
    path: "spec.md",
    sha256: "0".repeat(64),
    updated_at: "2026-11-20T00:00:00Z",
    format: "markdown" as const,
  };
  const input = { ...given(), removed: [gone(2), gone(3)], existing: { content: "It is so (Finding #3).", ref } };
  const material = materialOf(input, BOUNDARY, 1);
  expect(material).toContain("Finding #1\n");
  expect(material).toContain("Finding #3, which the spec still cites. Removed on 2026-11-22: it no longer held.\n");
  expect(material).toContain("Fact 3.");
  expect(material).not.toContain("Fact 2.");
});

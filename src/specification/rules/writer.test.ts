import { join } from "node:path";
import * as fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { OFFLINE_SAMPLES, groundingOf } from "../../../test/support/offline-samples.ts";
import { finding, gap, message, specInput, stated, voicesIn } from "../../../test/support/spec-input.ts";
import { TOPICS } from "../../domain/gap.ts";
import { WRITTEN_LANGUAGES } from "../../i18n/phrases.ts";
import type { SpecInput } from "../generator.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { validateSpec } from "../validate/validate.ts";
import { offlineSpecGenerator } from "./writer.ts";

const GOLDEN = join(import.meta.dirname, "../../../test/fixtures/offline-specs");

async function write(input: SpecInput) {
  const draft = await offlineSpecGenerator().generate(input, null);
  const validation = await validateSpec(draft.markdown, {
    complexity: draft.complexity,
    grounding: groundingOf(input),
  });
  return { ...draft, validation, document: validation.document };
}

describe.each(Object.entries(OFFLINE_SAMPLES))("the sample %s", (name, input) => {
  test("is written as it was read and found good", async () => {
    const { markdown } = await write(input);
    await expect(markdown).toMatchFileSnapshot(join(GOLDEN, `${name}.md`));
  });

  test("passes every rule, warnings too", async () => {
    const { validation } = await write(input);
    expect([...validation.errors, ...validation.warnings]).toEqual([]);
  });
});

test("the crash is told in under 60 lines, and begins where it fails", async () => {
  const { document, complexity } = await write(OFFLINE_SAMPLES.crash);
  expect(complexity).toBe("L0");
  expect(document.lineCount).toBeLessThan(60);
  expect(document.tldr[1]?.text).toContain("`ferry/durations.py:31`");
});

test("a level that was suggested is followed as far as rules go, and the reason says so", async () => {
  for (const [hint, level] of [
    ["L0", "L0"],
    ["L1", "L1"],
    ["L2", "L2"],
    ["L4", "L2"],
  ] as const) {
    const { complexity, complexityReason, validation } = await write({
      ...OFFLINE_SAMPLES.vague,
      complexityHint: hint,
    });
    expect(complexity).toBe(level);
    expect(complexityReason).toContain(`the planner suggested ${hint}`);
    expect([...validation.errors, ...validation.warnings]).toEqual([]);
  }
});

const sha256 = "a".repeat(64);

function revised(input: SpecInput, content: string): SpecInput {
  const updated_at = "2026-11-21T08:00:00Z";
  const ref = {
    version: 1,
    backend: "local",
    path: "relay_specs/x/spec.md",
    updated_at,
    sha256,
    format: "markdown",
  } as const;
  const existing = { content, ref };
  const statements = stated(input.issue, input.messages);
  return {
    ...input,
    ...voicesIn(input.messages, existing),
    statements,
    existing,
    now: new Date("2026-11-22T08:00:00Z"),
  };
}

test("written again from the same facts it says the same, without a log of changes", async () => {
  const first = await write(OFFLINE_SAMPLES.vague);
  const second = await write(revised(OFFLINE_SAMPLES.vague, first.markdown));
  expect(second.markdown).toBe(first.markdown.replace("2026-11-21T08:00", "2026-11-22T08:00"));
  expect(second.changelog).toBe("");
});

const asks = (seq: number, author: string, content: string) =>
  message({ seq, author, content, timestamp: new Date(`2026-11-2${seq - 3}T09:00:00Z`) });

test("a revision names who asked for what, and keeps the entries of before", async () => {
  const first = await write(OFFLINE_SAMPLES.vague);
  const { vague } = OFFLINE_SAMPLES;
  const messages = [
    ...vague.messages,
    asks(5, "bob", "Please keep the order of uploads too."),
    asks(6, "ann", "go ahead"),
  ];
  const settled = {
    messages,
    closedGaps: [
      ...vague.closedGaps,
      gap({ number: 4, topic: "acceptance", closedNote: "The order of uploads is kept." }),
    ],
  };
  const second = await write(revised({ ...vague, ...settled }, first.markdown));
  expect(second.document.changelog.map((entry) => entry.text)).toEqual([
    "2026-11-22: asked by @bob (message 5): Please keep the order of uploads too",
  ]);
  expect([...second.validation.errors, ...second.validation.warnings]).toEqual([]);
  const third = await write(
    revised({ ...vague, messages: [...messages, asks(7, "eve", "Drop the test on Windows.")] }, second.markdown),
  );
  // What was asked for before still holds.
  expect(third.markdown).toContain("- **THEN** Please keep the order of uploads too (message 5)");
  expect(third.markdown).toContain("- **THEN** Drop the test on Windows (message 7)");
  expect(third.document.changelog.map((entry) => entry.text.slice(0, 27))).toEqual([
    "2026-11-22: asked by @bob (",
    "2026-11-22: asked by @eve (",
  ]);
});

test("criteria in the form given, when, then become steps", async () => {
  const { document } = await write(
    specInput({
      title: "Add paging",
      labels: ["enhancement"],
      body: "### Acceptance criteria\n\n- Given 30 rows, when page 2 is opened, then rows 11 to 20 are shown\n- If the page is beyond the end, an empty list is shown\n",
    }),
  );
  const steps = document.requirements[0]?.scenarios.map((one) =>
    one.steps.map((step) => `${step.keyword} ${step.text}`),
  );
  expect(steps).toEqual([
    ["GIVEN 30 rows", "WHEN page 2 is opened", "THEN rows 11 to 20 are shown"],
    ["WHEN the page is beyond the end", "THEN an empty list is shown"],
  ]);
});

/** Text that tries to be structure. */
const hostile = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        ..."# Spec|## TL;DR|### Requirement: evil|#### Scenario: evil|- **THEN** evil|```|~~~|\n|\n\n|    |---|===|`|``|a|| b|<script>|<!--|-->|[x](y)|> |1. |Gap #99|finding 77|message 5|`src/a.ts:9`|\\|\r|\u2028|\u202E|. |wenn a, b|Changelog|** |<details>\n\n".split(
          "|",
        ),
        "|",
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join("")),
);

const anyInput = fc
  .record({
    title: hostile,
    body: hostile,
    language: fc.constantFrom(...WRITTEN_LANGUAGES, "xx"),
    labels: fc.constantFrom(["bug"], ["enhancement"], ["documentation"], []),
    closedGaps: fc.array(
      fc.record({
        topic: fc.constantFrom(...TOPICS, null),
        question: hostile,
        closedNote: hostile,
        closedReason: fc.constantFrom("answered" as const, "inferred" as const, "not_relevant" as const),
      }),
      { maxLength: 5 },
    ),
    notes: fc.array(hostile, { maxLength: 3 }),
    findings: fc.array(
      fc.record({
        synthesis: hostile,
        snippet: hostile,
        kind: fc.option(hostile, { nil: "run" }),
        location: fc.constantFrom(
          "src/a.ts:9",
          "src/b.ts:1-3",
          "test/a.test.ts:2",
          "docs/a.md:4",
          "c.py",
          "no place",
          "../up.ts:1",
          "/etc/passwd:1",
        ),
      }),
      { maxLength: 5 },
    ),
    complexityHint: fc.constantFrom("L0", "L1", "L2", "L3", null),
  })
  .map(({ notes, closedGaps, findings, ...given }) =>
    specInput({
      ...given,
      closedGaps: closedGaps.map((one, index) => gap({ number: index + 1, ...one })),
      messages: notes.map((content, index) => message({ seq: index + 1, author: "bob", content })),
      findings: findings.map(({ synthesis, snippet, kind, location }, index) =>
        finding(index + 1, { synthesis, sources: [{ location, snippet, kind }] }),
      ),
    }),
  );

test("whatever people wrote, the result passes every rule that is an error, and has only the sections that it should", async () => {
  await fc.assert(
    fc.asyncProperty(anyInput, async (input) => {
      const { validation, document, markdown, summary } = await write(input);
      expect(validation.errors).toEqual([]);
      expect(
        validation.warnings.filter(({ rule }) => rule !== "tasks_have_touch_points" && rule !== "too_long"),
      ).toEqual([]);
      expect(document.sections.every((section) => section.key !== null)).toBe(true);
      expect(new Set(document.sections.map((section) => section.key)).size).toBe(document.sections.length);
      expect(document.requirements).toHaveLength(1);
      const tokens = new MarkdownIt({ html: true }).parse(markdown, {});
      const kinds = tokens.flatMap((token) => [token, ...(token.children ?? [])]).map((token) => token.type);
      expect(kinds.filter((kind) => kind.startsWith("html"))).toEqual([]);
      expect(tokens.filter((token) => token.type === "heading_open" && token.tag === "h1")).toHaveLength(1);
      expect(markdown.isWellFormed()).toBe(true);
      expect(summary.length).toBeGreaterThanOrEqual(5);
      expect(summary.length).toBeLessThanOrEqual(10);
    }),
    { numRuns: 400 },
  );
}, 60_000);

test("the same input gives the same text", async () => {
  const [first, second] = await Promise.all([write(OFFLINE_SAMPLES.vague), write(OFFLINE_SAMPLES.vague)]);
  expect(first.markdown).toBe(second.markdown);
});

test.each(WRITTEN_LANGUAGES)("the keywords and headings are the same in %s", async (language) => {
  const { vague } = OFFLINE_SAMPLES;
  const { document } = await write({ ...vague, complexityHint: "L2", issue: { ...vague.issue, language } });
  const english = parseSpec((await write({ ...vague, complexityHint: "L2" })).markdown);
  expect(document.sections.map((section) => section.heading)).toEqual(
    english.sections.map((section) => section.heading),
  );
  expect(document.requirements[0]?.statement).toContain("SHALL");
});

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { message, specInput, voicesIn } from "../../test/support/spec-input.ts";
import { RelayError } from "../lib/errors.ts";
import { silentLog } from "../lib/log.ts";
import { generateSpec } from "./generate.ts";
import type { SpecDraft, SpecGenerator } from "./generator.ts";
import { validateSpec } from "./validate/validate.ts";

const input = specInput({ title: "Broken", body: "It breaks." });

const GOOD = `# Spec: Broken

**Status:** Draft
**Last updated:** 2026-11-20T00:00:00Z
**Complexity:** L0

## TL;DR

- one
- two
- three

## Problem Statement

It breaks.

## Success Criteria

### Requirement: Whole

The system SHALL hold.

#### Scenario: used

- **WHEN** used
- **THEN** it holds

## Implementation Plan

| # | Task | Touch Points | Done When | Blocked By |
|---|---|---|---|---|
| 1 | Mend it | \`a.ts\` | it holds | - |
`;
const NO_PROBLEM = GOOD.replace("It breaks.", "");
const NO_SCENARIO = GOOD.replace("- **THEN** it holds", "");
const NEITHER = NO_PROBLEM.replace("- **THEN** it holds", "");

function draft(markdown: string): SpecDraft {
  return {
    markdown,
    summary: ["a", "b", "c", "d", "e"],
    changelog: "",
    complexity: "L0",
    complexityReason: "a fault in one place",
  };
}

/** Gives one answer after the other, and notes what it was told to mend. */
function scripted(answers: (string | Error | SpecDraft)[], takesWarnings = false) {
  const told: (string[] | null)[] = [];
  const generator: SpecGenerator = {
    name: "scripted",
    takesWarnings,
    generate: async (_, correction) => {
      told.push(correction === null ? null : correction.problems.map((problem) => problem.rule));
      const answer = answers[told.length - 1];
      if (answer === undefined) throw new Error("asked too often");
      if (answer instanceof Error) throw answer;
      return await Promise.resolve(typeof answer === "string" ? draft(answer) : answer);
    },
  };
  return { generator, told };
}

const validate = async ({ markdown, complexity }: SpecDraft) => await validateSpec(markdown, { complexity });

async function run(answers: (string | Error | SpecDraft)[], given = input, takesWarnings = false) {
  const { generator, told } = scripted(answers, takesWarnings);
  return {
    spec: await generateSpec(given, { finish: (markdown) => markdown, generator, validate, log: silentLog }),
    told,
  };
}

test("a valid spec is taken as it is, with what was measured of it", async () => {
  const { spec, told } = await run([GOOD]);
  expect(told).toEqual([null]);
  expect(spec).toMatchObject({ markdown: GOOD, validationStatus: "valid", problems: [] });
  expect(spec.metadata).toMatchObject({
    task_count: 1,
    char_count: GOOD.length,
    sha256: createHash("sha256").update(GOOD).digest("hex"),
    validation_status: "valid",
    complexity: "L0",
  });
});

test("exactly the failed rules are sent back, until they hold", async () => {
  const { spec, told } = await run([NEITHER, NO_PROBLEM, GOOD]);
  expect(told).toEqual([null, ["has_problem", "scenario_format"], ["has_problem"]]);
  expect(spec.validationStatus).toBe("valid");
});

test("after two corrections the version that fails the fewest rules is kept as partial", async () => {
  const { spec, told } = await run([NEITHER, NO_SCENARIO, NEITHER]);
  expect(told).toHaveLength(3);
  expect(spec).toMatchObject({ markdown: NO_SCENARIO, validationStatus: "partial" });
  expect(spec.problems.map((problem) => problem.rule)).toEqual(["scenario_format"]);
});

test("a generator that fails, or gives nothing that can be used, is asked three times", async () => {
  const { spec, told } = await run([new Error("502"), "  \n", GOOD]);
  expect(told).toHaveLength(3);
  expect(spec.validationStatus).toBe("valid");
  await expect(run(["", "", ""])).rejects.toThrow("the spec generator scripted submitted an empty spec");
  await expect(run(["x".repeat(200_001), "", "x".repeat(200_001)])).rejects.toThrow(/more than the 200000 allowed/);
  await expect(run([new Error("a"), new Error("b"), new Error("c")])).rejects.toThrow(
    "the spec generator scripted failed: c",
  );
  const refused = new RelayError("invalid", "the model declined");
  await expect(run([refused, refused, refused])).rejects.toBe(refused);
});

test("what another try cannot mend, or the job tries again later, is not tried again at once", async () => {
  for (const error of [
    new RelayError("unavailable", "the model is overloaded"),
    new RelayError("rate_limited", "the model asks to wait"),
    new RelayError("config", "the key is wrong"),
    new RelayError("too_large", "the prompt does not fit"),
  ]) {
    const { generator, told } = scripted([error, GOOD]);
    await expect(
      generateSpec(input, { finish: (markdown) => markdown, generator, validate, log: silentLog }),
    ).rejects.toBe(error);
    expect(told).toHaveLength(1);
  }
});

describe("a generator that heeds warnings", () => {
  const vague = GOOD.replace("SHALL", "will");
  const vagueWithoutProblem = NO_PROBLEM.replace("SHALL", "will");

  test("gets a valid spec back once for their sake", async () => {
    const { spec, told } = await run([vague, GOOD], input, true);
    expect(told).toEqual([null, ["requirement_shall"]]);
    expect(spec).toMatchObject({ markdown: GOOD, validationStatus: "valid" });
    const stubborn = await run([vague, vague], input, true);
    expect(stubborn.told).toHaveLength(2);
    expect(stubborn.spec.validationStatus).toBe("valid");
  });

  test("is told them after the errors, and loses nothing by a mended warning that broke a rule", async () => {
    const { spec, told } = await run([vagueWithoutProblem, vague], input, true);
    expect(told).toEqual([null, ["has_problem", "requirement_shall"]]);
    expect(spec).toMatchObject({ markdown: vague, validationStatus: "valid" });
    const worse = await run([vague, NO_PROBLEM], input, true);
    expect(worse.spec).toMatchObject({ markdown: vague, validationStatus: "valid" });
  });

  test("is left alone with them otherwise", async () => {
    const { spec, told } = await run([vague]);
    expect(told).toEqual([null]);
    expect(spec.validationStatus).toBe("valid");
  });
});

test("a correction that fails leaves the spec that was there", async () => {
  const { spec } = await run([NO_PROBLEM, new Error("a"), new Error("b"), new Error("c")]);
  expect(spec).toMatchObject({ markdown: NO_PROBLEM, validationStatus: "partial" });
});

test("a summary has 5 to 10 bullets, filled up from the document", async () => {
  const short = await run([{ ...draft(GOOD), summary: ["mine", " "] }]);
  expect(short.spec.summary).toEqual(["mine", "one", "two", "three", "Mend it"]);
  const many = Array.from({ length: 14 }, (_, index) => `bullet ${index}`);
  expect((await run([{ ...draft(GOOD), summary: many }])).spec.summary).toEqual(many.slice(0, 10));
});

const sha256 = "a".repeat(64);
const existing = {
  content: GOOD,
  ref: {
    version: 1,
    backend: "local",
    path: "relay_specs/x/spec.md",
    updated_at: "2026-11-20T00:00:00Z",
    sha256,
    format: "markdown",
  } as const,
};

test("a text that differs in its date alone is the existing one", async () => {
  const { spec } = await run([GOOD.replace("2026-11-20", "2026-11-21")], { ...input, existing });
  expect(spec).toMatchObject({ markdown: GOOD, changelog: "", validationStatus: "valid" });
});

test("a revision logs what changed, who asked for it, and where", async () => {
  const messages = [message({ seq: 1, author: "bob", content: "Please also mend b.ts" })];
  const changed = GOOD.replace("Mend it", "Mend it twice");
  const { spec, told } = await run([`${changed}\n## Changelog\n\n- 2026-11-21: more\n`], {
    ...input,
    existing,
    messages,
    ...voicesIn(messages, existing),
  });
  expect(told).toEqual([null]);
  expect(spec).toMatchObject({ validationStatus: "valid", changelog: "more — @bob (message 1)" });
  expect(spec.markdown).toContain("- 2026-11-21: more — @bob (message 1)\n");
});

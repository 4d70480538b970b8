import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SpecDocument } from "../../domain/spec-document/document.ts";
import { generatedSpecs } from "../../../test/support/generated-specs.ts";
import { rulesSpecs } from "../../../test/support/rules-specs.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { COMPLEXITIES } from "../../domain/spec.ts";
import { validateSpec } from "../validate/validate.ts";
import { readChange, renderSpec } from "./read-change.ts";
import { writeChange } from "./write-change.ts";
import { triesOf } from "../../../test/support/tries.ts";

const isNew = async () => await Promise.resolve({ spec: null, archived: [] });

async function roundTrip(text: string): Promise<string> {
  return renderSpec(readChange((await writeChange(text, { known: isNew })).files));
}

const flat = (text: string | null) => text?.replaceAll(/\s+/g, " ").trim() ?? null;

const inText = (a: string, b: string) => (a < b ? -1 : 1);

/** What a document says, without lines, white space, the order of its sections and the names of known ones. */
function said(document: SpecDocument) {
  const { title, status, issue, lastUpdated, complexity, tldr, problem, goals, nonGoals, changelog } = document;
  const texts = (lines: { text: string }[]) => lines.map(({ text }) => flat(text));
  const scenarios = (all: SpecDocument["looseScenarios"]) =>
    all.map(({ name, steps }) => ({ name: flat(name), steps: steps.map((step) => `${step.keyword} ${step.text}`) }));
  return {
    head: { title: flat(title), status, issue, lastUpdated, complexity },
    sections: document.sections.map(({ key, heading }) => key ?? `“${heading}”`).toSorted(inText),
    tldr: texts(tldr),
    problem: flat(problem),
    loose: scenarios(document.looseScenarios),
    requirements: document.requirements.map((one) => ({
      name: flat(one.name),
      statement: flat(one.statement),
      scenarios: scenarios(one.scenarios),
    })),
    goals: [texts(goals), texts(nonGoals)],
    decisions: document.decisions.map((one) => [one.decision, one.context, one.consequences].map(flat)),
    assumptions: document.assumptions.map((one) => [one.assumption, one.ifWrong].map(flat)),
    tasks: document.tasks.map(({ number, task, touchPoints, doneWhen, blockedBy }) => ({
      number,
      task: flat(task),
      touchPoints,
      doneWhen: flat(doneWhen),
      blockedBy,
    })),
    tests: document.tests.map(({ group, text }) => [flat(group), flat(text)]),
    changelog: texts(changelog),
    citations: document.citations.map((citation) => JSON.stringify({ ...citation, line: 0 })).toSorted(inText),
  };
}

describe("a spec as an OpenSpec change, and back (R-SPEC-14)", () => {
  test.each(COMPLEXITIES)("the example of %s loses nothing and stays valid", async (level) => {
    const text = readFileSync(new URL(`../../../test/fixtures/specs/${level}.md`, import.meta.url), "utf8");
    const back = await roundTrip(text);
    expect(said(parseSpec(back))).toEqual(said(parseSpec(text)));
    expect(await validateSpec(back)).toMatchObject({ valid: true, complexity: level });
    expect(await roundTrip(back)).toBe(back);
  });

  test("a spec by rules loses nothing, in all languages", async () => {
    for (const text of await rulesSpecs()) {
      const back = await roundTrip(text);
      expect(said(parseSpec(back))).toEqual(said(parseSpec(text)));
      expect((await validateSpec(back)).errors).toEqual((await validateSpec(text)).errors);
    }
  });

  test("nothing of any spec is lost, in any of its scripts", async () => {
    await fc.assert(
      fc.asyncProperty(generatedSpecs, async (text) => {
        expect(said(parseSpec(await roundTrip(text)))).toEqual(said(parseSpec(text)));
      }),
      { numRuns: triesOf(100) },
    );
  });
});

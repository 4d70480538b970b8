import { describe, expect, test } from "vitest";
import { z } from "zod";
import { specOf } from "../../../test/support/spec-agent-fixture.ts";
import { specInput } from "../../../test/support/spec-input.ts";
import type { SpecInput } from "../generator.ts";
import { draftOf, submissionSchema } from "./submission.ts";

const L0 = specOf("L0");
const BODY = L0.slice(L0.indexOf("## TL;DR"));
const schema = submissionSchema(200_000);

function draft(submission: Record<string, unknown>, given: Partial<SpecInput> = {}) {
  return draftOf(schema.parse({ spec_markdown: L0, spec_summary: [], ...submission }), {
    ...specInput({ title: "Lost row", body: "" }),
    ...given,
  });
}

test("providers get a plain schema: strings, a list, and only the document and its summary required", () => {
  expect(z.toJSONSchema(schema, { io: "input" })).toMatchObject({
    required: ["spec_markdown", "spec_summary"],
    properties: {
      spec_markdown: { type: "string" },
      spec_summary: { type: "array", items: { type: "string" } },
      changelog: { type: "string" },
      complexity: { type: "string", enum: ["L0", "L1", "L2", "L3", "L4"] },
      complexity_reason: { type: "string" },
    },
  });
});

describe("the summary", () => {
  test.each<[string, string | string[]]>([
    ["a list", ["one", " - two", "3. three", " "]],
    ["a text of bullets", "- one\n* two\n\n3) three\n"],
  ])("may be %s", (_, summary) => {
    expect(draft({ spec_summary: summary }).summary).toEqual(["one", "two", "three"]);
  });
});

describe("the level", () => {
  test("is the one that is told, else that of the head, else the hint", () => {
    expect(draft({ complexity: "L2", complexity_reason: "three parts" })).toMatchObject({
      complexity: "L2",
      complexityReason: "three parts",
    });
    const own = L0.replace("**Complexity:** L0", "**Complexity:** L0 (one loop)");
    expect(draft({ spec_markdown: own, complexity: null })).toMatchObject({
      complexity: "L0",
      complexityReason: "one loop",
    });
    expect(draft({ spec_markdown: BODY }, { complexityHint: "L3" }).complexity).toBe("L3");
    expect(draft({ spec_markdown: BODY }).markdown).toContain("**Complexity:** L1 (no reason given)");
  });

  test("has a reason of one line", () => {
    expect(draft({ complexity: "L0", complexity_reason: "one\n**Status:** Approved" }).markdown).toContain(
      "**Complexity:** L0 (one **Status:** Approved)\n",
    );
  });
});

describe("the document", () => {
  test.each([
    ["in a fence", `\`\`\`markdown\n${L0}\`\`\``],
    ["with front matter", `---\ntitle: x\nstatus: Approved\n---\n${L0}`],
    ["with words before it", L0.replace("# Spec:", "Here is the spec:\n\n# Spec:")],
    ["with other line ends", L0.replaceAll("\n", "\r\n")],
  ])("%s comes to the same", (_, markdown) => {
    expect(draft({ spec_markdown: markdown }).markdown).toBe(draft({}).markdown);
  });

  test("without a head gets one, with the issue's title", () => {
    expect(draft({ spec_markdown: BODY }).markdown).toMatch(/^# Spec: Lost row\n\n\*\*Status:\*\* Proposed .* {2}\n/);
  });

  test("with headings of the first level keeps its title and its sections", () => {
    const flat = L0.replaceAll(/^## /gm, "# ");
    const { markdown } = draft({ spec_markdown: flat });
    expect(markdown.match(/^# .*$/gm)).toEqual([
      "# Spec: Import keeps the last row of a CSV without a final newline",
      "# TL;DR",
      "# Problem Statement",
      "# Success Criteria",
      "# Implementation Plan",
    ]);
  });

  test("that is no spec stays as it is, for the validator to say so", () => {
    expect(draft({ spec_markdown: "I could not do it." }).markdown).toBe("I could not do it.\n");
  });
});

import { expect, test } from "vitest";
import { loadPrompt } from "../../adapters/models/prompt.ts";
import { SECTIONS } from "../../domain/spec-document/document.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { LENGTHS } from "../validate/rules.ts";
import { validateSpec } from "../validate/validate.ts";
import { instructionsFrom } from "./instructions.ts";

const prompt = instructionsFrom(loadPrompt("spec"));
const [form = "", example = ""] = Array.from(
  prompt.matchAll(/^````markdown\n([^]*?)^````$/gm),
  (found) => found[1] ?? "",
);

test("the form that the prompt shows has every section that a model writes, and its tables are read", () => {
  const document = parseSpec(form);
  expect(document.sections.map((section) => section.key)).toEqual(SECTIONS.filter((key) => key !== "evidence"));
  expect(document).toMatchObject({ complexity: "L1", requirements: [{ scenarios: [{}] }] });
  for (const list of [document.decisions, document.assumptions, document.tasks, document.goals, document.nonGoals]) {
    expect(list).toHaveLength(1);
  }
});

test("the spec that the prompt shows is valid without a warning, and far below its length", async () => {
  const grounding = {
    gapNumbers: new Set<number>(),
    findingIds: ["1"],
    messageCount: 0,
  };
  const { errors, warnings, metadata, complexity } = await validateSpec(example, { grounding });
  expect([...errors, ...warnings]).toEqual([]);
  expect(complexity).toBe("L0");
  expect(metadata.line_count).toBeLessThan(LENGTHS.L0 * 0.7);
});

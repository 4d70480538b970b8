import type { Block } from "./blocks.ts";
import type { Requirement, Scenario, SpecDocument, Step } from "./document.ts";

const STEP = /^[^\p{L}\p{N}]*(GIVEN|WHEN|THEN|AND|BUT)(?![\p{L}\p{N}])[*_]*\s*:?[*_]*(.*)$/isu;

/** Requirements with their scenarios; steps may be list items, lines or code, bold or not, in any case. */
export function readRequirements(blocks: Block[]): Pick<SpecDocument, "requirements" | "looseScenarios"> {
  const requirements: Requirement[] = [];
  const looseScenarios: Scenario[] = [];
  let scenario: Scenario | null = null;
  for (const block of blocks) {
    if (block.kind === "heading") {
      const named = /^[*_]*(requirement|scenario)[*_]*\s*:?[*_]*(.*)$/is.exec(block.text);
      const name = (named?.[2] ?? block.text).trim();
      if (named?.[1]?.toLowerCase() === "scenario") {
        scenario = { name, line: block.line, steps: [] };
        (requirements.at(-1)?.scenarios ?? looseScenarios).push(scenario);
      } else {
        scenario = null;
        if (named) requirements.push({ name, line: block.line, statement: "", scenarios: [] });
      }
      continue;
    }
    if (block.kind === "row") continue;
    if (scenario) {
      scenario.steps.push(...stepsIn(block.text, block.line));
      continue;
    }
    const requirement = requirements.at(-1);
    if (requirement) requirement.statement += `${requirement.statement === "" ? "" : "\n"}${block.text.trim()}`;
  }
  return { requirements, looseScenarios };
}

function stepsIn(text: string, line: number): Step[] {
  return text.split("\n").flatMap((one, index) => {
    const match = STEP.exec(one);
    return match ? [{ keyword: keywordOf(match[1] ?? ""), text: (match[2] ?? "").trim(), line: line + index }] : [];
  });
}

function keywordOf(word: string): Step["keyword"] {
  switch (word.toUpperCase()) {
    case "GIVEN":
      return "GIVEN";
    case "WHEN":
      return "WHEN";
    case "THEN":
      return "THEN";
    default:
      return "AND";
  }
}

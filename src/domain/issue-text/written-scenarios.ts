import { scenariosIn } from "./gherkin.ts";
import { type Block, plainText } from "./markdown.ts";
import type { Section } from "./sections.ts";

/** The scenarios that a paragraph, an item, or a block of code holds, and nothing else. */
export function scenariosOf(block: Block): string[] {
  if (block.kind === "code") return scenariosIn(block.text);
  if (block.kind !== "paragraph" || block.quoted) return [];
  return scenariosIn(block.text).map(plainText);
}

export function withoutScenarios(section: Section): Section {
  const blocks = section.blocks.filter((block) => scenariosOf(block).length === 0);
  return blocks.length === section.blocks.length ? section : { ...section, blocks };
}

import { oneLine } from "../../lib/text.ts";
import { COMPLEXITIES } from "../spec.ts";
import { type Block, linesOf, readBlocks } from "./blocks.ts";
import { NUMBERED, citationsIn, citedKind } from "./citations.ts";
import type { Line, Requirement, Scenario, Section, SectionKey, SpecDocument, Step } from "./document.ts";
import { withoutLinks } from "./links.ts";
import { readAssumptions, readDecisions, readTasks } from "./tables.ts";

/**
 * Parses a spec. Any text gives a document; missing parts are empty. Lines count from 1 in the text as given. Citations
 * read the same with and without links.
 */
export function parseSpec(text: string): SpecDocument {
  const blocks = readBlocks(text).map(asUnlinked);
  const lineCount = text === "" ? 0 : linesOf(text.replace(/(?:\r\n?|\n)$/, "")).length;
  const { sections, inside, head } = divide(blocks, lineCount);
  const of = (key: SectionKey): Block[] => inside.get(key) ?? [];
  const goals = readGoals(of("goals"));
  const evidence = new Set(of("evidence"));
  return {
    ...readHead(head),
    sections,
    tldr: bullets(of("tldr")),
    problem: prose(of("problem"))
      .map((line) => line.text)
      .join("\n"),
    ...readRequirements(of("criteria")),
    ...goals,
    decisions: readDecisions(of("decisions")),
    assumptions: readAssumptions(of("assumptions")),
    tasks: readTasks(of("plan")),
    tests: readTests(of("tests")),
    changelog: readChangelog(of("changelog")),
    citations: blocks.filter((block) => !evidence.has(block)).flatMap(citationsOf),
    evidence: sections.some(({ key }) => key === "evidence") ? evidenceOf([...evidence]) : null,
    lineCount,
  };
}

const NAMES: [RegExp, SectionKey][] = [
  [/^(?:tl ?dr|summary)$/, "tldr"],
  [/^(?:the )?problem(?: statement)?$/, "problem"],
  [/^(?:success|acceptance) criteria$|^requirements$/, "criteria"],
  [/^(?:goals(?: (?:and )?non ?goals)?|non ?goals)$/, "goals"],
  [/^decisions?(?: log)?$/, "decisions"],
  [/^assumptions?$/, "assumptions"],
  [/^(?:technical )?design$/, "design"],
  [/^(?:implementation(?: plan)?|tasks)$/, "plan"],
  [/^(?:implementation|implementers?) notes$|^notes for (?:the )?implementers?$/, "notes"],
  [/^test(?:s|ing)?(?: plan)?$/, "tests"],
  [/^(?:observability|rollout)(?: (?:and )?rollout)?$/, "observability"],
  [/^gotchas?(?: (?:and )?best practices)?$/, "gotchas"],
  [/^migration(?: plan)?$/, "migration"],
  [/^risks?(?: matrix)?$/, "risks"],
  [/^alternatives?(?: considered)?$/, "alternatives"],
  [/^change ?log$/, "changelog"],
  [/^evidence$/, "evidence"],
];

/** The section that a heading opens, ignoring its numbering, case, emphasis and remarks in brackets. */
export function sectionKey(heading: string): SectionKey | null {
  const name = heading
    .toLowerCase()
    .replaceAll(/\([^()]*\)/g, " ")
    .replaceAll(/[*_`]/g, "")
    .replace(/^[\s\d.)]+/, "")
    .replaceAll(/[;'’]/g, "")
    .replaceAll(/[^\p{L}]+/gu, " ")
    .trim();
  return NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** A section goes from its heading to the next one of its depth or above; the title's heading is not one. */
function divide(blocks: Block[], lineCount: number) {
  const sections: Section[] = [];
  const inside = new Map<SectionKey, Block[]>();
  const head: Block[] = [];
  const depth = sectionDepth(blocks);
  let current: Section | null = null;
  for (const block of blocks) {
    if (
      block.kind === "heading" &&
      block.depth <= depth &&
      (block.depth === depth || sectionKey(block.text) !== null)
    ) {
      if (current) current.endLine = block.line - 1;
      current = { key: sectionKey(block.text), heading: block.text, line: block.line, endLine: lineCount };
      sections.push(current);
      continue;
    }
    if (!current) head.push(block);
    else if (current.key !== null) {
      const known = inside.get(current.key);
      if (known) known.push(block);
      else inside.set(current.key, [block]);
    }
  }
  return { sections, inside, head };
}

/** Sections are at depth 2; in a text without any, at the depth of the first heading with a known name. */
function sectionDepth(blocks: Block[]): number {
  const headings = blocks.filter((block) => block.kind === "heading");
  const known = headings.filter((heading) => sectionKey(heading.text) !== null);
  return known.some((heading) => heading.depth === 2) ? 2 : (known[0]?.depth ?? 2);
}

/** A field of the head: `**Status:** Draft`, `Status: Draft`, `- **Status**: Draft`. */
export const FIELD = /^[\s*_>-]*(status|issue|last updated|complexity)[*_]*\s*:[*_]*(.*)$/is;

function readHead(head: Block[]): Pick<SpecDocument, "title" | "status" | "issue" | "lastUpdated" | "complexity"> {
  const fields = new Map<string, string>();
  let title: string | null = null;
  for (const block of head) {
    if (block.kind === "heading" && title === null) title = block.text.replace(/^spec\s*:\s*/i, "") || null;
    if (block.kind !== "text" && block.kind !== "item") continue;
    for (const line of block.text.split("\n")) {
      const match = FIELD.exec(line);
      if (match) fields.set((match[1] ?? "").toLowerCase(), (match[2] ?? "").trim());
    }
  }
  const level = /\bL[0-4]\b/i.exec(fields.get("complexity") ?? "")?.[0].toUpperCase();
  return {
    title,
    status: fields.get("status") ?? null,
    issue: fields.get("issue") ?? null,
    lastUpdated: fields.get("last updated") ?? null,
    complexity: COMPLEXITIES.find((one) => one === level) ?? null,
  };
}

function bullets(blocks: Block[]): Line[] {
  return blocks.flatMap((block) => (block.kind === "item" && block.depth === 1 ? [lineOf(block)] : []));
}

function prose(blocks: Block[]): Line[] {
  return blocks.flatMap((block) => (block.kind === "text" || block.kind === "item" ? [lineOf(block)] : []));
}

function lineOf({ text, line }: Line): Line {
  return { text: text.trim(), line };
}

function readGoals(blocks: Block[]): Pick<SpecDocument, "goals" | "nonGoals"> {
  let to: "goals" | "nonGoals" = "goals";
  const found: Pick<SpecDocument, "goals" | "nonGoals"> = { goals: [], nonGoals: [] };
  for (const block of blocks) {
    if (block.kind === "heading" || block.kind === "text") to = /non/i.test(block.text) ? "nonGoals" : "goals";
    if (block.kind === "item" && block.depth === 1) found[to].push({ text: block.text.trim(), line: block.line });
  }
  return found;
}

function readChangelog(blocks: Block[]): Line[] {
  const entries = bullets(blocks);
  return entries.length > 0 ? entries : prose(blocks);
}

function readTests(blocks: Block[]): SpecDocument["tests"] {
  let group = "";
  const tests: SpecDocument["tests"] = [];
  for (const block of blocks) {
    if (block.kind === "heading") group = block.text;
    if (block.kind === "item")
      tests.push({ group, text: block.text.replace(/^\[[ xX]\]\s*/, "").trim(), line: block.line });
  }
  return tests;
}

function asUnlinked(block: Block): Block {
  switch (block.kind) {
    case "code":
      return block;
    case "row":
      return { ...block, cells: block.cells.map(withoutLinks) };
    case "heading":
    case "text":
    case "item":
      return { ...block, text: withoutLinks(block.text) };
    default:
      return block satisfies never;
  }
}

/** The entries of the Evidence; below the heading of a removed finding stands its text, struck out, and then why. */
function evidenceOf(blocks: Block[]): NonNullable<SpecDocument["evidence"]> {
  return blocks.flatMap((block, at) => {
    const next = blocks[at + 1];
    const why = block.kind === "heading" && next?.kind === "text" ? STRUCK_OUT.exec(next.text)?.[1] : undefined;
    return evidenceIn(block).map((one) =>
      one.kind === "finding" && why !== undefined ? { ...one, removed: oneLine(why) } : one,
    );
  });
}

const STRUCK_OUT = /^~~[^]{1,2000}?~~\s+(\S[^]*)$/;

/** What a heading or a list item of the Evidence is about: `### Finding 2`, `- message 7: …`. */
function evidenceIn(block: Block): NonNullable<SpecDocument["evidence"]> {
  if (block.kind !== "heading" && block.kind !== "item") return [];
  const named = [...block.text.matchAll(NUMBERED)].find(({ index }) => /^[\s*_]*$/.test(block.text.slice(0, index)));
  return named === undefined ? [] : [{ kind: citedKind(named[1] ?? ""), id: /\d+/.exec(named[2] ?? "")?.[0] ?? "" }];
}

function citationsOf(block: Block) {
  switch (block.kind) {
    case "code":
      return [];
    case "row":
      return block.cells.flatMap((cell) => citationsIn(cell, block.line));
    case "heading":
    case "text":
    case "item":
      return citationsIn(block.text, block.line);
    default:
      return block satisfies never;
  }
}

const STEP = /^[^\p{L}\p{N}]*(GIVEN|WHEN|THEN|AND|BUT)(?![\p{L}\p{N}])[*_]*\s*:?[*_]*(.*)$/isu;

/** Requirements with their scenarios; steps may be list items, lines or code, bold or not, in any case. */
function readRequirements(blocks: Block[]): Pick<SpecDocument, "requirements" | "looseScenarios"> {
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

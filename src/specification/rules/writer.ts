import { specPhrases } from "../../i18n/spec.ts";
import { issueName } from "../../domain/issue.ts";
import type { SpecDraft, SpecGenerator, SpecInput } from "../generator.ts";
import { atLeastLevel } from "../validate/rules.ts";
import { withChangelog } from "./changes.ts";
import { factsOf } from "./facts.ts";
import { levelOf } from "./level.ts";
import { section } from "./markdown.ts";
import { planOf } from "./plan.ts";
import { scenariosOf } from "./scenarios.ts";
import type { Parts } from "./sections.ts";
import {
  assumptionsOf,
  criteriaOf,
  decisionsOf,
  designOf,
  goalsOf,
  planTable,
  problemOf,
  testsOf,
  tldrOf,
} from "./sections.ts";

/**
 * Writes specs by rules, without a model (R-PLAN-12, R-SPEC-4, R-SPEC-5): what people said and the findings show, in
 * the depth that the issue needs, and nothing else. The same input gives the same text.
 */
export function offlineSpecGenerator(): SpecGenerator {
  return {
    name: "offline",
    generate: async (input) => await Promise.resolve(write(input)),
  };
}

function write(input: SpecInput): SpecDraft {
  const say = specPhrases(input.issue.language);
  const facts = factsOf(input);
  const scenarios = scenariosOf(facts, say);
  const parts: Parts = { input, facts, scenarios, tasks: planOf(facts, scenarios, say), say };
  const { level, reason } = levelOf(input, facts, say);
  const deep = (from: "L1" | "L2") => atLeastLevel(level, from);
  const tldr = tldrOf(parts);
  const sections = [
    headOf(parts, level, reason),
    section("TL;DR", tldr.map((bullet) => `- ${bullet}`).join("\n")),
    section("Problem Statement", problemOf(parts)),
    section("Success Criteria", criteriaOf(parts)),
    deep("L1") ? section("Goals / Non-goals", goalsOf(parts)) : "",
    deep("L1") || facts.answers.length > 0 ? section("Decision Log", decisionsOf(parts, deep("L1"))) : "",
    deep("L2") || facts.assumptions.length > 0 ? section("Assumptions", assumptionsOf(parts)) : "",
    deep("L2") ? section("Design", designOf(parts)) : "",
    section("Implementation Plan", planTable(parts)),
    deep("L2") ? section("Test Plan", testsOf(parts)) : "",
  ];
  const document = `${sections.filter((part) => part !== "").join("\n\n")}\n`;
  return {
    ...withChangelog(document, input, say),
    summary: summaryOf(parts, tldr),
    complexity: level,
    complexityReason: reason,
  };
}

function headOf({ input, facts, say }: Parts, level: string, reason: string): string {
  const { issue } = input;
  return [
    `# Spec: ${facts.title}`,
    "",
    "**Status:** Draft  ",
    `**Issue:** ${(issue.url ?? issueName(issue)).replaceAll(/[\s<>`|]+/g, "")}  `,
    `**Last updated:** ${input.now.toISOString()}  `,
    `**Complexity:** ${level} (${reason})`,
    "",
    `_${say("drafted")}_`,
  ].join("\n");
}

/** The TL;DR, then the tasks and scenarios, 5 to 10 bullets (R-SPEC-8). */
function summaryOf({ tasks, scenarios, facts }: Parts, tldr: string[]): string[] {
  const more = [...tasks.map((task) => task.text), ...scenarios.map((scenario) => scenario.name), facts.title];
  return [...new Set([...tldr, ...more])].slice(0, Math.max(5, Math.min(10, tldr.length + tasks.length)));
}

import * as fc from "fast-check";
import { COMPLEXITIES } from "../../src/domain/spec.ts";

const words = fc.constantFrom(
  "the page is slow",
  "das Menü öffnet sich nicht",
  "кнопка не работает",
  "ボタンが動かない",
  "按钮不起作用",
  "`src/menu.ts:12-20` is old (Gap #1, Finding #2)",
  "a | b and \\`code\\`",
  "message 7 asks for it",
);
const sentence = fc.array(words, { minLength: 1, maxLength: 3 }).map((some) => some.join(", "));
const prose = fc.oneof(
  sentence,
  fc.tuple(sentence, sentence).map(([a, b]) => `${a}\n${b}`),
  fc.tuple(sentence, sentence).map(([a, b]) => `${a}\n\n- ${b}\n  - nested\n\n> quoted`),
  sentence.map((one) => `${one}\n\n\`\`\`ts\n## no heading\n### Requirement: none\n\`\`\``),
  fc.tuple(sentence, sentence).map(([a, b]) => `${a}\n\n#### Deeper\n\n${b}`),
  fc.tuple(sentence, sentence).map(([a, b]) => `${a}\n\nUnder lined\n===\n\n${b}`.replace("===", "---")),
);
const bullets = fc.array(sentence, { maxLength: 7 }).map((some) => some.map((one) => `- ${one}`).join("\n"));
const cell = fc.oneof(sentence, fc.constant("-")).map((text) => text.replaceAll("|", "\\|"));
const table = (header: string, columns: number) =>
  fc
    .array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 4 })
    .map((rows) => [header, `|${"---|".repeat(columns)}`, ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n"));
const name = fc.oneof(sentence, fc.constantFrom("Kept choice", "Kept choice", "kept  Choice", "C #", ""));
const scenario = fc
  .record({ name, steps: fc.array(fc.tuple(fc.constantFrom("GIVEN", "WHEN", "THEN", "AND"), sentence)) })
  .map((one) =>
    [`#### Scenario: ${one.name}`, "", ...one.steps.map(([keyword, text]) => `- **${keyword}** ${text}`)].join("\n"),
  );
const requirement = fc
  .record({
    name,
    statement: fc.oneof(
      prose,
      fc.constant(""),
      prose.map((text) => `The system SHALL say: ${text}`),
    ),
    scenarios: fc.array(scenario, { maxLength: 3 }),
  })
  .map((one) => [`### Requirement: ${one.name}`, one.statement, ...one.scenarios].join("\n\n"));
const task = fc.record({
  task: sentence,
  touch: fc.constantFrom("`src/a.ts`", "`src/b.ts` (new), `src/c.ts:4`", "`src/a.ts#run`"),
  done: cell,
  owner: fc.constantFrom("Ada", "Grace"),
});
const plan = fc
  .array(task, { minLength: 1, maxLength: 5 })
  .map((tasks) =>
    [
      "| # | Task | Touch Points | Done When | Blocked By | Owner |",
      "|---|---|---|---|---|---|",
      ...tasks.map((one, at) =>
        [
          `| ${at === 3 ? "T4" : at + 1}`,
          one.task.replaceAll("|", "\\|"),
          one.touch,
          one.done,
          at === 0 ? "-" : "1",
          `${one.owner} |`,
        ].join(" | "),
      ),
    ].join("\n"),
  );
/** Specs of all shapes that Relay's document has, in several scripts; not all of them are valid. */
export const generatedSpecs = fc
  .record({
    title: fc.oneof(sentence, fc.constantFrom("Change: the proposal", "Proposal")),
    level: fc.constantFrom(...COMPLEXITIES),
    tldr: bullets,
    problem: prose,
    loose: fc.array(scenario, { maxLength: 2 }),
    requirements: fc.array(requirement, { minLength: 1, maxLength: 4 }),
    goals: bullets,
    decisions: table("| Decision | Context | Consequences |", 3),
    assumptions: table("| Assumption | Evidence | If Wrong |", 3),
    design: prose,
    plan,
    notes: prose,
    tests: bullets,
    evidence: bullets,
    context: prose,
    impact: fc.constantFrom(
      "",
      "## Impact\n\nThe shop.\n\n## Purpose\n\nWhat people see in the shop when they come back.",
    ),
    changelog: bullets,
  })
  .map((one) =>
    [
      `# Spec: ${one.title}`,
      `**Status:** Draft  \n**Issue:** lamp/lamp#7  \n**Last updated:** 2026-11-20T10:00:00Z  \n**Complexity:** ${one.level}`,
      "_Drafted without a model._",
      `## TL;DR\n\n${one.tldr}`,
      `## Problem Statement\n\n${one.problem}`,
      `## Decision Log\n\n${one.decisions}`,
      `## 4. Assumptions\n\n${one.assumptions}`,
      `## Goals / Non-goals\n\n**Goals**\n\n${one.goals}\n\n**Non-goals**\n\n${one.goals}`,
      ["## Success Criteria", ...one.loose, ...one.requirements].join("\n\n"),
      `## Design\n\n${one.design}`,
      `## Implementation Plan\n\n${one.plan}`,
      `## Implementation Notes\n\n${one.notes}`,
      `## Test Plan\n\n### Unit\n\n${one.tests}`,
      `## Gotchas`,
      `## Evidence\n\n${one.evidence}`,
      `## Context\n\n${one.context}`,
      one.impact,
      `## Changelog\n\n${one.changelog}`,
    ].join("\n\n"),
  );

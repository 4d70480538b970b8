import { TRACKERS } from "../../adapters/trackers/registry.ts";
import { decisionsOf } from "./decisions.ts";
import { type Translate, phrases } from "../../i18n/phrases.ts";
import type { SpecDraft, SpecGenerator, SpecInput } from "../generator.ts";
import { specHead } from "../head.ts";
import { atLeastLevel } from "../validate/rules.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { type SpecFacts, factsOf } from "./facts.ts";
import { deepSections, deepestOf, depthOf } from "./depth.ts";
import { leftOut } from "./heard.ts";
import { section } from "./markdown.ts";
import { refusesChange } from "../../approval/answer.ts";
import { planOf } from "./plan.ts";
import { scenariosOf } from "./scenarios.ts";
import { type FactsOfWork, isNothing, workLeft } from "./work-left.ts";
import { wishesHeard } from "./wished.ts";
import { problemOf } from "./problem.ts";
import {
  type Parts,
  assumptionsOf,
  criteriaOf,
  designOf,
  goalsOf,
  notesOf,
  planTable,
  testsOf,
  tldrOf,
} from "./sections.ts";
import type { Complexity } from "../../domain/spec.ts";

/**
 * Writes specs by rules, without a model (R-PLAN-12, R-SPEC-4, R-SPEC-5): only what people said and the findings show,
 * in the depth that the issue needs. The same input gives the same text.
 */
export function offlineSpecGenerator(): SpecGenerator {
  return {
    name: "offline",
    generate: async (input) =>
      await Promise.resolve(
        write(input, leftOut(write(input, []).markdown, input, wishesHeard(input, []).forbiddenIn)),
      ),
  };
}

/** The answer that nothing is to change agrees to what was assumed for that: the documentation answers the question. */
function withRefusals(input: SpecInput): SpecInput {
  if (input.reading.kind.kind !== "question") return input;
  const closedGaps = input.closedGaps.map((gap) =>
    gap.topic === "acceptance" && gap.closedReason === "answered" && refusesChange(gap.closedNote ?? "")
      ? { ...gap, closedReason: "inferred" as const, closedNote: gap.proposedDefault ?? gap.closedNote }
      : gap,
  );
  return { ...input, closedGaps };
}

function write(given: SpecInput, heard: readonly Statement[]): SpecDraft {
  const input = withRefusals(given);
  const { language, provider } = input.issue;
  const say = phrases("spec", language, TRACKERS[provider].requestWord);
  const facts = workLeft(factsOf(input, heard, say), input);
  const scenarios = scenariosOf(facts, say);
  const { level, reason } = levelOf(input, facts, say);
  const parts: Parts = { input, facts, scenarios, tasks: planOf(facts, scenarios, say), say };
  const deep = (from: "L1" | "L2") => atLeastLevel(level, from);
  const tldr = tldrOf(parts);
  const sections = [
    headOf(parts, level, reason),
    section("TL;DR", tldr.map((bullet) => `- ${bullet}`).join("\n")),
    section("Problem Statement", problemOf(parts)),
    deep("L1") || facts.answers.length + facts.heard.decisions.length + facts.heard.tried.length > 0
      ? section("Decision Log", decisionsOf(parts, deep("L1")))
      : "",
    section("Assumptions", assumptionsOf(parts, deep("L2"))),
    deep("L1") || facts.heard.bounds.length > 0 ? section("Goals / Non-goals", goalsOf(parts, deep("L1"))) : "",
    section("Success Criteria", criteriaOf(parts)),
    deep("L2") ? section("Design", designOf(parts)) : "",
    section("Implementation Plan", planTable(parts)),
    section("Implementation Notes", isNothing(facts) ? "" : notesOf(parts)),
    deep("L2") ? section("Test Plan", testsOf(parts)) : "",
    ...deepSections(depthOf(input), level),
  ];
  const document = `${sections.filter((part) => part !== "").join("\n\n")}\n`;
  return {
    markdown: document,
    changelog: "",
    changes: [
      ...wishesHeard(input, []).changes,
      ...parts.tasks.flatMap(({ text, asked = [] }) => asked.map((seq) => ({ part: text, because: `message ${seq}` }))),
    ],
    summary: summaryOf(parts, tldr),
    complexity: level,
    complexityReason: reason,
  };
}

function headOf({ input, facts, say }: Parts, level: Complexity, reason: string): string {
  return `${specHead(facts.title, input.issue, { level, reason }, input.now)}\n\n_${say("drafted")}_`;
}

/** The TL;DR, then the tasks and scenarios, 5 to 10 bullets (R-SPEC-8). */
function summaryOf({ tasks, scenarios, facts }: Parts, tldr: string[]): string[] {
  const more = [...tasks.map((task) => task.text), ...scenarios.map((scenario) => scenario.name), facts.title];
  return [...new Set([...tldr, ...more])].slice(0, Math.max(5, Math.min(10, tldr.length + tasks.length)));
}

const SEVERAL = 3;
const MANY = 5;

/**
 * The depth of the spec (R-SPEC-5) and the reason for it, from the kind of issue, the number of files that it touches
 * and of decisions it needed. Beyond L2 it goes, also by a hint,
 * as far as people said something for the sections of the level.
 */
function levelOf(input: SpecInput, facts: FactsOfWork, say: Translate<"spec">): { level: Complexity; reason: string } {
  const { complexityHint, closedGaps } = input;
  const files = new Set([...facts.places, ...facts.docs].map((place) => place.path)).size;
  const settled = closedGaps.filter((gap) => gap.closedReason !== "not_relevant").length;
  const reason = say("reason", { kind: say(`kind_${facts.kind}`), files, settled });
  // A level with an empty decision log is too deep.
  const deepest =
    isNothing(facts) || facts.answers.length + facts.places.length + facts.docs.length === 0
      ? "L0"
      : deepestOf(depthOf(input));
  if (complexityHint === null) return { level: lower(inferred(facts, files, settled, deepest), deepest), reason };
  return {
    level: lower(complexityHint, deepest),
    reason: `${say("reason_hint", { level: complexityHint })}; ${reason}`,
  };
}

function lower(a: Complexity, b: Complexity): Complexity {
  return atLeastLevel(a, b) ? b : a;
}

function inferred(facts: SpecFacts, files: number, settled: number, deepest: Complexity): Complexity {
  if (facts.kind === "docs" || facts.kind === "question") return "L0";
  // A large request is as deep as what people said of its rollout and its data; nothing decided needs no log.
  const { bounds, heard, answers } = facts;
  const decided =
    answers.length + heard.decisions.length + heard.bounds.length + bounds.inside.length + bounds.outside.length;
  if (facts.isRequest && ((files >= SEVERAL && settled >= SEVERAL) || facts.criteria.length >= MANY)) return deepest;
  if (facts.isRequest) return decided > 0 ? "L1" : "L0";
  const isWide = files > SEVERAL && facts.calls.length < SEVERAL;
  return (decided > 0 && (settled >= SEVERAL || isWide)) || facts.criteria.length >= SEVERAL ? "L1" : "L0";
}

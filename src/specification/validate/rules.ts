import { type Complexity, COMPLEXITIES } from "../../domain/spec.ts";
import { citationsIn } from "../../domain/spec-document/citations.ts";
import type { Decision, Scenario, SectionKey, SpecDocument } from "../../domain/spec-document/document.ts";

/** A problem of a spec: the rule, the place, and how to fix it. */
export interface SpecProblem {
  rule: string;
  severity: "error" | "warning";
  /** From 1; if something is missing, the line that it should follow. */
  line: number;
  detail: string;
}

/** Lines that a spec of each level should stay below; longer ones do not get read. */
export const LENGTHS = { L0: 60, L1: 120, L2: 250 } as const satisfies Partial<Record<Complexity, number>>;

const NAME_LENGTH = 80;

/** Sections beyond those of every spec, and the level from which they are required (R-SPEC-5). */
const REQUIRED: { key: SectionKey; rule: string; from: Complexity; title: string }[] = [
  { key: "goals", rule: "has_goals", from: "L1", title: "Goals / Non-goals" },
  { key: "assumptions", rule: "has_assumptions", from: "L2", title: "Assumptions" },
  { key: "design", rule: "has_design", from: "L2", title: "Design" },
  { key: "tests", rule: "has_test_plan", from: "L2", title: "Test Plan" },
  { key: "observability", rule: "has_observability", from: "L3", title: "Observability + Rollout" },
  { key: "gotchas", rule: "has_gotchas", from: "L3", title: "Gotchas" },
  { key: "migration", rule: "has_migration_plan", from: "L4", title: "Migration plan" },
  { key: "risks", rule: "has_risk_matrix", from: "L4", title: "Risk matrix" },
  { key: "alternatives", rule: "has_alternatives", from: "L4", title: "Alternatives" },
];

export function atLeastLevel(level: Complexity, from: Complexity): boolean {
  return COMPLEXITIES.indexOf(level) >= COMPLEXITIES.indexOf(from);
}

/** The rules that need only the document (R-SPEC-6); neither its code nor its Evidence counts towards its length. */
export function structuralProblems(document: SpecDocument, level: Complexity, proseLines: number): SpecProblem[] {
  return [
    ...basics(document),
    ...scenarios(document),
    ...sectionsOf(document, level),
    ...decisions(document, level),
    ...tasks(document),
    ...assumptions(document),
    ...length(proseLines, level),
  ];
}

function basics(document: SpecDocument): SpecProblem[] {
  const problems: SpecProblem[] = [];
  const tldr = sectionOf(document, "tldr");
  if (!tldr)
    problems.push(error("has_tldr", document.lineCount, "there is no TL;DR; add `## TL;DR` with 3 to 7 bullets"));
  else if (document.tldr.length < 3 || document.tldr.length > 7) {
    problems.push(error("has_tldr", tldr.line, `the TL;DR has ${document.tldr.length} bullets; write 3 to 7`));
  }
  const problem = sectionOf(document, "problem");
  if (!problem || document.problem === "") {
    problems.push(
      error(
        "has_problem",
        problem?.line ?? document.lineCount,
        "say what is to be solved under `## Problem Statement`",
      ),
    );
  }
  const plan = sectionOf(document, "plan");
  if (!plan || document.tasks.length === 0) {
    problems.push(
      error(
        "has_implementation_plan",
        plan?.line ?? document.lineCount,
        "add `## Implementation Plan` with at least one task, as a table or a list",
      ),
    );
  }
  if (document.title === null) problems.push(warning("has_title", 1, "begin with `# Spec: …`"));
  return problems;
}

function scenarios(document: SpecDocument): SpecProblem[] {
  const all = allScenarios(document);
  const criteria = sectionOf(document, "criteria");
  const problems: SpecProblem[] = [];
  if (all.length === 0) {
    problems.push(
      error(
        "has_scenarios",
        criteria?.line ?? document.lineCount,
        "add at least one `#### Scenario:` with WHEN and THEN under `## Success Criteria`",
      ),
    );
  }
  for (const scenario of all) {
    const missing = ["WHEN", "THEN"].filter((keyword) => !scenario.steps.some((step) => step.keyword === keyword));
    if (missing.length > 0) {
      problems.push(
        error(
          "scenario_format",
          scenario.line,
          `the scenario ${quoted(scenario.name)} has no ${missing.join(" and no ")}; add a line \`- **${missing[0]}** …\``,
        ),
      );
    }
    const empty = scenario.steps.find((step) => step.text === "");
    if (empty) problems.push(error("scenario_format", empty.line, `${empty.keyword} says nothing; complete the line`));
  }
  for (const requirement of document.requirements) {
    if (!/\b(?:SHALL|MUST)\b/.test(requirement.statement)) {
      problems.push(
        warning(
          "requirement_shall",
          requirement.line,
          `the requirement ${quoted(requirement.name)} has no SHALL or MUST; say what the system SHALL do`,
        ),
      );
    }
  }
  return problems;
}

function sectionsOf(document: SpecDocument, level: Complexity): SpecProblem[] {
  return REQUIRED.filter(({ key, from }) => atLeastLevel(level, from) && !sectionOf(document, key)).map(
    ({ rule, title }) => error(rule, document.lineCount, `a spec of ${level} needs the section \`## ${title}\``),
  );
}

/** A missing decision log is a warning at L1 and an error from L2 on. */
function decisions(document: SpecDocument, level: Complexity): SpecProblem[] {
  const log = sectionOf(document, "decisions");
  const problems: SpecProblem[] = [];
  if (!log || document.decisions.length === 0) {
    const line = log?.line ?? document.lineCount;
    const detail = "record the decisions under `## Decision Log`, each with the gap or finding it rests on";
    if (atLeastLevel(level, "L2")) problems.push(error("has_decision_log", line, detail));
    else if (level === "L1") problems.push(warning("has_decision_log", line, detail));
  }
  for (const decision of document.decisions) {
    if (!citesEvidence(decision)) {
      problems.push(
        warning(
          "decisions_have_context",
          decision.line,
          "the decision cites no evidence; name its gap (`Gap #2`), finding (`Finding #1`), message or `path:line`",
        ),
      );
    }
  }
  return problems;
}

function citesEvidence({ decision, context, consequences, line }: Decision): boolean {
  return [decision, context, consequences].some((text) => citationsIn(text, line).length > 0);
}

function tasks(document: SpecDocument): SpecProblem[] {
  return document.tasks
    .filter((task) => task.touchPoints.length === 0 && !task.changesNothing)
    .map((task) =>
      warning(
        "tasks_have_touch_points",
        task.line,
        `the task ${quoted(task.task || task.number)} names no file; put its paths under Touch Points`,
      ),
    );
}

function assumptions(document: SpecDocument): SpecProblem[] {
  return document.assumptions
    .filter((one) => one.ifWrong === "")
    .map((one) =>
      warning(
        "no_orphan_assumptions",
        one.line,
        "the assumption does not say what to do if it is wrong; fill in “If Wrong”",
      ),
    );
}

function length(lines: number, level: Complexity): SpecProblem[] {
  if (level === "L3" || level === "L4" || lines < LENGTHS[level]) return [];
  const most = LENGTHS[level];
  return [
    warning(
      "too_long",
      most,
      `the spec has ${lines} lines; a spec of ${level} should stay under ${most}, code not counted`,
    ),
  ];
}

export function allScenarios(document: SpecDocument): Scenario[] {
  return [...document.requirements.flatMap((requirement) => requirement.scenarios), ...document.looseScenarios];
}

function sectionOf(document: SpecDocument, key: SectionKey) {
  return document.sections.find((section) => section.key === key);
}

/** Quotes a name from the text in a message: short, without characters that a terminal would interpret. */
function quoted(name: string): string {
  // oxlint-disable-next-line no-control-regex -- matching them is the point
  const plain = name.replaceAll(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]+/g, " ");
  return `“${plain.length > NAME_LENGTH ? `${plain.slice(0, NAME_LENGTH).toWellFormed()}…` : plain}”`;
}

export function error(rule: string, line: number, detail: string): SpecProblem {
  return { rule, severity: "error", line: Math.max(1, line), detail };
}

export function warning(rule: string, line: number, detail: string): SpecProblem {
  return { rule, severity: "warning", line: Math.max(1, line), detail };
}

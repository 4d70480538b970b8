import type { Complexity } from "../spec.ts";

/**
 * The sections that a spec may have (R-SPEC-4), in the order in which Relay writes them: first what somebody approves, then
 * what somebody builds from (R-SPEC-20).
 */
export const SECTIONS = [
  "tldr",
  "problem",
  "decisions",
  "assumptions",
  "goals",
  "criteria",
  "design",
  "plan",
  "notes",
  "tests",
  "observability",
  "gotchas",
  "migration",
  "risks",
  "alternatives",
  "changelog",
  "evidence",
] as const;
export type SectionKey = (typeof SECTIONS)[number];

/** A text at its line, from 1. */
export interface Line {
  text: string;
  line: number;
}

export interface Section {
  /** Null for an unknown heading. */
  key: SectionKey | null;
  heading: string;
  line: number;
  /** The last line that belongs to it. */
  endLine: number;
}

export interface Step extends Line {
  keyword: "GIVEN" | "WHEN" | "THEN" | "AND";
}

export interface Scenario {
  name: string;
  line: number;
  steps: Step[];
}

export interface Requirement {
  name: string;
  line: number;
  statement: string;
  scenarios: Scenario[];
}

export interface Decision {
  decision: string;
  context: string;
  consequences: string;
  line: number;
}

export interface Assumption {
  assumption: string;
  ifWrong: string;
  line: number;
}

export interface TouchPoint {
  path: string;
  /** Marked as not existing yet. */
  isNew: boolean;
}

export interface Task {
  number: string;
  task: string;
  touchPoints: TouchPoint[];
  /** Its touch points are `none`: it changes no file. */
  changesNothing: boolean;
  doneWhen: string;
  blockedBy: string;
  line: number;
}

/** The kinds of evidence that a text points at. */
export type Cited =
  | { kind: "gap" | "finding" | "message"; id: string }
  | { kind: "file"; path: string; start: number; end: number };

/** The same at its line. */
export type Citation = Cited & { line: number };

/** A spec as a typed document (R-SPEC-4). */
export interface SpecDocument {
  title: string | null;
  status: string | null;
  issue: string | null;
  lastUpdated: string | null;
  complexity: Complexity | null;
  sections: Section[];
  tldr: Line[];
  problem: string;
  requirements: Requirement[];
  /** Scenarios under no requirement. */
  looseScenarios: Scenario[];
  goals: Line[];
  nonGoals: Line[];
  decisions: Decision[];
  assumptions: Assumption[];
  tasks: Task[];
  tests: (Line & { group: string })[];
  changelog: Line[];
  /** Everywhere but in the Evidence. */
  citations: Citation[];
  /**
   * Gaps, findings and messages whose text the section Evidence holds; null without the section (R-SPEC-17). A finding that
   * was removed says when and why.
   */
  evidence: { kind: "gap" | "finding" | "message"; id: string; removed?: string }[] | null;
  lineCount: number;
}

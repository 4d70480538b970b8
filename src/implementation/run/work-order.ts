import type { FixPlan } from "../../domain/plan.ts";
import type { CheckResult, RunReason, Wish } from "../../domain/work.ts";

export type { Wish } from "../../domain/work.ts";

/** Everything that a run is told about its task: values, looked up before it begins. */
export interface WorkOrder {
  reason: RunReason;
  issue: { name: string; number: number; title: string; url: string | null; language: string };
  /** The spec's text; null where there is none. */
  spec: string | null;
  plan: FixPlan;
  commands: WorkCommands;
  /** Where the repository says how code is to be written; `standard` where it does not. */
  styleGuide: string;
  /** What the team has taught Relay. */
  learnings: readonly string[];
  /** What people asked for in reviews, or which checks are red; empty for the plan itself. */
  wishes: readonly Wish[];
  /** The branch that was merged into the run's own for this run, or is being merged; null where there was none to. */
  merge: { base: string } | null;
  /** Questions of earlier runs with the people's answers. */
  answers: readonly { question: string; answer: string }[];
}

export interface WorkCommands {
  /** Run once, before the first iteration. */
  setup: readonly string[];
  /** The plan's validation commands. */
  checks: readonly string[];
  /** The repository's tests, which are a step of their own (decision 5). */
  tests: readonly string[];
}

export interface WorkLimits {
  iterations: number;
  minutes: number;
  /** Of one run of the agent. */
  iterationMinutes: number;
  /** Of one check. */
  checkMinutes: number;
  /** US dollars; null for no bound. */
  usd: number | null;
}

export type LoopResult =
  /** `redBefore`: commands that failed before the change as they do now; the change is not to blame for them. */
  | { kind: "done"; checks: CheckResult[]; summary: string; redBefore: string[] }
  /** The agent needs to know something (R-WORK-4). */
  | { kind: "question"; question: string }
  /** Two iterations in a row came no further. */
  | { kind: "no progress"; detail: string; checks: CheckResult[] }
  | { kind: "limit"; limit: "iterations" | "minutes" | "money"; checks: CheckResult[] }
  /** A set-up command of the repository did not pass, also when it was tried again. */
  | { kind: "setup failed"; check: CheckResult }
  /** No further run would fare better: the agent has no key, is not installed, … */
  | { kind: "unusable"; detail: string }
  /** Somebody took the task back. */
  | { kind: "stopped" };

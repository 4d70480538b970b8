import type { Exploration } from "../../domain/exploration.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import type { Concern } from "../../domain/concern.ts";
import type { Trouble } from "../../domain/outage.ts";
import type { FixPlan } from "../../domain/plan.ts";
import type { CheckResult, RevertedChange, RunReason, ChangeRequest } from "../../domain/work.ts";

export type { ChangeRequest } from "../../domain/work.ts";

/** Everything that a run knows about its task: plain values, collected before it starts. */
export interface WorkOrder {
  reason: RunReason;
  /** Whether commits must reveal nothing of the issue (R-SAFE-11). */
  neutral: boolean;
  issue: { name: string; number: number; title: string; url: string | null; language: string };
  known: KnownOfIssue;
  /** The spec's text; null if there is none. */
  spec: string | null;
  plan: FixPlan;
  /** Whether the plan is to fix a bug. */
  isFix: boolean;
  commands: WorkCommands;
  /** Where the repository documents its code style; `standard` if it does not. */
  styleGuide: string;
  /** What the team has taught Relay. */
  learnings: readonly string[];
  /** Change requests of reviews, or failed checks; empty for the plan itself. */
  changeRequests: readonly ChangeRequest[];
  /** The base branch that was or is being merged into the run's branch; null without a merge. */
  merge: { base: string } | null;
  /** Questions of earlier runs with the people's answers. */
  answers: readonly { question: string; answer: string }[];
}

/** What a run gets of the dossier, in addition to spec and plan (R-PLAN-13). */
export interface KnownOfIssue {
  /** The issue's own text. */
  body: string;
  /** Statements by people that still stand, in the order of the thread. */
  said: readonly Pick<Statement, "kind" | "text" | "author" | "decides" | "message">[];
  /** Questions with their numbers, and the answers or assumptions. */
  settled: readonly { number: number; question: string; outcome: string; assumed: boolean }[];
  findings: readonly { number: number; synthesis: string; locations: readonly string[] }[];
  explorations: readonly Exploration[];
}

export interface WorkCommands {
  /** Run once, before the first iteration. */
  setup: readonly string[];
  /** The plan's validation commands. */
  checks: readonly string[];
  /** The repository's tests, a step of their own (decision 5). */
  tests: readonly string[];
  /** Language versions that the repository asks for: `Node 18 (.nvmrc)`. */
  versions?: readonly string[];
}

export interface WorkLimits {
  iterations: number;
  minutes: number;
  /** For one agent run. */
  iterationMinutes: number;
  /** For one check. */
  checkMinutes: number;
  /** US dollars; null for no limit. */
  usd: number | null;
  /** Tokens, in and out, of models without a known price; null for no limit (R-WORK-13). */
  tokens: number | null;
}

/** The state of a run that ended without a finished change. */
export interface Unfinished {
  checks: CheckResult[];
  /** Whether `checks` are those of a clean checkout. */
  isClean: boolean;
  /** The agent's last words; empty without any. */
  said: string;
  /** The limits at which the agent was killed: `work.memory_mb: 512`. */
  bounds: string[];
  /** How the agent failed at last, unless a limit killed it; empty where it did not. */
  fault: string;
  /** What it changed at last and Relay reverted. */
  undone: RevertedChange[];
}

export type LoopResult =
  /**
   * `before`: results of the commands before the change; `redBefore`: commands that already failed then, for the same
   * reasons. `proving`: names of tests that fail only without the change; empty if that was not tried. `concerns`: what
   * a person should look at. `scan`: the result of the operator's scanner; null without one.
   */
  | {
      kind: "done";
      checks: CheckResult[];
      summary: string;
      redBefore: string[];
      before: CheckResult[];
      proving: string[];
      concerns: Concern[];
      scan: CheckResult | null;
    }
  /** The agent has a question (R-WORK-4). */
  | { kind: "question"; question: string }
  /** Several iterations in a row made no progress. */
  | ({ kind: "no progress"; detail: string } & Unfinished)
  | ({ kind: "limit"; limit: "iterations" | "minutes" | "money" | "tokens" } & Unfinished)
  /** Checks of the request are red, and the agent says that the change is not the cause; it changed nothing. */
  | { kind: "not caused"; checks: CheckResult[]; said: string }
  /** A set-up command of the repository failed twice. */
  | { kind: "setup failed"; check: CheckResult; versions: readonly string[] }
  /** An outage keeps the run from continuing; it can be resumed later (R-WORK-15). */
  | { kind: "outage"; trouble: Trouble }
  /** Retrying would not help: the agent has no key, is not installed, … */
  | { kind: "unusable"; detail: string }
  /** The task was cancelled. */
  | { kind: "stopped" };

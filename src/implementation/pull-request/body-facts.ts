import type { ChangedTest } from "../../code/tests/changed-tests.ts";
import type { FixPlan, TriageResult } from "../../domain/plan.ts";
import type { Concern } from "../../domain/concern.ts";
import type { LockFileChange } from "../run/concerns/new-dependencies.ts";
import type { ChangedSymbols } from "./changed-symbols.ts";
import type { ChangedFile, CheckResult, RevertedChange } from "../../domain/work.ts";

/** Everything a pull request text is built from; untrusted. */
export interface RequestFacts {
  taskId: string;
  /** Addresses of the hosts that the operator lets links lead to. */
  linked?: readonly string[];
  /** The issue is confidential and the request is not: it tells what the code shows, and nothing else (R-SAFE-11). */
  neutral: boolean;
  issue: { number: number; title: string; url: string | null; language: string };
  /** The branch that carries the change. */
  branch: string;
  plan: FixPlan;
  triage: TriageResult;
  planned: { version: number; sha256: string };
  spec: {
    sha256: string;
    url: string | null;
    text: string;
    /** Addresses of places that it names, such as `src/a.ts:1`, at the head of the branch. */
    places: ReadonlyMap<string, string>;
  } | null;
  /** The agent's summary; null without one. */
  summary: string | null;
  changes: readonly ChangedFile[];
  /** Where its symbolic links lead to. */
  linkTargets: ReadonlyMap<string, string>;
  /** Tests that it adds, changes and removes. */
  tests: readonly ChangedTest[];
  /** What it does to functions, classes and the like. */
  symbols: readonly ChangedSymbols[];
  /** The last results of all commands, and those before the change. */
  checks: readonly CheckResult[];
  before: readonly CheckResult[];
  /** Commands that failed in the baseline, for the same reasons as now. */
  failedBefore: readonly string[];
  /** Names of tests that fail without the change. */
  proving: readonly string[];
  /** What was assumed in place of answers. */
  assumptions: readonly string[];
  undone: readonly RevertedChange[];
  /** What the lock files tell of dependencies. */
  dependencies: readonly LockFileChange[];
  /** Of the operator's scanner; null without one. */
  scan: CheckResult | null;
  /** False once people have taken the request out of draft: that is theirs to say. */
  mayBeDraft: boolean;
  /** What a person should look at (R-WORK-11). */
  concerns: readonly Concern[];
}

export interface RequestText {
  title: string;
  body: string;
  draft: boolean;
  labels: string[];
}

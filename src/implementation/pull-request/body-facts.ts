import type { ChangedTest } from "../../code/tests/changed-tests.ts";
import type { FixPlan, TriageResult } from "../../domain/plan.ts";
import type { Issue } from "../../domain/issue.ts";
import type { Concern } from "../../domain/concern.ts";
import type { LockFileChange } from "../run/concerns/new-dependencies.ts";
import type { ChangedSymbols } from "./changed-symbols.ts";
import type { ChangedFile, CheckResult, RevertedChange } from "../../domain/work.ts";

/** Everything a pull request text is built from; untrusted. */
export interface RequestFacts {
  taskId: string;
  /** Addresses of the hosts that the operator allows links to. */
  linked?: readonly string[];
  /** The issue is confidential and the request is not: the text only says what the code shows (R-SAFE-11). */
  neutral: boolean;
  issue: Pick<Issue, "provider" | "title" | "url" | "language"> & { number: number };
  branch: string;
  plan: FixPlan;
  triage: TriageResult;
  planned: { version: number; sha256: string };
  spec: {
    sha256: string;
    url: string | null;
    text: string;
    /** Links to places that the spec names, such as `src/a.ts:1`, at the head of the branch. */
    places: ReadonlyMap<string, string>;
  } | null;
  /** The agent's summary; null without one. */
  summary: string | null;
  changes: readonly ChangedFile[];
  /** The targets of its symbolic links, by path. */
  linkTargets: ReadonlyMap<string, string>;
  /** Tests that it adds, changes and removes. */
  tests: readonly ChangedTest[];
  /** What it does to functions, classes and the like. */
  symbols: readonly ChangedSymbols[];
  /** The last results of all commands, and their results before the change. */
  checks: readonly CheckResult[];
  before: readonly CheckResult[];
  /** Commands that failed in the baseline, for the same reasons as now. */
  failedBefore: readonly string[];
  /** Names of tests that fail without the change. */
  proving: readonly string[];
  /** Assumptions that stand in for missing answers. */
  assumptions: readonly string[];
  undone: readonly RevertedChange[];
  /** Changes of dependencies, according to the lock files. */
  dependencies: readonly LockFileChange[];
  /** The result of the operator's scanner; null without one. */
  scan: CheckResult | null;
  /** False once people have taken the request out of draft: that decision is theirs. */
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

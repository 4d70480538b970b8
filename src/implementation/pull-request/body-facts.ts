import type { FixPlan, TriageResult } from "../../domain/plan.ts";
import type { ChangedFile, CheckResult, RevertedChange } from "../../domain/work.ts";

/** Everything a pull request text is built from; untrusted. */
export interface RequestFacts {
  taskId: string;
  /** The issue is confidential and the request is not: it tells what the code shows, and nothing else (R-SAFE-11). */
  neutral: boolean;
  issue: { number: number; title: string; url: string | null; language: string };
  /** The branch that carries the change. */
  branch: string;
  plan: FixPlan;
  triage: TriageResult;
  planned: { version: number; sha256: string };
  spec: { path: string; url: string | null; text: string } | null;
  /** The agent's summary; null without one. */
  summary: string | null;
  changes: readonly ChangedFile[];
  /** The change as a unified diff, possibly cut. */
  patch: string;
  /** The last results of all commands. */
  checks: readonly CheckResult[];
  /** Commands that failed in the baseline. */
  failedBefore: readonly string[];
  /** What was assumed in place of answers. */
  assumptions: readonly string[];
  undone: readonly RevertedChange[];
}

export interface RequestText {
  title: string;
  body: string;
  draft: boolean;
  labels: string[];
}

import type { FixPlan, TriageResult } from "../../domain/plan.ts";
import type { ChangedFile, CheckResult, RevertedChange } from "../../domain/work.ts";

/** What a pull request is written from; values, looked up before. Nothing in it is trusted. */
export interface RequestFacts {
  taskId: string;
  issue: { number: number; title: string; url: string | null; language: string };
  /** The branch that carries the change. */
  branch: string;
  plan: FixPlan;
  triage: TriageResult;
  planned: { version: number; sha256: string };
  spec: { path: string; url: string | null; text: string } | null;
  /** What the agent says it did; null where it said nothing. */
  summary: string | null;
  changes: readonly ChangedFile[];
  /** The change as a unified diff, or its beginning. */
  patch: string;
  /** The last results of all commands. */
  checks: readonly CheckResult[];
  /** Commands that failed before anything was changed. */
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

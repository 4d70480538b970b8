import { z } from "zod";
import { staysNeutral } from "./confidential.ts";
import type { Issue, Mode } from "./issue.ts";
import { sha256Of } from "../lib/sha256.ts";

/** The wire format of triage results and fix plans: snake_case JSON (requirements, section 9). */

export const CLASSIFICATIONS = ["BUG", "FEATURE", "DOCS", "CHORE", "OTHER"] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

export const RISKS = ["LOW", "MEDIUM", "HIGH"] as const;
export type Risk = (typeof RISKS)[number];

export const EFFORTS = ["TRIVIAL", "SIMPLE", "MODERATE", "COMPLEX"] as const;
/** How much work a plan is (R-FIX-7); not the depth of a spec. */
export type Effort = (typeof EFFORTS)[number];

const timestamp = z.iso.datetime({ offset: true });
const path = z.string().min(1).max(4_096);

/** The rules behind a risk; their words stand in the catalogue. */
const RISK_RULES = [
  "dependency_file",
  "dependency_title",
  "interface_file",
  "interface_title",
  "many_files",
  "only_texts",
  "few_files",
  "sensitive",
] as const;

const riskReasonSchema = z.object({
  rule: z.enum(RISK_RULES),
  /** What the rule found: paths or words as they stand in the issue, or a number. */
  facts: z.array(z.string()),
});
export type RiskReason = z.infer<typeof riskReasonSchema>;

/** The kind of an issue, its risk, and the files it concerns (R-TRI-1). */
export const triageResultSchema = z.object({
  issue_number: z.int().positive(),
  classification: z.enum(CLASSIFICATIONS),
  risk: z.enum(RISKS),
  affected_files: z.array(path),
  /** The skills needed for it: `typescript`, `sql`, … */
  skillset: z.array(z.string()),
  auto_fix_decision: z.enum(["YES", "HUMAN_REVIEW_REQUIRED", "NO"]),
  reasoning: z.string(),
  /** The rule behind the risk; absent where a model set it, and in plans of earlier versions of Relay. */
  risk_reason: riskReasonSchema.optional(),
  security_flags: z.array(z.string()),
  estimated_complexity: z.enum(EFFORTS),
  suggested_labels: z.array(z.string()),
  timestamp,
});
export type TriageResult = z.infer<typeof triageResultSchema>;

const planStepSchema = z.object({
  /** From 1, without holes (R-FIX-4). */
  order: z.int().positive(),
  description: z.string().min(1),
  command: z.string().nullable(),
  files_involved: z.array(path),
});
export type PlanStep = z.infer<typeof planStepSchema>;

const fileChangeSchema = z.object({
  path,
  operation: z.enum(["CREATE", "MODIFY", "DELETE"]),
  change_summary: z.string().min(1),
  /** First and last line, from 1; null for created or deleted files, and without evidence of lines (R-FIX-5). */
  line_range: z.tuple([z.int().positive(), z.int().positive()]).nullable(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

export const BRANCH_NAME = /^(fix|feature|docs|chore)\/\d+-[a-z0-9-]{1,50}$/;

/** What will be done, file by file (R-FIX-1). */
export const fixPlanSchema = z.object({
  issue_number: z.int().positive(),
  branch_name: z.string().regex(BRANCH_NAME),
  /** Present where nothing is to be built: the spec says that the issue was declined, or only answered. */
  nothing_to_build: z.literal(true).optional(),
  plan_steps: z.array(planStepSchema).min(1).max(10),
  file_changes: z.array(fileChangeSchema),
  validation_commands: z.array(z.string()),
  /** Why a person must check the result; null if none must (R-FIX-7). */
  human_check_reason: z.string().nullable(),
  /** Minutes. */
  estimated_duration: z.int().positive(),
  timestamp,
});
export type FixPlan = z.infer<typeof fixPlanSchema>;

export const PLAN_ERRORS = [
  "PLANNING_FAILED",
  "FILE_NOT_FOUND",
  "BRANCH_EXISTS",
  "INVALID_LLM_OUTPUT",
  "INVALID_INPUT",
] as const;
export type PlanErrorCode = (typeof PLAN_ERRORS)[number];

/** The envelope of both contracts. */
export type Answer<T> =
  | { success: true; data: T }
  | {
      success: false;
      error: { code: PlanErrorCode; message: string; details?: Record<string, unknown>; recoverable: boolean };
    };

/** Whose approval a plan has; `messageId` is null for a thumbs-up. */
export interface PlanApproval {
  by: string;
  /** Their permission in the project at that time. */
  permission: string;
  messageId: string | null;
}

/** What a refusal halted: a plan that waits, a queued task, a run, or further work on a pull request (R-CONF-7). */
const HALTED = ["plan", "queued", "running", "review"] as const;

/** A refusal in effect. It is lifted by its author, or by somebody of the same rank or higher. */
export const stopSchema = z.object({
  by: z.string(),
  /** The author's rank at that time. */
  permission: z.string(),
  /** The comment with the refusal; null for a reaction, or a deleted approval. */
  messageId: z.string().nullable(),
  /** `doubtful`: their words may mean no, so Relay asks. `taken_back`: they edited or deleted their approval. */
  how: z.enum(["refused", "doubtful", "taken_back"]),
  halted: z.enum(HALTED),
  /** Unread change requests from before Relay’s answer: the next plan considers them, and they lift nothing. */
  kept: z.array(z.string()),
});
export type Stop = z.infer<typeof stopSchema>;

/** A plan as posted: an approval holds for one version of it, and no other (R-CONF-5). */
export interface PostedPlan {
  id: string;
  issueId: string;
  /** From 1. */
  version: number;
  /** The hash of what a person approves: triage, plan, and the spec's own hash. */
  sha256: string;
  /** Hash of the texts that it is based on: the issue's and the spec's. */
  basisSha256: string;
  /** Whether it was made without a model. */
  byRules: boolean;
  triage: TriageResult;
  plan: FixPlan;
  status: "drafted" | "posted" | "stale" | "confirmed";
  /** The comment that shows it. */
  commentId: string | null;
  /** Null before its approval. */
  approval: PlanApproval | null;
  /** A person stopped it: nothing more is done until the refusal is lifted. */
  stopped: boolean;
  /** Its comment says that it no longer counts. */
  retired: boolean;
  /** The refusal; null without one, and for plans that an earlier version of Relay stopped. */
  stop: Stop | null;
  /** The text of its comment; null before it is posted, and for plans of an earlier version of Relay. */
  commentBody: string | null;
  /** The last edit of the comment that was not Relay's, by the tracker's clock. */
  foreignEditAt: Date | null;
  /** By the tracker's clock; answers are later than this. */
  postedAt: Date | null;
  /** People who gave the comment a thumbs-up before it showed this version: they approved another one. */
  earlierThumbs: string[];
  /** The same for a thumbs-down. */
  earlierDowns: string[];
  /** How often it was approved: again, where its work was halted and goes on as planned. */
  confirmations: number;
  /** What its work lacks, as a worker found before anybody was asked; null before one has looked (R-WORK-16). */
  lacks: Lack[] | null;
}

/** What carries plans out, and within which bounds. */
export interface WorkerFacts {
  agent: string;
  /** `provider/name`; null for the agent's own choice. */
  model: string | null;
  /** US dollars for a run; null without a bound. */
  usd: number | null;
  /** Hosts that its programs may reach, beside the model. */
  hosts: readonly string[];
  /** Null without one. */
  sandbox: string | null;
}

/** Why a set-up command cannot pass on this machine, whatever the code: the operator or `.relay.yml` mends it. */
const setupCause = z.discriminatedUnion("kind", [
  /** A program of this name is not installed. */
  z.object({ kind: z.literal("program"), program: z.string() }),
  /** The distribution manages the system's Python (PEP 668). */
  z.object({ kind: z.literal("managed_python") }),
  /** Python lacks what makes virtual environments. */
  z.object({ kind: z.literal("no_venv") }),
  /** It tried to reach these, which the sandbox does not let it. */
  z.object({ kind: z.literal("hosts"), hosts: z.array(z.string()) }),
]);
export type SetupCause = z.infer<typeof setupCause>;

export const lackSchema = z.object({
  what: z.enum(["sandbox", "agent", "version", "key", "push", "setup"]),
  /** The agent, or the command that fails; empty for the rest. */
  name: z.string(),
  /** Of a command that fails: the line of its output that tells most, without secrets; absent where it printed nothing. */
  why: z.string().optional(),
  /** Absent where nothing names it. */
  cause: setupCause.optional(),
});
/** Something that the work of a plan needs and does not have (R-WORK-16). */
export type Lack = z.infer<typeof lackSchema>;

/** A confirmed plan on its way to a worker. */
export interface Task {
  id: string;
  issueId: string;
  planId: string;
  status: "queued" | "running" | "stuck" | "done" | "failed" | "cancelled";
  /** The approver. */
  approvedBy: string;
  /** The mode in force at the approval: Relay itself carries out `implement` only. */
  mode: Mode;
  enqueuedAt: Date;
}

/**
 * A hash of what the plan is based on, to detect a plan for an older text of the issue or of the spec (R-CONF-5), or one
 * that was agreed to when its words could be public (R-SAFE-11).
 */
export function basisOf(issue: Pick<Issue, "title" | "body" | "spec" | "confidential" | "repositoryPrivate">): string {
  const basis = [issue.title, issue.body, issue.spec?.sha256 ?? "", ...(staysNeutral(issue) ? ["neutral"] : [])];
  return sha256Of(JSON.stringify(basis));
}

import { z } from "zod";
import { concernSchema } from "./concern.ts";
import type { Outage } from "./outage.ts";

/**
 * The reason for a run: the plan, change requests of a review, failed checks, or a conflict with the base (R-WORK-9).
 */
export const RUN_REASONS = ["plan", "review", "checks", "conflict"] as const;
export type RunReason = (typeof RUN_REASONS)[number];

export const RUN_STATUSES = ["running", "done", "stuck", "failed", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** One execution of a task by a worker. After a crash it continues under the same id. */
export interface Run {
  id: string;
  taskId: string;
  issueId: string;
  reason: RunReason;
  status: RunStatus;
  agent: string;
  /** The branch on the code host that receives the run's commits. */
  branch: string;
  /** The commit that the run started from; null before it is known. */
  base: string | null;
  /** Relay's newest commit on the branch; null before the first. */
  head: string | null;
  /** Agent runs so far. */
  iterations: number;
  usd: number;
  /** The result, for people; null while it runs. */
  detail: string | null;
  /** What it waits out; null while it gets through. */
  outage: Outage | null;
  startedAt: Date;
  endedAt: Date | null;
}

/** The pull request of a task: exactly one per task (R-WORK-7). */
export interface TaskRequest {
  taskId: string;
  number: number;
  branch: string;
  base: string;
  url: string | null;
  state: "open" | "merged" | "closed";
  /** Whether its branch was gone when it was seen closed. */
  branchGone: boolean;
}

export const LOG_KINDS = ["step", "said", "tool", "output", "check", "problem"] as const;
/** One line of a run's log, without secrets (R-WORK-9). */
export interface RunLogEntry {
  /** From 1, without gaps. */
  seq: number;
  at: Date;
  /** From 1; 0 before the first. */
  iteration: number;
  kind: (typeof LOG_KINDS)[number];
  text: string;
}

/** What a runner of tests told of its result. */
const testCountsSchema = z.object({
  /** Null where the runner tells only those that fail. */
  total: z.number().nullable(),
  failed: z.number(),
  /** Those among all that did not run, or were expected to fail; left out where the runner does not tell. */
  skipped: z.number().optional(),
  /** Names of tests that fail, as the runner tells them; at most 200. */
  red: z.array(z.string()),
  /**
   * Tests that passed, or their files, classes or packages: what the runner tells by name, all of them, at most 1,000. Left
   * out where it tells fewer, and of iterations in between.
   */
  ran: z.array(z.string()).optional(),
  /** What `ran` names, where it is not single tests: their files or classes. */
  ranAre: z.literal("files").optional(),
  /**
   * `report`: the runner's own report, which what it printed does not contradict; `contradiction`: the lower of both. Left out
   * where it is only printed.
   */
  by: z.enum(["report", "contradiction"]).optional(),
});
export type TestCounts = z.infer<typeof testCountsSchema>;

/** The result of a command on a working tree. */
export const checkResultSchema = z.object({
  kind: z.enum(["setup", "check", "test", "scan"]),
  command: z.string(),
  outcome: z.enum(["passed", "failed", "timeout", "not run"]),
  /** Null if it did not exit by itself. */
  code: z.number().nullable(),
  seconds: z.number(),
  /** The part that shows what failed, at most 8,000 characters, without secrets. */
  output: z.string(),
  /** Left out where the command told no figures of tests. */
  tests: testCountsSchema.optional(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

/** A change that Relay rejected and reverted. */
export const revertedChangeSchema = z.object({
  path: z.string(),
  why: z.enum(["blocked path", "secret", "test removed", "too large", "not a plain file"]),
  detail: z.string(),
});
export type RevertedChange = z.infer<typeof revertedChangeSchema>;

/** A change requested in a review, or a failed check. */
export const changeRequestSchema = z.object({
  /** The author, or the name of the check. */
  from: z.string(),
  path: z.string().nullable(),
  line: z.number().nullable(),
  text: z.string(),
});
export type ChangeRequest = z.infer<typeof changeRequestSchema>;

/**
 * The agent's answer to a change request: by its number in the task file, from 1, and once stored by its thread, since
 * numbers change when a request is withdrawn.
 */
const changeRequestAnswerSchema = z.object({ wish: z.number(), threadId: z.string().nullish(), text: z.string() });
export type ChangeRequestAnswer = z.infer<typeof changeRequestAnswerSchema>;

/** How an agent run ended, and what it reported; its changes are in the commit. */
const agentFactsSchema = z.object({
  ending: z.enum(["finished", "limit", "timeout", "flooded", "stopped", "failed"]),
  /** The reason, if it gave one; empty otherwise. */
  detail: z.string(),
  /** Its final message, without secrets. */
  summary: z.string(),
  /** Actions that were denied. */
  denied: z.array(z.string()),
  /** False if retrying would not help: it has no key, is not installed, … */
  usable: z.boolean(),
  /** The limit at which it was killed, as its setting has it: `work.memory_mb: 512`. */
  bound: z.string().optional(),
  /** Whether an outage interrupted it: the run tries again, and does not count it (R-WORK-15). */
  interrupted: z.boolean().optional(),
  /** Its question; null without one (R-WORK-4). */
  question: z.string().nullable(),
  /** Its report on a task that it considers done, and on omissions; null without one. */
  done: z.string().nullable(),
  answers: z.array(changeRequestAnswerSchema).default([]),
});
export type AgentFacts = z.infer<typeof agentFactsSchema>;

/** Tokens that an agent has used, as its provider counts them. */
const agentTokensSchema = z.object({
  /** All tokens of its prompts: fresh, read from the provider's cache, and written to it. */
  input: z.number(),
  cachedInput: z.number(),
  cacheWrite: z.number(),
  /** All tokens of the answers, those of reasoning included. */
  output: z.number(),
  reasoning: z.number(),
});
export type AgentTokens = z.infer<typeof agentTokensSchema>;

/** Checks and tests on a clean checkout of a commit. */
const proofSchema = z.object({
  commit: z.string(),
  /** Names of tests that fail without the change, and are known to pass with it; empty where that was not tried. */
  proving: z.array(z.string()),
  /** Whether the change has tests, and it is known that none of them is among `proving`: it was tried (R-WORK-12). */
  none: z.boolean().optional(),
});

/** The result of one iteration: everything that must survive a crash. */
const iterationFactsSchema = z.object({
  /** From 1; 0 is the baseline of the checks, before any change. */
  number: z.number(),
  commit: z.string().nullable(),
  /** A hash of the difference to the base, which identifies the tree. */
  tree: z.string(),
  /** Null for the baseline. */
  agent: agentFactsSchema.nullable(),
  checks: z.array(checkResultSchema),
  undone: z.array(revertedChangeSchema),
  /** Number of files that the branch changes. */
  changedFiles: z.number(),
  /** Files of the plan that the branch has not changed yet. */
  untouched: z.array(z.string()),
  /** By the count of Relay's gateway, else as the agent reports, or by its model's prices; 0 if nothing is known. */
  usd: z.number(),
  /** Whether `usd` is known. */
  priced: z.boolean().optional(),
  /** Omitted if neither Relay nor the agent counted any. */
  tokens: agentTokensSchema.optional(),
  /** Whose count tokens and dollars are: of Relay's gateway to the model, stored as `door`, or what the agent says (R-WORK-13). */
  countedBy: z.enum(["door", "agent"]).optional(),
  /** Whether some tokens are estimates: answers that broke off, or told no counts. */
  estimated: z.boolean().optional(),
  /** Duration. */
  seconds: z.number(),
  /** Set once `checks` are those of a clean checkout (R-WORK-10). */
  proof: proofSchema.optional(),
  /** What a person should look at in the change, as of a commit; set once the run is done with it (R-WORK-11). */
  concerns: z
    .object({
      commit: z.string(),
      all: z.array(concernSchema),
      /** Of the operator's scanner, on a clean checkout of the commit; left out without one. */
      scan: checkResultSchema.optional(),
    })
    .optional(),
});
export type IterationFacts = z.infer<typeof iterationFactsSchema>;

/** The change requests of a run and its iterations, from which another worker resumes after a crash. */
export const runFactsSchema = z.object({
  wishes: z.array(changeRequestSchema).default([]),
  iterations: z.array(iterationFactsSchema).default([]),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

/** Author and committer of a commit. */
export interface CommitAuthor {
  name: string;
  email: string;
}

/** A file that the branch changes. */
export interface ChangedFile {
  path: string;
  change: "added" | "modified" | "deleted";
  addedLines: number;
  removedLines: number;
  /** What a diff hardly shows of it: a mode that it has now, or contents that are no text. Left out for others. */
  mark?: "executable" | "not executable" | "link" | "submodule" | "binary";
}

/** Feedback on a pull request: a comment, a failed check or a conflict; each is handled once (R-WORK-9). */
export interface Feedback {
  externalId: string;
  /** The thread for the answer; null without threads. */
  externalThreadId: string | null;
  author: string;
  content: string;
  path: string | null;
  line: number | null;
  createdAt: Date;
}

/** A question in a review, and what its answer may rest on; all of it was written by others (R-WORK-9). */
export interface ReviewQuestion {
  author: string;
  text: string;
  /** What was said before in the thread, oldest first. */
  before: { author: string; text: string }[];
  /** The place that the thread is about; null for the request as a whole. */
  path: string | null;
  line: number | null;
  /** The lines around that place on the branch, from number `from`; null where there are none. */
  around: { path: string; from: number; lines: string[] } | null;
  /** What the request changes, by file; the thread's file first. */
  changes: { path: string; patch: string }[];
  /** Steps of the agreed plan, and the spec; empty and null where their words must stay out of the request (R-SAFE-11). */
  steps: string[];
  spec: string | null;
  /** Commands and checks with their outcomes. */
  checks: string[];
}

/** A model's answer to a question in a review, or why there is none. */
export type ReviewAnswer =
  | { kind: "answered"; text: string }
  | { kind: "no_budget" }
  | { kind: "no_answer"; why: string };

export type AnswerReview = (question: ReviewQuestion) => Promise<ReviewAnswer>;

export interface StoredFeedback extends Feedback {
  /** The run that handles it; null if it requests nothing. */
  runId: string | null;
  answered: boolean;
}

/** The lock that a worker holds while it executes a task. */
export function lockOfTask(taskId: string): string {
  return `task ${taskId}`;
}

/** Whether it counts against the change: it ran, and did not pass. */
export function isRed({ outcome }: Pick<CheckResult, "outcome">): boolean {
  return outcome === "failed" || outcome === "timeout";
}

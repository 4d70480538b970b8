import { z } from "zod";

/** Why a run is made: the plan, a review's wishes, red checks on the branch, or a conflict with its base (R-WORK-9). */
export const RUN_REASONS = ["plan", "review", "checks", "conflict"] as const;
export type RunReason = (typeof RUN_REASONS)[number];

export const RUN_STATUSES = ["running", "done", "stuck", "failed", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** One execution of a task by a worker. A run that a crash cut off goes on under the same id. */
export interface Run {
  id: string;
  taskId: string;
  issueId: string;
  reason: RunReason;
  status: RunStatus;
  agent: string;
  /** The branch at the tracker, which the run's commits go to. */
  branch: string;
  /** The commit that it began with; null before it was known. */
  base: string | null;
  /** The newest commit of the branch that Relay made; null before the first. */
  head: string | null;
  /** Fresh runs of the agent so far. */
  iterations: number;
  usd: number;
  /** What it came to, for people; null while it runs. */
  detail: string | null;
  startedAt: Date;
  endedAt: Date | null;
}

/** The request that carries a task's branch: exactly one of a task (R-WORK-7). */
export interface TaskRequest {
  taskId: string;
  number: number;
  branch: string;
  base: string;
  url: string | null;
  state: "open" | "merged" | "closed";
}

export const LOG_KINDS = ["step", "said", "tool", "output", "check", "problem"] as const;
/** One line of a run's log, without secrets (R-WORK-9). */
export interface RunLogEntry {
  /** From 1, without holes. */
  seq: number;
  at: Date;
  /** From 1; 0 before the first. */
  iteration: number;
  kind: (typeof LOG_KINDS)[number];
  text: string;
}

/** What a command said about a working tree. */
export const checkResultSchema = z.object({
  kind: z.enum(["setup", "check", "test"]),
  command: z.string(),
  outcome: z.enum(["passed", "failed", "timeout", "not run"]),
  /** Null where it did not end by itself. */
  code: z.number().nullable(),
  seconds: z.number(),
  /** The part that tells what failed, at most 8,000 characters, without secrets. */
  output: z.string(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

/** A change that Relay did not let stand, and undid. */
export const revertedChangeSchema = z.object({
  path: z.string(),
  why: z.enum(["blocked path", "secret", "test removed", "too large", "not a plain file"]),
  detail: z.string(),
});
export type RevertedChange = z.infer<typeof revertedChangeSchema>;

/** What people asked for in a review, or a check that is red. */
export const wishSchema = z.object({
  /** Who said it, or the name of the check. */
  from: z.string(),
  path: z.string().nullable(),
  line: z.number().nullable(),
  text: z.string(),
});
export type Wish = z.infer<typeof wishSchema>;

/**
 * What an agent says to a wish of people: by its number in the task file, from 1, and by its thread where it is stored,
 * since the numbers are others as soon as people take a wish back.
 */
const wishAnswerSchema = z.object({ wish: z.number(), threadId: z.string().nullish(), text: z.string() });
export type WishAnswer = z.infer<typeof wishAnswerSchema>;

/** How an iteration's agent came to its end, and what it said; what it did is told by the commit. */
export const agentFactsSchema = z.object({
  ending: z.enum(["finished", "limit", "timeout", "flooded", "stopped", "failed"]),
  /** Why, where it says; empty otherwise. */
  detail: z.string(),
  /** Its last words, without secrets. */
  summary: z.string(),
  /** What it was not allowed to do. */
  denied: z.array(z.string()),
  /** False where no other run would fare better: it has no key, is not installed, … */
  usable: z.boolean(),
  /** What it needs to know first; null where it asks nothing (R-WORK-4). */
  question: z.string().nullable(),
  /** What it says of a task that it takes for done, and of what it left out; null where it says nothing. */
  done: z.string().nullable(),
  answers: z.array(wishAnswerSchema).default([]),
});
export type AgentFacts = z.infer<typeof agentFactsSchema>;

/** Tokens that an agent has used, as it tells them; its provider's counts. */
export const agentTokensSchema = z.object({
  /** All tokens of its prompts: fresh, read from the provider's cache, and written to it. */
  input: z.number(),
  cachedInput: z.number(),
  cacheWrite: z.number(),
  /** All tokens of the answers, those of reasoning included. */
  output: z.number(),
  reasoning: z.number(),
});
export type AgentTokens = z.infer<typeof agentTokensSchema>;

/** What each iteration came to. What a crash must not lose is in them. */
export const iterationFactsSchema = z.object({
  /** From 1; 0 is the first look at the checks, before any change. */
  number: z.number(),
  commit: z.string().nullable(),
  /** Names the whole difference to the base after it, so that the same tree is known again. */
  tree: z.string(),
  /** Null for the first look. */
  agent: agentFactsSchema.nullable(),
  checks: z.array(checkResultSchema),
  undone: z.array(revertedChangeSchema),
  /** How many files the branch changes. */
  changedFiles: z.number(),
  /** Files that the plan changes and the branch does not yet. */
  untouched: z.array(z.string()),
  /** As the agent tells, or by the prices of its model's tokens; 0 where neither is known. */
  usd: z.number(),
  /** Whether `usd` is known. */
  priced: z.boolean().optional(),
  /** Left out where the agent does not tell. */
  tokens: agentTokensSchema.optional(),
  /** How long it took. */
  seconds: z.number(),
});
export type IterationFacts = z.infer<typeof iterationFactsSchema>;

/** What a run was asked for beside its plan, and how far it came; a crash leaves it to whoever goes on. */
export const runFactsSchema = z.object({
  wishes: z.array(wishSchema).default([]),
  iterations: z.array(iterationFactsSchema).default([]),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

/** A file of the branch beside where it began. */
export interface ChangedFile {
  path: string;
  change: "added" | "modified" | "deleted";
  addedLines: number;
  removedLines: number;
}

/** Words on a request that were taken up, each once (R-WORK-9). */
export interface RequestWord {
  externalId: string;
  /** The thread that an answer goes to; null where there are none. */
  externalThreadId: string | null;
  author: string;
  content: string;
  path: string | null;
  line: number | null;
  createdAt: Date;
}

export interface TakenWord extends RequestWord {
  /** The run that acts on it; null where it asks for nothing. */
  runId: string | null;
  answered: boolean;
}

/** The lock that whoever carries a task out holds. */
export function lockOfTask(taskId: string): string {
  return `task ${taskId}`;
}

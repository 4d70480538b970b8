import { z } from "zod";
import { conventionsSchema } from "../domain/conventions.ts";
import { CLASSIFICATIONS, EFFORTS, RISKS } from "../domain/plan.ts";

/** More paths than in any plausible repository. */
const MOST_PATHS = 1_000_000;
const LONGEST_TEXT = 8 * 1024 * 1024;
const MOST_COMMENTS = 100_000;
const path = z.string().min(1).max(4_096);
const text = z.string().max(LONGEST_TEXT);

const issueSchema = z.object({
  number: z.int().positive(),
  title: z.string().max(10_000),
  /** Trackers send null for an empty body. */
  body: text.nullish().transform((given) => given ?? ""),
  author: z.object({ login: z.string(), type: z.string().optional(), is_bot: z.boolean().optional() }),
  labels: z
    .array(z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]))
    .optional()
    .transform((given) => given ?? []),
  created_at: z.iso.datetime({ offset: true }),
  /** Its thread, oldest first: only orders to the tool are looked for there. */
  comments: z
    .array(z.object({ body: text }))
    .max(MOST_COMMENTS)
    .optional(),
});
/** An issue as in both contracts. */
export type PlanIssue = z.output<typeof issueSchema>;

const repositorySchema = z.object({
  languages: z.array(z.string()),
  /** Every file's path, from the root of the repository. */
  file_tree: z.array(path).max(MOST_PATHS),
  /** Pattern to owners. */
  codeowners: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
});

/** The fields of a triage result that planning needs; the rest may be omitted. */
const triageForPlanSchema = z.object({
  issue_number: z.int().positive(),
  classification: z.enum(CLASSIFICATIONS),
  risk: z.enum(RISKS),
  affected_files: z.array(path).max(10_000),
  auto_fix_decision: z.enum(["YES", "HUMAN_REVIEW_REQUIRED", "NO"]),
  security_flags: z.array(z.string()).optional(),
  estimated_complexity: z.enum(EFFORTS).nullish(),
});

const specTaskSchema = z.object({
  /** The spec's number of the task; its position if it has none. */
  number: z.string().optional(),
  title: z.string().min(1),
  touchPoints: z.array(z.object({ path, isNew: z.boolean() })),
  /** It changes no file: the issue was declined, or only answered. */
  changesNothing: z.boolean().default(false),
  doneWhen: z.string(),
  /** Numbers of the tasks that must come first. */
  blockedBy: z.union([z.string().transform((given) => given.match(/\d+(?:\.\d+)*/g) ?? []), z.array(z.string())]),
});
/** A task of a spec's Implementation Plan. */
export type SpecTask = z.output<typeof specTaskSchema>;

const verifiedRange = z.object({ path, start: z.int().positive(), end: z.int().positive() });

const specSchema = z.object({
  path: z.string(),
  /** What is built. */
  title: z.string().nullish(),
  sha256: z.string(),
  tasks: z.array(specTaskSchema).max(500),
  /** Places in the code that were verified for the issue, the most certain first. */
  places: z.array(verifiedRange).max(2_000).default([]),
  /** Its Non-goals, in its words. */
  nonGoals: z.array(z.string()).max(500).default([]),
});

export const triageInputSchema = z.object({
  issue: issueSchema,
  repository_context: repositorySchema,
  /** The issue's spec, if any: the files are then those of its tasks. */
  spec: specSchema.nullish(),
});
/** The input of triage (R-TRI-1). */
export type TriageInput = z.output<typeof triageInputSchema>;

export const planInputSchema = z
  .object({
    issue: issueSchema,
    triage_result: triageForPlanSchema,
    repository_context: repositorySchema,
    conventions: conventionsSchema,
    /** The issue's spec, if any: steps and changes then come from its tasks. */
    spec: specSchema.nullish(),
    /** Branches that exist in the repository. */
    existing_branches: z.array(z.string()).optional(),
  })
  .refine(({ issue, triage_result }) => issue.number === triage_result.issue_number, {
    path: ["triage_result", "issue_number"],
    message: "must be the number of the issue",
  });
/** The input of the fix plan (R-FIX-1). */
export type PlanInput = z.output<typeof planInputSchema>;

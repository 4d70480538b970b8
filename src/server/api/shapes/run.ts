import { z } from "zod";
import {
  type Run,
  type RunFacts,
  type RunLogEntry,
  type TaskRequest,
  LOG_KINDS,
  RUN_REASONS,
  RUN_STATUSES,
  changeRequestSchema,
  checkResultSchema,
  revertedChangeSchema,
} from "../../../domain/work.ts";
import { concernSchema } from "../../../domain/concern.ts";
import { cost, id, noTime, time, timeOf } from "./basics.ts";

export const runSchema = z
  .object({
    id,
    reason: z.enum(RUN_REASONS),
    status: z.enum(RUN_STATUSES),
    agent: z.string(),
    branch: z.string(),
    commit: z.string().nullable(),
    iterations: z.int(),
    cost_usd: cost,
    detail: z.string().nullable(),
    started_at: time,
    ended_at: noTime,
  })
  .meta({ id: "Run", description: "One execution of an agreed plan, or of what a review asked for." });

export function shownRun(run: Run): z.infer<typeof runSchema> {
  return {
    id: run.id,
    reason: run.reason,
    status: run.status,
    agent: run.agent,
    branch: run.branch,
    commit: run.head,
    iterations: run.iterations,
    cost_usd: run.usd === 0 && run.agent !== "script" ? null : run.usd,
    detail: run.detail,
    started_at: timeOf(run.startedAt),
    ended_at: timeOf(run.endedAt),
  };
}

const iterationSchema = z.object({
  number: z.int().meta({ description: "From 1; 0 is the state before any change." }),
  commit: z.string().nullable(),
  agent: z
    .object({
      ending: z.string(),
      detail: z.string(),
      summary: z.string(),
      question: z.string().nullable(),
      denied: z.array(z.string()),
    })
    .nullable(),
  checks: z.array(checkResultSchema),
  reverted: z.array(revertedChangeSchema),
  changed_files: z.int(),
  untouched: z.array(z.string()).meta({ description: "Files of the plan that are not changed yet." }),
  cost_usd: cost,
  seconds: z.number(),
  proof: z
    .object({ commit: z.string(), proving: z.array(z.string()) })
    .nullable()
    .meta({ description: "Set once the checks are those of a clean checkout." }),
  concerns: z.array(concernSchema).nullable(),
});

export const wholeRunSchema = runSchema
  .extend({
    base: z.string().nullable().meta({ description: "The commit that it started from." }),
    wishes: z.array(changeRequestSchema),
    iteration_list: z.array(iterationSchema),
  })
  .meta({ id: "WholeRun", description: "A run with its iterations, checks and proof." });

export function shownWholeRun(run: Run, { wishes, iterations }: RunFacts): z.infer<typeof wholeRunSchema> {
  return { ...shownRun(run), base: run.base, wishes, iteration_list: iterations.map(shownIteration) };
}

function shownIteration(one: RunFacts["iterations"][number]): z.infer<typeof iterationSchema> {
  const { agent, proof } = one;
  return {
    number: one.number,
    commit: one.commit,
    agent: agent && {
      ending: agent.ending,
      detail: agent.detail,
      summary: agent.summary,
      question: agent.question,
      denied: agent.denied,
    },
    checks: one.checks,
    reverted: one.undone,
    changed_files: one.changedFiles,
    untouched: one.untouched,
    cost_usd: one.priced === false ? null : one.usd,
    seconds: one.seconds,
    proof: proof === undefined ? null : { commit: proof.commit, proving: proof.proving },
    concerns: one.concerns?.all ?? null,
  };
}

/** A line of a run's log, as `relay log --run --json` prints it. */
export const logEntrySchema = z
  .object({ run: id, seq: z.int(), at: time, iteration: z.int(), kind: z.enum(LOG_KINDS), text: z.string() })
  .meta({ id: "RunLogEntry" });

export type ShownLogEntry = z.infer<typeof logEntrySchema>;

export function shownLogEntry(run: string, { seq, at, iteration, kind, text }: RunLogEntry): ShownLogEntry {
  return { run, seq, at: timeOf(at), iteration, kind, text };
}

export const requestSchema = z.object({
  number: z.int(),
  url: z.string().nullable(),
  branch: z.string(),
  base: z.string(),
  state: z.enum(["open", "merged", "closed"]),
});

export function shownRequest({ number, url, branch, base, state }: TaskRequest): z.infer<typeof requestSchema> {
  return { number, url, branch, base, state };
}

import { z } from "zod";
import { type Run, type RunLogEntry, type TaskRequest, RUN_REASONS, RUN_STATUSES } from "../../../domain/work.ts";
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

export function shownLogEntry(run: string, { seq, at, iteration, kind, text }: RunLogEntry) {
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

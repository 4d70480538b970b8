import { expect, test } from "vitest";
import { databaseBefore, freshDatabase } from "../support/database.ts";
import { addManyIssues } from "../support/many-issues.ts";
import { trackedIssue, trackedRepository } from "../support/tracked-issue.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import type { Db } from "../../src/storage/db.ts";
import { forgetIssue } from "../../src/storage/issues.ts";
import { type CallEval, addCall } from "../../src/storage/model-calls.ts";
import { addRun, finishRun } from "../../src/storage/runs.ts";
import { spentUsd } from "../../src/storage/spending.ts";
import { countWork } from "../../src/storage/figures.ts";
import { cancelOpenTask } from "../../src/storage/tasks.ts";

const now = { clock: systemClock, ids: snowflakes() };

async function open(db: Db) {
  const repository = await trackedRepository(db);
  const issue = await trackedIssue(db, repository.id);
  return { repository, issue };
}

/** A task of the issue, and a run of it that began ten seconds ago. */
async function running(db: Db, issueId: string) {
  const [plan, task] = [now.ids.next(), now.ids.next()];
  await db.execute(
    `insert into plans (id, issue_id, version, sha256, triage, plan, status, created_at)
     select $1, $2, count(*) + 1, '', '{}', '{}', 'confirmed', now() from plans`,
    [plan, issueId],
  );
  await db.execute(
    `insert into tasks (id, issue_id, plan_id, status, approved_by, enqueued_at, updated_at)
     values ($1, $2, $3, 'running', 'ann', now(), now())`,
    [task, issueId, plan],
  );
  const began = { ...now, clock: { now: () => new Date(Date.now() - 10_000) } };
  const of = { taskId: task, issueId, agent: "script", branch: "fix/1", base: null, head: null };
  return await addRun(db, { ...of, reason: "plan", changeRequests: [] }, began);
}

function call(issueId: string, at: string, costUsd: number | null): CallEval {
  const usage = { input: 200_000, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: false };
  const made = { stage: "planner", role: "planner", model: "x/m", provider: "x", step: 1, attempt: 1 } as const;
  const content = { input: "in", output: "out", latencyMs: 1, promptHash: "h", status: "ok", finishReason: null };
  return { ...made, ...content, issueId, cycleId: null, usage, costUsd, startedAt: new Date(at) };
}

test("a run is counted once when it ends, and stays counted when its issue is forgotten (R-OBS-3)", async () => {
  const { db } = await freshDatabase();
  const { issue } = await open(db);
  const run = await running(db, issue.id);
  expect(await countWork(db)).toEqual({ queued: 0, queuedSeconds: 0, running: 1, ended: [] });
  const end = { status: "done", detail: null } as const;
  expect(await finishRun(db, run.id, end, systemClock)).toBe(true);
  expect(await finishRun(db, run.id, end, systemClock)).toBe(false);
  await cancelOpenTask(db, issue.id, systemClock, "done");
  await running(db, issue.id);
  await cancelOpenTask(db, issue.id, systemClock);
  const ended = [
    { outcome: "cancelled", runs: 1, seconds: expect.closeTo(10, -1) },
    { outcome: "done", runs: 1, seconds: expect.closeTo(10, -1) },
  ];
  expect(await countWork(db)).toEqual({ queued: 0, queuedSeconds: 0, running: 0, ended });
  await forgetIssue(db, issue, "ann", now);
  expect(await countWork(db)).toEqual({ queued: 0, queuedSeconds: 0, running: 0, ended });
});

test("what a workspace spent is summed by days in UTC, with tokens of models without a price (R-OBS-2)", async () => {
  const { db } = await freshDatabase();
  const { repository, issue } = await open(db);
  await addCall(db, call(issue.id, "2026-01-31T23:59:59Z", 4), now);
  await addCall(db, call(issue.id, "2026-02-01T00:00:00Z", 1.5), now);
  await addCall(db, call(issue.id, "2026-02-28T12:00:00Z", null), now);
  const spent = async (since: string | null) =>
    await spentUsd(db, { workspace: repository.workspaceId }, since === null ? null : new Date(since), 5);
  expect(await spent("2026-02-01T00:00:00Z")).toBe(2.5);
  expect(await spent(null)).toBe(6.5);
  await forgetIssue(db, issue, "ann", now);
  expect(await spent("2026-02-01T00:00:00Z")).toBe(2.5);
  expect(await spentUsd(db, { repository: repository.id }, new Date("2026-02-01T00:00:00Z"), 5)).toBe(2.5);
});

test("what happened before there were sums is in them", async () => {
  const { db, update } = await databaseBefore("0044_sums.sql");
  // What fills it asks for a column that a later version brings.
  await db.execute("alter table repositories add column former_names text[] not null default '{}'", []);
  await addManyIssues(db, { repositories: 2, issues: 100, messagesPerIssue: 1 });
  await db.execute("alter table repositories drop column former_names", []);
  await update();
  expect((await countWork(db)).ended).toMatchObject([
    { outcome: "done", runs: 82 },
    { outcome: "failed", runs: 1 },
    { outcome: "stuck", runs: 1 },
  ]);
  const { workspaceId } = await trackedRepository(db);
  expect(await spentUsd(db, { workspace: workspaceId }, null, 5)).toBeCloseTo(6);
  await addManyIssues(db, { repositories: 2, issues: 100, messagesPerIssue: 1 });
  expect(await spentUsd(db, { workspace: workspaceId }, null, 5)).toBeCloseTo(12);
});

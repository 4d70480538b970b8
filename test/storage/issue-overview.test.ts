import { transitions } from "../support/transitions.ts";
import { expect, test } from "vitest";
import { freshDatabase } from "../support/database.ts";
import { trackedIssue, trackedRepository } from "../support/tracked-issue.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { aPlan, aTriage } from "../cases/plan-comments.ts";
import { usageOf } from "../../src/storage/model-calls.ts";
import type { Db } from "../../src/storage/db.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { addGap, listGaps } from "../../src/storage/gaps.ts";
import { addPlan, latestPlan } from "../../src/storage/plans.ts";
import { addRun, finishRun, latestRun } from "../../src/storage/runs.ts";
import { type NewSpecVersion, addSpecVersion, latestSpec } from "../../src/storage/specs.ts";
import { findBudgetStop, saveBudgetStop } from "../../src/storage/spending.ts";
import { overviewsOf } from "../../src/storage/issue-overview.ts";
import { addRequest, findRequest } from "../../src/storage/pull-requests.ts";
import { latestTask } from "../../src/storage/tasks.ts";

const now = { clock: systemClock, ids: snowflakes() };

const GAP = { evidence: null, severity: "high", respondent: "reporter", topic: null, proposedDefault: null } as const;
const SPEC = {
  complexity: "L1",
  content: "# Spec",
  complexityReason: "small",
  validationStatus: "valid",
  summary: ["It adds up"],
  changelog: "",
  metadata: {},
  commit: null,
  read: { text: "", messages: {} },
} satisfies Omit<NewSpecVersion, "ref">;

/** An issue with two of all that there can be two of. */
async function busyIssue(db: Db, repositoryId: string, number: number): Promise<string> {
  const { id } = await trackedIssue(db, repositoryId, String(number));
  for (const n of [1, 2]) {
    await addGap(db, id, { ...GAP, question: `Which one, ${n}?`, pending: false }, now);
    const ref = { version: 1, backend: "local", path: "a", updated_at: new Date(0).toISOString() } as const;
    const sha256 = String(n).repeat(64);
    await addSpecVersion(db, id, { ...SPEC, ref: { ...ref, sha256, format: "markdown" } }, now);
    await db.execute(
      `insert into llm_evals (id, issue_id, repository_id, kind, stage, model, input, output, latency_ms, input_tokens,
                              cost_usd, created_at)
       values ($1, $2, $3, 'call', 'planner', 'm', '{}', '{}', 1, 10, 0.5, now())`,
      [now.ids.next(), id, repositoryId],
    );
    const taskId = now.ids.next();
    const made = { triage: aTriage(), plan: aPlan(), sha256: String(n), basisSha256: "", byRules: true };
    const { id: planId } = await addPlan(db, id, made, now);
    await db.execute(
      `insert into tasks (id, issue_id, plan_id, status, approved_by, enqueued_at, updated_at)
       values ($1, $2, $3, 'done', 'ann', now(), now())`,
      [taskId, id, planId],
    );
    const branch = `fix/${number}-${n}`;
    for (const reason of ["plan", "review"] as const) {
      const run = { taskId, issueId: id, reason, agent: "script", branch, base: null, head: null, changeRequests: [] };
      await finishRun(db, (await addRun(db, run, now)).id, { status: "done", detail: null }, now.clock);
    }
    const request = { taskId, issueId: id, externalProjectId: "shop", number: 10 * number + n, branch };
    await addRequest(db, { ...request, base: "main", url: null }, now.clock);
  }
  const transition = transitions(now);
  await transition(db, id, "cycle_started", { why: "" });
  await transition(db, id, "pause_requested", { why: "3 failures" });
  await saveBudgetStop(db, id, { budget: "issue", window: "all", resumesAt: null, limitUsd: 1, spentUsd: 1 }, now);
  return id;
}

test("where many issues stand is what each by itself says, in as many queries as for one", async () => {
  const { db } = await freshDatabase();
  const { id: repositoryId } = await trackedRepository(db);
  const busy = [await busyIssue(db, repositoryId, 1), await busyIssue(db, repositoryId, 2)];
  const { id: quiet } = await trackedIssue(db, repositoryId, "3");
  let asked = 0;
  const counting: Db = {
    ...db,
    query: async (row, sql, parameters) => {
      asked += 1;
      return await db.query(row, sql, parameters);
    },
  };
  await overviewsOf(counting, [quiet]);
  const forOne = asked;
  const standingOf = await overviewsOf(counting, [...busy, quiet]);
  expect(asked).toBe(2 * forOne);
  for (const id of [...busy, quiet]) {
    const task = await latestTask(db, id);
    expect(standingOf(id)).toEqual({
      gaps: await listGaps(db, id),
      spec: await latestSpec(db, id),
      plan: await latestPlan(db, id),
      task,
      run: task && (await latestRun(db, task.id)),
      request: task && (await findRequest(db, task.id)),
      concerns: [],
      since: (await listAudit(db, id)).at(-1)?.at,
      engagedBy: null,
      goAheadBy: null,
      isClosed: false,
      isMoved: false,
      calls: [],
      pausedBecause: id === quiet ? null : "3 failures",
      refused: null,
      limitedUntil: null,
      stop: await findBudgetStop(db, id),
      usage: await usageOf(db, id),
    });
  }
  expect(standingOf(busy[0] ?? "")).toMatchObject({ gaps: [{}, {}], run: { reason: "review" }, usage: { calls: 2 } });
});

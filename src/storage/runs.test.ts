import { expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../test/support/database.ts";
import { trackedIssue, trackedRepository } from "../../test/support/tracked-issue.ts";
import type { IterationFacts } from "../domain/work.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import type { Db } from "./db.ts";
import { markFeedbackAnswered, feedbackContents, listOpenFeedback, recordFeedback } from "./review-feedback.ts";
import {
  addRun,
  finishRun,
  latestRun,
  listRunning,
  listRuns,
  moveHead,
  recordIteration,
  recordProof,
  runFacts,
  runningRun,
  setRunBase,
} from "./runs.ts";
import { appendLog, lastLogged, listLog } from "./run-log.ts";
import {
  addRequest,
  countRedChecks,
  findRequest,
  findRequestByNumber,
  listReviewsToLookAt,
  markLooked,
  redChecksOf,
  setRequestState,
} from "./pull-requests.ts";
import { getIssue } from "./issues.ts";

const now = { clock: systemClock, ids: snowflakes() };
const WISH = { from: "ann", path: "a.ts", line: 3, text: "Why not b?" };

async function open() {
  const { db } = await freshDatabase();
  const issue = await trackedIssue(db, (await trackedRepository(db)).id);
  return { db, issueId: issue.id, taskId: await taskOf(db, issue.id) };
}

async function taskOf(db: Db, issueId: string): Promise<string> {
  const [planId, taskId] = [now.ids.next(), now.ids.next()];
  await db.execute(
    `insert into plans (id, issue_id, version, sha256, triage, plan, status, created_at)
     values ($1, $2, 1, '', '{}', '{}', 'confirmed', now())`,
    [planId, issueId],
  );
  await db.execute(
    `insert into tasks (id, issue_id, plan_id, status, approved_by, enqueued_at, updated_at)
     values ($1, $2, $3, 'queued', 'ann', now(), now())`,
    [taskId, issueId, planId],
  );
  return taskId;
}

function facts(number: number, change: Partial<IterationFacts> = {}): IterationFacts {
  return {
    number,
    commit: null,
    tree: "t",
    agent: null,
    checks: [
      { kind: "test", command: "npm test", outcome: "failed", code: 1, seconds: 2.5, output: "FAIL \\u0041 🧵" },
    ],
    undone: [{ path: ".env", why: "blocked path", detail: "" }],
    changedFiles: 1,
    untouched: [],
    usd: 0.25,
    seconds: 3,
    ...change,
  };
}

const RUN = {
  reason: "plan",
  agent: "claude",
  branch: "fix/1-x",
  base: null,
  head: null,
  changeRequests: [WISH],
  baseline: null,
} as const;

test("a task has one run at a time, which goes on under its id after a crash", async () => {
  const { db, issueId, taskId } = await open();
  const run = await addRun(db, { ...RUN, taskId, issueId }, now);
  expect(run).toMatchObject({ status: "running", iterations: 0, usd: 0, head: null, detail: null });
  await expect(addRun(db, { ...RUN, taskId, issueId }, now)).rejects.toMatchObject({ code: "conflict" });
  expect(await runningRun(db, taskId)).toEqual(run);
  await setRunBase(db, run.id, "b1");
  expect(await listRunning(db)).toEqual([run.id]);

  expect(await finishRun(db, run.id, { status: "stuck", detail: "a question" }, systemClock)).toBe(true);
  expect(await finishRun(db, run.id, { status: "done", detail: null }, systemClock)).toBe(false);
  expect(await runningRun(db, taskId)).toBeNull();
  expect(await moveHead(db, run.id, "late")).toBe(false);
  const next = await addRun(db, { ...RUN, taskId, issueId, reason: "review" }, now);
  expect((await runFacts(db, next.id)).iterations).toEqual([]);
  expect((await latestRun(db, taskId))?.id).toBe(next.id);
  expect((await listRuns(db, issueId)).map(({ id, status, base }) => [id, status, base])).toEqual([
    [run.id, "stuck", "b1"],
    [next.id, "running", null],
  ]);
});

test("each iteration is stored once, in order, with its commit and what it cost", async () => {
  const { db, issueId, taskId } = await open();
  const { id } = await addRun(db, { ...RUN, taskId, issueId }, now);
  expect(await recordIteration(db, id, facts(0, { usd: 0 }))).toBe(true);
  expect(await recordIteration(db, id, facts(1, { commit: "c1" }))).toBe(true);
  expect(await recordIteration(db, id, facts(1, { commit: "other" }))).toBe(false);
  expect(await recordIteration(db, id, facts(3))).toBe(false);
  expect(await recordIteration(db, id, facts(2))).toBe(true);
  expect(await latestRun(db, taskId)).toMatchObject({ iterations: 2, usd: 0.5, head: "c1" });
  const kept = await runFacts(db, id);
  expect(kept.wishes).toEqual([WISH]);
  expect(kept.iterations).toEqual([facts(0, { usd: 0 }), facts(1, { commit: "c1" }), facts(2)]);
  await finishRun(db, id, { status: "cancelled", detail: null }, systemClock);
  expect(await recordIteration(db, id, facts(3))).toBe(false);

  const further = await addRun(db, { ...RUN, taskId, issueId, reason: "review", head: "c1" }, now);
  expect((await runFacts(db, further.id)).iterations).toEqual([facts(0, { usd: 0 })]);
  expect(await recordIteration(db, further.id, facts(1))).toBe(true);
});

test("what a clean checkout shows replaces the checks of the last iteration, and may be stored again", async () => {
  const { db, issueId, taskId } = await open();
  const { id } = await addRun(db, { ...RUN, taskId, issueId }, now);
  await recordIteration(db, id, facts(0, { usd: 0 }));
  await recordIteration(db, id, facts(1, { commit: "c1", checks: [] }));
  const { checks } = facts(1);
  const proven = { number: 1, checks, seconds: 9, proof: { commit: "c1", proving: ["is four"] } };
  expect(await recordProof(db, id, proven)).toBe(true);
  expect(await recordProof(db, id, proven)).toBe(true);
  expect(await recordProof(db, id, { ...proven, number: 0 })).toBe(false);
  expect((await runFacts(db, id)).iterations).toEqual([facts(0, { usd: 0 }), facts(1, { commit: "c1", ...proven })]);
  expect(await latestRun(db, taskId)).toMatchObject({ iterations: 1, usd: 0.25, head: "c1" });
  await finishRun(db, id, { status: "cancelled", detail: null }, systemClock);
  expect(await recordProof(db, id, proven)).toBe(false);
});

test("the log of a run is read from any place on, and an entry is kept once", async () => {
  const { db, issueId, taskId } = await open();
  const { id } = await addRun(db, { ...RUN, taskId, issueId }, now);
  expect(await lastLogged(db, id)).toBe(0);
  const entries = [1, 2, 3].map((seq) => ({
    seq,
    at: new Date(seq),
    iteration: 1,
    kind: "said" as const,
    text: `${seq}`,
  }));
  await appendLog(db, id, entries);
  await appendLog(
    db,
    id,
    entries.map((entry) => ({ ...entry, text: "again" })),
  );
  expect(await listLog(db, id, 1)).toEqual(entries.slice(1));
  expect(await listLog(db, id, 0, 2)).toEqual(entries.slice(0, 2));
  expect(await lastLogged(db, id)).toBe(3);
});

test("a task has one request, however often one is added", async () => {
  const { db, issueId, taskId } = await open();
  expect(await findRequest(db, taskId)).toBeNull();
  const made = { taskId, issueId, externalProjectId: "shop", number: 7, branch: "fix/1-x", base: "main", url: null };
  const request = await addRequest(db, made, systemClock);
  expect(await addRequest(db, { ...made, number: 8 }, systemClock)).toEqual(request);
  expect(await findRequest(db, taskId)).toEqual(request);
  expect(await findRequestByNumber(db, "shop", 7)).toEqual({ request, issueId });
  expect(await findRequestByNumber(db, "shop", 8)).toBeNull();
  expect(await findRequestByNumber(db, "other", 7)).toBeNull();

  expect(await setRequestState(db, taskId, "merged", systemClock)).toBe(true);
  expect(await setRequestState(db, taskId, "merged", systemClock)).toBe(false);
  expect((await findRequest(db, taskId))?.state).toBe("merged");
});

test("a request in review is looked at when it changed, and less often the longer it did not (R-WORK-9)", async () => {
  const { db, issueId, taskId } = await open();
  const repositoryId = (await getIssue(db, issueId)).repositoryId;
  const made = { taskId, issueId, externalProjectId: "shop", number: 7, branch: "fix/1-x", base: "main", url: null };
  await addRequest(db, made, systemClock);
  await db.execute("update issues set state = 'in_review'", []);
  const at = new Date("2026-01-01T10:00:00Z");
  const due = async (changed: Parameters<typeof listReviewsToLookAt>[2] = []) =>
    (await listReviewsToLookAt(db, repositoryId, changed)).length > 0;
  const after = async (hours: number, unchangedDays: number, checksRun = false) => {
    await db.execute(
      `update task_requests set looked_at = now() - $1 * interval '1 hour', checks_run = $3,
         seen_at = now() - $2 * interval '1 day', updated_at = now() - $2 * interval '1 day'`,
      [hours, unchangedDays, checksRun],
    );
    return await due();
  };
  expect(await due()).toBe(true);
  await markLooked(db, taskId, { seenAt: at, checksRun: false });
  expect(await due()).toBe(false);
  expect(await due([{ number: 7, updatedAt: at }])).toBe(false);
  expect(await due([{ number: 7, updatedAt: new Date(at.getTime() + 1_000) }])).toBe(true);
  expect(await due([{ number: 8, updatedAt: new Date() }])).toBe(false);
  expect([await after(0.5, 0.5), await after(1, 0.5)]).toEqual([false, true]);
  expect([await after(5, 2), await after(6, 2)]).toEqual([false, true]);
  expect([await after(1, 2, true), await after(23, 8, true), await after(24, 8)]).toEqual([true, false, true]);
  await markLooked(db, taskId, { seenAt: null, checksRun: false });
  await db.execute("update task_requests set looked_at = now() - interval '1 hour'", []);
  expect(await due()).toBe(true);
});

test("red checks are counted up to their bound", async () => {
  const { db, issueId, taskId } = await open();
  const made = { taskId, issueId, externalProjectId: "shop", number: 7, branch: "fix/1-x", base: "main", url: null };
  await addRequest(db, made, systemClock);
  const counted = [];
  for (let n = 0; n < 3; n += 1) counted.push(await countRedChecks(db, taskId, 2, systemClock));
  expect(counted).toEqual([true, true, false]);
  expect(await redChecksOf(db, taskId)).toBe(2);
});

test("words on a request are taken up once, and wait for their answer", async () => {
  const { db, issueId, taskId } = await open();
  const { id: runId } = await addRun(db, { ...RUN, taskId, issueId, reason: "review" }, now);
  const word = (externalId: string, at: number) => ({
    externalId,
    externalThreadId: "t1",
    author: "ann",
    content: `word ${externalId}`,
    path: null,
    line: null,
    createdAt: new Date(at),
  });
  const first = await recordFeedback(db, taskId, [word("b", 2), word("a", 1), word("a", 1)], runId);
  expect(first.map(({ externalId }) => externalId)).toEqual(["a", "b"]);
  expect(first[0]).toEqual({ ...word("a", 1), runId, answered: false });
  expect(await recordFeedback(db, taskId, [word("a", 1), word("thanks", 3)], null)).toHaveLength(1);
  expect(await feedbackContents(db, taskId)).toEqual(new Map(["a", "b", "thanks"].map((id) => [id, `word ${id}`])));
  expect(await recordFeedback(db, taskId, [{ ...word("a", 1), content: "said better" }], runId)).toHaveLength(1);
  await markFeedbackAnswered(db, taskId, ["a"]);
  expect((await listOpenFeedback(db, taskId)).map(({ externalId }) => externalId)).toEqual(["b"]);
});

test("two at once take up a word one time", async () => {
  const { db, issueId, taskId } = await open();
  const { id: runId } = await addRun(db, { ...RUN, taskId, issueId }, now);
  const words = Array.from({ length: 20 }, (_, n) => ({
    externalId: `w${n}`,
    externalThreadId: null,
    author: "ann",
    content: "",
    path: null,
    line: null,
    createdAt: new Date(n),
  }));
  const taken = await Promise.all([1, 2, 3].map(async () => await recordFeedback(db, taskId, words, runId)));
  expect(taken.flat()).toHaveLength(20);
  const rows = await db.query(z.object({ n: z.number() }), `select count(*)::int as n from change_requests`, []);
  expect(rows).toEqual([{ n: 20 }]);
});

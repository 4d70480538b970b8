import { expect, test } from "vitest";
import { freshDatabase } from "./database.ts";
import { trackedIssue, trackedRepository } from "./tracked-issue.ts";
import { systemClock } from "../src/lib/clock.ts";
import { snowflakes } from "../src/lib/ids.ts";
import { aPlan, aTriage } from "../src/plan/comment.cases.ts";
import { addPlan } from "../src/store/plans.ts";
import { addTask, cancelQueued, listQueued } from "../src/store/tasks.ts";

test("tasks wait in the order of their issues' numbers, whenever they were agreed to (R-WORK-1)", async () => {
  const { db } = await freshDatabase();
  const now = { clock: systemClock, ids: snowflakes() };
  const repository = await trackedRepository(db);
  const made = { triage: aTriage(), plan: aPlan(), sha256: "0", basisSha256: "0", byRules: true };
  const issues: string[] = [];
  for (const number of ["10", "9", "100", "2"]) {
    const { id } = await trackedIssue(db, repository.id, number);
    const plan = await addPlan(db, id, made, now);
    await addTask(db, { issueId: id, planId: plan.id, confirmedBy: "mia" }, now);
    issues.push(id);
  }
  const [ten, nine, hundred, two] = issues;
  expect((await listQueued(db, 10)).map(({ issueId }) => issueId)).toEqual([two, nine, ten, hundred]);
  await cancelQueued(db, nine ?? "", systemClock);
  expect((await listQueued(db, 2)).map(({ issueId }) => issueId)).toEqual([two, ten]);
});

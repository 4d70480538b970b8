import { expect, test } from "vitest";
import type { IssueAddress } from "../src/domain/issue.ts";
import { latestTask } from "../src/store/tasks.ts";
import type { WorkingLife } from "./working-life.ts";
import { agentOf, agreed, mends, openWorking } from "./working-life.ts";

async function taskOf(life: WorkingLife, issue: IssueAddress) {
  const task = await latestTask(life.db, (await life.existing(issue)).id);
  if (task === null) throw new Error("there is no task");
  return task;
}

test("what was agreed to becomes one branch and one request, and the issue is in review (R-WORK-1, R-WORK-7)", async () => {
  const life = await openWorking(agentOf(mends));
  const issue = await agreed(life);
  expect(await life.existing(issue)).toMatchObject({ state: "queued" });
  const task = await taskOf(life, issue);
  await life.carryOut(task.id, { log: { ...life.log, error: (o) => console.error(o), warn: (o) => console.error(o) } });
  expect(await life.existing(issue)).toMatchObject({ state: "in_review" });
  expect(await taskOf(life, issue)).toMatchObject({ status: "done" });
  const branch = "fix/1-wrong-total-cart";
  const opened = await life.tracker.findPullRequest("shop", branch);
  expect(opened).toMatchObject({ head: branch, base: "main", state: "open" });
  expect(opened?.body).toContain("Closes #1");
  expect(await life.git("show", `${branch}:src/cart.ts`)).not.toContain("cart is empty");
  expect(await life.git("log", "--format=%s", `main..${branch}`)).toMatch(/^fix: .*\(#1\)$/);
  expect(await life.git("status", "--porcelain")).toBe("");
  expect((await life.said(issue)).at(-1)).toContain(`#${opened?.number}`);
  // Its job may come again: there is nothing to do.
  await life.carryOut(task.id);
  expect(await life.said(issue)).toHaveLength((await life.said(issue)).length);
});

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { listEndedRuns, listRuns } from "../../src/storage/runs.ts";
import { QUESTION_FILE } from "../../src/implementation/run/notes.ts";
import { pruneRunHeads } from "../../src/implementation/run/workspace/source.ts";
import { NOTES } from "../../src/implementation/run/workspace/scan-tree.ts";
import {
  agentOf,
  agreed,
  hangs,
  mends,
  openWorking,
  writes,
  type Deed,
  type WorkingLife,
} from "../support/working-relay.ts";
import { BOT } from "../support/relay.ts";
import { say, tasksOf } from "../support/planning-relay.ts";

/** The agent is at work on the issue, and ends when it is told to. */
async function inMidRun(life: WorkingLife, begun: readonly string[]) {
  const issue = await agreed(life);
  const before = begun.length;
  const run = life.worksOn(issue);
  await expect.poll(() => begun.length).toBe(before + 1);
  return { issue, run };
}

async function nothingIsLeft(life: WorkingLife, issue: IssueAddress) {
  const runs = await listRuns(life.db, (await life.existing(issue)).id);
  expect(runs.map(({ status }) => status)).toEqual(["cancelled"]);
  expect(await life.git("branch", "--format=%(refname:short)")).toBe("main");
  expect(await life.git("for-each-ref", "refs/relay/runs")).toBe("");
  expect(await readdir(join(life.work.home, "work"))).toEqual([]);
}

test("who closes the issue, takes Relay off it, says “stop” or edits it ends the run under way, and is told once (R-LIFE-2)", async () => {
  const begun: string[] = [];
  const life = await openWorking(agentOf(hangs(begun)));

  const closed = await inMidRun(life, begun);
  await life.deliver(await life.people.setState(closed.issue, "mia", "closed"));
  expect(await life.settled(closed.issue)).toMatchObject({ state: "closed" });
  expect(await closed.run).toMatchObject({ state: "closed" });
  await nothingIsLeft(life, closed.issue);

  const unassigned = await inMidRun(life, begun);
  await life.deliver(await life.people.unassign(unassigned.issue, "mia", BOT));
  expect(await unassigned.run).toMatchObject({ state: "closed" });
  await nothingIsLeft(life, unassigned.issue);

  const stopped = await inMidRun(life, begun);
  expect(await say(life, stopped.issue, "mia", "stop")).toMatchObject({ state: "waiting_confirmation" });
  expect(await stopped.run).toMatchObject({ state: "waiting_confirmation" });
  await nothingIsLeft(life, stopped.issue);

  const edited = await inMidRun(life, begun);
  const body = "`total([])` in src/cart.ts throws. Expected: null.";
  await life.deliver(await life.people.editIssue(edited.issue, "ann", { body }));
  await edited.run;
  await nothingIsLeft(life, edited.issue);
  expect((await life.settled(edited.issue)).state).not.toBe("in_progress");

  expect(await tasksOf(life)).toEqual(["cancelled", "cancelled", "cancelled", "cancelled"]);
  expect(await life.shown(closed.issue)).toBe("**The issue is closed, so I’ve stopped.**");
  expect(await life.shown(unassigned.issue)).toBe("**I was unassigned, so I’ve stopped.**");
  for (const [{ issue }, words] of [
    [stopped, "I’ve stopped"],
    [edited, "The request has changed"],
  ] as const) {
    const last = (await life.said(issue)).filter((comment) => comment.includes(words));
    expect({ words, last }).toEqual({ words, last: [expect.any(String)] });
  }
});

test("what a run that waited for an answer had committed is let go once its task is taken back (R-WORK-8)", async () => {
  const asks: Deed = async (request) => {
    await mends(request);
    await writes(`${NOTES}/${QUESTION_FILE}`, "Net or gross?\n")(request);
  };
  const life = await openWorking(agentOf(asks));
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  const sweep = async () =>
    await pruneRunHeads(life.code.gitDirectory, async (runs) => await listEndedRuns(life.db, runs));
  await life.git("update-ref", "refs/relay/runs/by-somebody-else", "HEAD");
  expect(await sweep()).toBe(0);
  expect((await life.git("for-each-ref", "refs/relay/runs")).split("\n")).toHaveLength(2);
  await life.deliver(await life.people.setState(issue, "mia", "closed"));
  expect(await life.settled(issue)).toMatchObject({ state: "closed" });
  expect(await sweep()).toBe(1);
  expect(await life.git("for-each-ref", "--format=%(refname)", "refs/relay/runs")).toBe(
    "refs/relay/runs/by-somebody-else",
  );
});

test("a paused issue ends its run, and goes on once it is resumed, also before the run has noticed (R-WORK-8)", async () => {
  const begun: string[] = [];
  const life = await openWorking(agentOf(hangs(begun), hangs(begun), mends));
  const { issue, run } = await inMidRun(life, begun);
  const { id } = await life.existing(issue);
  await life.transition(life.db, id, "pause_requested", { why: "by the operator" });
  expect(await run).toMatchObject({ state: "paused" });
  await life.employ();
  await life.transition(life.db, id, "resume_requested", { why: "by the operator" });
  await life.orchestrator.wakeNow(id);
  await expect.poll(() => begun.length).toBe(2);
  await life.transition(life.db, id, "pause_requested", { why: "by the operator" });
  await life.transition(life.db, id, "resume_requested", { why: "by the operator" });
  await life.orchestrator.wakeNow(id);
  await expect.poll(async () => (await life.existing(issue)).state).toBe("in_review");
  const runs = await listRuns(life.db, id);
  expect(runs.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "done"]);
  expect(await tasksOf(life)).toEqual(["done"]);
});

import { expect, test } from "vitest";
import type { AgentReport } from "../../src/adapters/agents/agent.ts";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { STATUS_KEY } from "../../src/domain/marker.ts";
import type { Outage } from "../../src/domain/outage.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { listCalls } from "../../src/storage/model-calls.ts";
import { findEditedPost } from "../../src/storage/posts.ts";
import { listRuns, runFacts } from "../../src/storage/runs.ts";
import { DONE_FILE } from "../../src/implementation/run/notes.ts";
import { NOTES } from "../../src/implementation/run/workspace/scan-tree.ts";
import {
  type Deed,
  type WorkingLife,
  agentOf,
  agreed,
  idle,
  mends,
  openWorking,
  writes,
} from "../support/working-relay.ts";
import { say, tasksOf } from "../support/planning-relay.ts";
import { WORK_SETTINGS } from "../support/work-settings.ts";

const OVERLOADED: Partial<AgentReport> = {
  ending: { kind: "failed", detail: "claude ended with code 1: status 529", usable: true, passing: true },
  usd: 0.25,
};
const meetsOutage: Deed = async () => await Promise.resolve(OVERLOADED);

/** A clock that goes on with the real one, from a time that the test moves. */
function timeMachine() {
  let ahead = 0;
  const now = () => systemClock.now().getTime() + ahead;
  return {
    clock: { now: () => new Date(now()) },
    goOn: (ms: number) => {
      ahead += ms;
    },
    goTo: (at: Date | undefined) => {
      ahead += Math.max(0, (at?.getTime() ?? 0) - now());
    },
  };
}

const HOUR = 3_600_000;

/** One attempt, as the job of the task makes it, and the outage that it waits out then; null if it is over. */
async function attempt(life: WorkingLife, issue: IssueAddress, change = {}): Promise<Outage | null> {
  const { id } = await life.existing(issue);
  const error: unknown = await life.worksOn(issue, change).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) return null;
  expect(error).toMatchObject({ retryable: true, retryAfterMs: expect.any(Number) });
  return (await listRuns(life.db, id)).at(-1)?.outage ?? null;
}

const runsOf = async (life: WorkingLife, issue: IssueAddress) =>
  await listRuns(life.db, (await life.existing(issue)).id);

/** The words of the status comment. */
async function statusOf(life: WorkingLife, issue: IssueAddress): Promise<string> {
  const { id } = await life.existing(issue);
  await life.orchestrator.updateStatus(id);
  return (await findEditedPost(life.db, id, STATUS_KEY))?.shown ?? "";
}

test("an outage of the model is waited out: no iteration is used up, and what it cost counts (R-WORK-15)", async () => {
  const { clock, goTo } = timeMachine();
  const agent = agentOf(meetsOutage, meetsOutage, meetsOutage, meetsOutage, mends, idle);
  const life = await openWorking(agent, () => ({ clock }));
  const issue = await agreed(life);
  const said = (await life.said(issue)).length;
  const settings = { ...WORK_SETTINGS, limits: { ...WORK_SETTINGS.limits, iterations: 2, usd: 1.2 } };
  for (const tries of [1, 2, 3, 4]) {
    const outage = await attempt(life, issue, { settings });
    expect(outage).toMatchObject({ of: "model", tries });
    goTo(outage?.until);
  }
  expect((await runsOf(life, issue)).map(({ status, iterations, usd }) => [status, iterations, usd])).toEqual([
    ["running", 0, 1],
  ]);
  expect((await life.said(issue)).length).toBe(said);
  expect(await attempt(life, issue, { settings })).toBeNull();
  const [run] = await runsOf(life, issue);
  expect(run).toMatchObject({ status: "done", outage: null, usd: 1 });
  expect((await life.existing(issue)).state).toBe("in_review");
  const calls = await listCalls(life.db, (await life.existing(issue)).id);
  expect(calls.filter(({ role }) => role === "worker").length).toBeGreaterThanOrEqual(5);
});

test("a job that comes before the end of the wait waits for it, and a person who asks by hand does not", async () => {
  const { clock } = timeMachine();
  const agent = agentOf(meetsOutage, mends, idle);
  const life = await openWorking(agent, () => ({ clock }));
  const issue = await agreed(life);
  expect(await attempt(life, issue)).toMatchObject({ tries: 1 });
  expect(await attempt(life, issue)).toMatchObject({ tries: 1 });
  expect(agent.runs()).toBe(1);
  await life.directly(issue);
  expect((await life.existing(issue)).state).toBe("in_review");
});

test("a stop, a pause and a close end the wait at once (R-LIFE-2)", async () => {
  const agent = agentOf(meetsOutage);
  const life = await openWorking(agent);
  const stopped = await agreed(life);
  expect(await attempt(life, stopped)).toMatchObject({ tries: 1 });
  expect(await say(life, stopped, "mia", "stop")).toMatchObject({ state: "waiting_confirmation" });
  expect(await runsOf(life, stopped)).toMatchObject([{ status: "cancelled" }]);
  expect(await attempt(life, stopped)).toBeNull();
  const closed = await agreed(life);
  expect(await attempt(life, closed)).toMatchObject({ tries: 1 });
  await life.deliver(await life.people.setState(closed, "mia", "closed"));
  await life.settled(closed);
  expect(await attempt(life, closed)).toBeNull();
  const paused = await agreed(life);
  expect(await attempt(life, paused)).toMatchObject({ tries: 1 });
  const { id } = await life.existing(paused);
  await life.transition(life.db, id, "pause_requested", { why: "by the operator" });
  await life.directly(paused);
  expect((await life.existing(paused)).state).toBe("paused");
  expect(await tasksOf(life)).toEqual(["cancelled", "cancelled", "running"]);
  expect(agent.runs()).toBe(3);
});

test("what was changed before the outage is kept, and the iteration is not counted (R-WORK-15)", async () => {
  const { clock, goTo } = timeMachine();
  const cut: Deed = async (request) => {
    await writes("src/half.ts", "export const half = 1;\n")(request);
    return OVERLOADED;
  };
  const ends: Deed = async (request) => {
    await mends(request);
    await writes(`${NOTES}/${DONE_FILE}`, "All is done.\n")(request);
  };
  const life = await openWorking(agentOf(cut, ends), () => ({ clock }));
  const issue = await agreed(life);
  const settings = { ...WORK_SETTINGS, limits: { ...WORK_SETTINGS.limits, iterations: 1 } };
  goTo((await attempt(life, issue, { settings }))?.until);
  expect(await attempt(life, issue, { settings })).toBeNull();
  const [run] = await runsOf(life, issue);
  expect(run).toMatchObject({ status: "done", outage: null });
  const { iterations } = await runFacts(life.db, run?.id ?? "");
  expect(iterations.map(({ agent, commit }) => [agent?.interrupted === true, commit !== null])).toEqual([
    [false, false],
    [true, true],
    [false, true],
  ]);
  expect(await life.git("ls-tree", "-r", "--name-only", run?.head ?? "")).toContain("src/half.ts");
});

test("nothing is said for an hour; then the status comment says it once, and no more when it is over", async () => {
  const { clock, goTo } = timeMachine();
  let isBack = false;
  const agent = agentOf(async (request) => (isBack ? await mends(request) : OVERLOADED));
  const life = await openWorking(agent, () => ({ clock }));
  const issue = await agreed(life);
  const seen = new Set<string>();
  for (let tries = 1; tries <= 12; tries += 1) {
    const outage = await attempt(life, issue);
    expect(outage).toMatchObject({ tries });
    const told = /hasn’t been available since .*/.exec(await statusOf(life, issue))?.[0] ?? "";
    expect([tries, told !== ""]).toEqual([tries, tries > 10]);
    if (told !== "") seen.add(told);
    goTo(outage?.until);
  }
  expect(seen.size).toBe(1);
  isBack = true;
  expect(await attempt(life, issue)).toBeNull();
  expect(await statusOf(life, issue)).not.toContain("hasn’t been available");
});

test("an outage of a day ends the run, which says so", async () => {
  const { clock, goOn } = timeMachine();
  const life = await openWorking(agentOf(meetsOutage), () => ({ clock }));
  const issue = await agreed(life);
  expect(await attempt(life, issue)).toMatchObject({ tries: 1 });
  goOn(23 * HOUR);
  expect(await attempt(life, issue)).toMatchObject({ tries: 2 });
  goOn(HOUR);
  expect(await attempt(life, issue)).toBeNull();
  expect((await life.existing(issue)).state).toBe("stuck");
  expect((await life.said(issue)).at(-1)).toContain("hasn’t been available for a day");
  expect(await runsOf(life, issue)).toMatchObject([
    { status: "stuck", detail: "tester does not get through to its model; it has been so for a day" },
  ]);
});

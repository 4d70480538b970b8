import { expect, test } from "vitest";
import { agentOf, mends, openWorking } from "../support/working-relay.ts";
import { moment, openPlanning, planOf, planned, say, setMode, tasksOf } from "../support/planning-relay.ts";
import { report, BOT } from "../support/relay.ts";
import { listRuns } from "../../src/storage/runs.ts";

const NARROWED = /no further than mode `(?:spec|plan)`/;

test("the operator takes Relay back: under spec a yes to an earlier plan queues nothing, and is told so once (R-LIFE-12)", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await planned(life);
  setMode(life, "spec");
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "waiting_confirmation" });
  await say(life, issue, "mia", "yes, please");
  expect(await tasksOf(life)).toEqual([]);
  expect((await life.said(issue)).filter((body) => NARROWED.test(body))).toHaveLength(1);
});

test("an issue under way when the mode becomes spec ends with its spec", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await report(life, "`total([])` in src/cart.ts throws. Expected: 0.");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  setMode(life, "spec");
  expect(await say(life, issue, "mia", "go ahead with the spec")).toMatchObject({ state: "done" });
  expect(await planOf(life, issue)).toBeNull();
});

test("a wider mode holds from now on as well: a yes then starts work", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  setMode(life, "implement");
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  expect((await life.said(issue)).at(-1)).toContain("Work on this task has started");
});

test("what the reporter alone agreed to under plan is not carried out under implement: a new plan asks who may (R-CONF-3)", async () => {
  const life = await openWorking(agentOf(mends));
  setMode(life, "plan");
  const issue = await planned(life);
  await moment();
  expect(await say(life, issue, "ann", "yes")).toMatchObject({ state: "queued" });
  setMode(life, "implement");
  await life.worksOn(issue);
  expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
  expect(await listRuns(life.db, (await life.existing(issue)).id)).toEqual([]);
  expect(
    (await life.said(issue)).filter((body) => body.includes("@ann, thank you. This plan needs approval")),
  ).toHaveLength(1);
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  await moment();
  expect(await say(life, issue, "ann", "yes")).toMatchObject({ state: "waiting_confirmation" });
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
});

test.each(["spec", "plan"] as const)(
  "an approved task does not start under %s, and the issue is told once",
  async (mode) => {
    const life = await openWorking(agentOf(mends));
    const issue = await planned(life);
    await moment();
    await say(life, issue, "mia", "yes");
    setMode(life, mode);
    expect(await life.worksOn(issue)).toMatchObject({ state: "queued" });
    expect(await life.worksOn(issue)).toMatchObject({ state: "queued" });
    expect(await listRuns(life.db, (await life.existing(issue)).id)).toEqual([]);
    expect((await life.said(issue)).filter((body) => NARROWED.test(body))).toHaveLength(1);
    setMode(life, "implement");
    expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  },
);

test("an approved task does not start where the repository's own file has become narrower", async () => {
  const life = await openWorking(agentOf(mends));
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "yes");
  const narrower = { settingsOf: async () => await Promise.resolve(NARROW) };
  expect(await life.worksOn(issue, narrower)).toMatchObject({ state: "queued" });
  expect((await life.said(issue)).at(-1)).toMatch(NARROWED);
});

const NARROW = {
  mode: "plan" as const,
  fastTrack: false,
  conventions: {},
  blockedPaths: [],
  reviewPaths: [],
  protectedFiles: [],
  learnings: null,
  problem: null,
};

import { expect, test } from "vitest";
import { moment, openPlanning, planned, say, setMode, tasksOf } from "../support/planning-relay.ts";

test("a yes that answers another person's question starts nothing, and is answered once (R-CONF-2)", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await planned(life);
  const before = (await life.said(issue)).length;
  await moment();
  await say(life, issue, "ann", "@mia, are you back from holiday?");
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "waiting_confirmation" });
  expect(await tasksOf(life)).toEqual([]);
  const told = (await life.said(issue)).slice(before);
  expect(told).toEqual([
    expect.stringContaining("@mia, I take your yes for the answer to that question. Plan 1 waits"),
  ]);
  expect(await say(life, issue, "mia", "go ahead with the plan")).toMatchObject({ state: "queued" });
});

test("the answer to a question about the plan is a yes to it", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await moment();
  await say(life, issue, "ann", "@mia, can you approve it?");
  await say(life, issue, "mia", "yes");
  expect(await tasksOf(life)).toEqual(["queued"]);
});

import { expect, test } from "vitest";
import { moment, openPlanning, planOf, say, setMode, tasksOf } from "../support/planning-relay.ts";
import { BOT } from "../support/relay.ts";

test("a spec by which nothing is to be built gets no plan to approve, one comment says so, and no yes starts work", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await life.people.openIssue("shop", {
    number: null,
    title: "Round the total",
    body: "Please add an option `--round` to `total` in src/cart.ts.",
    author: "ann",
    labels: ["enhancement"],
    assignees: [],
    url: null,
    createdAt: life.clock.now(),
  });
  await life.people.comment(issue, "mia", "No, sorry.");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  expect(await say(life, issue, "mia", "go ahead with the spec")).toMatchObject({ state: "done" });
  expect(await planOf(life, issue)).toBeNull();
  const told = (await life.said(issue)).filter((text) => text.includes("nothing is to be built"));
  expect(told).toEqual([expect.stringContaining("no plan to approve")]);
  await moment();
  await say(life, issue, "mia", "yes");
  expect(await tasksOf(life)).toEqual([]);
});

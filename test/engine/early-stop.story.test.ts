import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import type { Planner } from "../../src/planner/planner.ts";
import { listGaps } from "../../src/storage/gaps.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";

const HELD = "@mia, all right, I start nothing. If you change your mind, reply “go ahead”.";

const vague = async (life: Life) => await report(life, "It breaks sometimes.", "Totals are odd");

async function says(life: Life, issue: IssueAddress, words: string) {
  await life.deliver(await life.people.comment(issue, "mia", words));
  return await life.settled(issue);
}

async function questionsOf(life: Life, issue: IssueAddress): Promise<string[]> {
  return (await listGaps(life.db, (await life.existing(issue)).id)).map(({ question }) => question);
}

test("a stop that comes with the assignment keeps the first questions back; a go-ahead asks them", async () => {
  const life = await openLife();
  const issue = await vague(life);
  const assigned = await life.people.assign(issue, "mia", BOT);
  const stop = await life.people.comment(issue, "mia", "Stop, please.");
  await life.deliver(assigned);
  await life.deliver(stop);
  expect(await life.settled(issue)).toMatchObject({ state: "awaiting_proceed" });
  expect(await life.said(issue)).toEqual([expect.stringContaining(HELD)]);
  expect(await says(life, issue, "go ahead")).toMatchObject({ state: "clarifying" });
  const asked = (await life.said(issue)).slice(1).join("\n");
  for (const question of await questionsOf(life, issue)) expect(asked).toContain(question);
  expect(await says(life, issue, "go ahead with the spec")).toMatchObject({ state: "done" });
});

test("a stop that comes while Relay plans its questions keeps them back; a go-ahead asks the same ones", async () => {
  const told: { issue: IssueAddress | null } = { issue: null };
  const life: Life = await openLife(({ plannerFor }) => ({
    plannerFor: (...given): Planner => {
      const planner = plannerFor(...given);
      const plan: Planner["plan"] = async (...args) => {
        const planned = await planner.plan(...args);
        const { issue } = told;
        told.issue = null;
        if (issue !== null) await life.deliver(await life.people.comment(issue, "mia", "Stop, please."));
        return planned;
      };
      return { ...planner, plan };
    },
  }));
  const issue = await vague(life);
  told.issue = issue;
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "awaiting_proceed" });
  expect(await life.said(issue)).toEqual([expect.stringContaining(HELD)]);
  const planned = await questionsOf(life, issue);
  expect(planned).not.toEqual([]);
  expect(await says(life, issue, "go ahead")).toMatchObject({ state: "clarifying" });
  expect(await questionsOf(life, issue)).toEqual(planned);
  const asked = (await life.said(issue)).slice(1).join("\n");
  for (const question of planned) expect(asked).toContain(question);
});

test("what was said to others long before Relay was called is no stop, nor is one that was taken back", async () => {
  const life = await openLife();
  const issue = await vague(life);
  const early = await life.people.comment(issue, "mia", "Stop, please.");
  const later = await life.people.comment(issue, "mia", "It is about the cart after all.");
  await life.deliver(early);
  await life.deliver(later);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "clarifying" });
  expect(await life.said(issue)).not.toContainEqual(expect.stringContaining("I start nothing"));
});

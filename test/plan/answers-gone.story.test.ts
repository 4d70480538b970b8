import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { type Life, BOT, report } from "../support/relay.ts";
import { moment, openPlanning, planOf, say, setMode, tasksOf } from "../support/planning-relay.ts";
import { listGaps } from "../../src/storage/gaps.ts";

const ANSWER = "1. Call `total([])` of src/cart.ts: it should answer 0, and it throws.";

/** An issue with a plan that rests on an answer of ann's; the comment with the answer. */
async function answered(life: Life): Promise<{ issue: IssueAddress; answer: string }> {
  setMode(life, "implement");
  const issue = await report(life, "The total of src/cart.ts is wrong.");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "clarifying" });
  await moment();
  const told = await life.people.comment(issue, "ann", ANSWER);
  await life.deliver(told);
  await life.settled(issue);
  await moment();
  await say(life, issue, "mia", "go ahead with the spec");
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "posted" });
  await moment();
  return { issue, answer: told.commentId ?? "" };
}

const gapsOf = async (life: Life, issue: IssueAddress) =>
  (await listGaps(life.db, (await life.existing(issue)).id)).map(({ status, closedReason }) => closedReason ?? status);

const toldIn = async (life: Life, issue: IssueAddress, words: string) =>
  (await life.said(issue)).filter((text) => text.includes(words)).length;

test.each(["deleted", "edited into something else"])(
  "an answer that is %s opens its question again: the plan that rests on it counts no more, and a yes starts nothing",
  async (how) => {
    const life = await openPlanning();
    const { issue, answer } = await answered(life);
    const asked = await toldIn(life, issue, "Please answer by number");
    await life.deliver(
      how === "deleted"
        ? await life.people.deleteComment(issue, answer, "ann")
        : await life.people.editComment(issue, answer, "ann", "Thanks!"),
    );
    await say(life, issue, "mia", "yes");
    expect(await tasksOf(life)).toEqual([]);
    expect(await gapsOf(life, issue)).toContain("open");
    expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "stale" });
    expect(await life.existing(issue)).toMatchObject({ state: "clarifying" });
    expect(await toldIn(life, issue, "so this is open again")).toBe(1);
    expect(await toldIn(life, issue, "Please answer by number")).toBe(asked);
    // Answered again, it is in the next spec and plan.
    await moment();
    expect(await say(life, issue, "ann", "1. `total([])` should answer -1.")).toMatchObject({
      state: "awaiting_proceed",
    });
    await moment();
    await say(life, issue, "mia", "go ahead");
    expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
    await moment();
    expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  },
);

test("an answer that is gone takes queued work back", async () => {
  const life = await openPlanning();
  const { issue, answer } = await answered(life);
  await say(life, issue, "mia", "yes");
  await life.deliver(await life.people.deleteComment(issue, answer, "ann"));
  expect(await life.settled(issue)).toMatchObject({ state: "clarifying" });
  expect(await tasksOf(life)).toEqual(["cancelled"]);
  expect(await toldIn(life, issue, "so this is open again")).toBe(1);
});

test("an answer that is edited into another answer is asked about before the plan is made anew", async () => {
  const life = await openPlanning();
  const { issue, answer } = await answered(life);
  await life.deliver(await life.people.editComment(issue, answer, "ann", ANSWER.replace("answer 0", "answer -1")));
  expect(await life.settled(issue)).toMatchObject({ state: "awaiting_proceed" });
  expect(await toldIn(life, issue, "so this is open again")).toBe(0);
  expect(await planOf(life, issue)).toMatchObject({ version: 1, status: "stale" });
  await moment();
  await say(life, issue, "mia", "go ahead");
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
});

test("an answer with other blanks and signs is the same answer", async () => {
  const life = await openPlanning();
  const { issue, answer } = await answered(life);
  await life.deliver(await life.people.editComment(issue, answer, "ann", ANSWER.replace(": it", " – it")));
  await life.settled(issue);
  expect(await gapsOf(life, issue)).not.toContain("open");
});

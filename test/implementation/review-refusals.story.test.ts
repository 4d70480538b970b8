import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { listRuns } from "../../src/storage/runs.ts";
import { openOn } from "../support/find-open-request.ts";
import { say } from "../support/planning-relay.ts";
import {
  type Deed,
  type WorkingLife,
  agentOf,
  agreed,
  hangs,
  idle,
  mends,
  openWorking,
} from "../support/working-relay.ts";

const BRANCH = "fix/1-wrong-total-cart";
const AT = { path: "src/cart.ts", line: 2 };

/** An issue whose request is open; mia may write, max maintains. */
async function inReview(...later: readonly Deed[]) {
  const life = await openWorking(agentOf(mends, idle, ...later));
  await life.people.setMember("shop", "max", "maintain");
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  const opened = await openOn(life.tracker, "shop", BRANCH);
  if (opened === null) throw new Error("there is no request");
  return { life, issue, request: { project: "shop", number: opened.number } };
}

type Story = Awaited<ReturnType<typeof inReview>>;

async function runsOf(life: WorkingLife, issue: IssueAddress): Promise<string[]> {
  return (await listRuns(life.db, (await life.existing(issue)).id)).map(({ reason, status }) => `${reason} ${status}`);
}

const answers = async ({ life, issue }: Pick<Story, "life" | "issue">) =>
  (await life.said(issue)).filter((body) => body.includes("<!-- relay:stopped:"));

const refusals: [string, (story: Story) => Promise<Parameters<WorkingLife["tell"]>[1]>][] = [
  [
    "“Stop.” in its conversation",
    async ({ life, request }) => await life.people.reviewComment(request, "max", "Stop.", null),
  ],
  [
    "“@relay stop” in its conversation",
    async ({ life, request }) => await life.people.reviewComment(request, "max", "@relay stop", null),
  ],
  [
    "a stop at a line",
    async ({ life, request }) => await life.people.reviewComment(request, "max", "Please stop.", AT),
  ],
  [
    "a veto in a review",
    async ({ life, request }) =>
      await life.people.review(request, "max", "changes_requested", "No, I veto this. Do not continue."),
  ],
  [
    "the wish to have it closed",
    async ({ life, request }) =>
      await life.people.reviewComment(request, "max", "Please close this, we do not want it.", null),
  ],
];

test.each(refusals)(
  "%s of a pull request halts further work on it, is answered once, and is not lifted by a lower rank (R-CONF-7)",
  async (_, refuse) => {
    const story = await inReview(mends);
    const { life, issue, request } = story;
    expect(await life.tell(issue, await refuse(story))).toMatchObject({ state: "in_review" });
    const wish = await life.people.reviewComment(request, "mia", "Please round it to cents.", AT);
    expect(await life.tell(issue, wish)).toMatchObject({ state: "in_review" });
    expect(await runsOf(life, issue)).toEqual(["plan done"]);
    expect(await answers(story)).toEqual([expect.stringContaining("I’ve stopped, as you asked.")]);
    const lifted = await life.people.reviewComment(request, "max", "OK, go on.", null);
    expect(await life.tell(issue, lifted)).toMatchObject({ state: "queued" });
    expect(await answers(story)).toHaveLength(1);
  },
);

test.each(refusals)("%s of a pull request ends the run that follows a review", async (_, refuse) => {
  const begun: string[] = [];
  const story = await inReview(hangs(begun));
  const { life, issue, request } = story;
  const wish = await life.people.reviewComment(request, "mia", "Please round it to cents.", AT);
  expect(await life.tell(issue, wish)).toMatchObject({ state: "queued" });
  const run = life.worksOn(issue);
  await expect.poll(() => begun.length).toBe(1);
  await life.tell(issue, await refuse(story));
  expect(await run).toMatchObject({ state: "waiting_confirmation" });
  expect(await runsOf(life, issue)).toEqual(["plan done", "review cancelled"]);
  expect(await answers(story)).toEqual([expect.stringContaining("I’ve stopped, as you asked.")]);
});

test.each([
  ["mia", "No, use a map here.", AT],
  ["mia", "No.", AT],
  ["mia", "This is wrong: it must be rounded.", null],
])("what %s says to change is no refusal of the whole: %s", async (who, words, at) => {
  const { life, issue, request } = await inReview(mends);
  expect(await life.tell(issue, await life.people.reviewComment(request, who, words, at))).toMatchObject({
    state: "queued",
  });
});

test("a stop of somebody without a say, on the pull request, halts nothing", async () => {
  const story = await inReview(mends);
  const { life, issue, request } = story;
  await life.people.setMember("shop", "eve", "read");
  await life.tell(issue, await life.people.reviewComment(request, "eve", "Stop.", null));
  const wish = await life.people.reviewComment(request, "mia", "Please round it to cents.", AT);
  expect(await life.tell(issue, wish)).toMatchObject({ state: "queued" });
  expect(await answers(story)).toEqual([]);
  await say(life, issue, "max", "stop");
  expect(await answers(story)).toHaveLength(1);
});

import { expect, test } from "vitest";
import { storedSpec } from "../../src/adapters/spec-stores/stored-spec.ts";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { startDebounce } from "../../src/storage/issues.ts";
import { listSpecVersions } from "../../src/storage/specs.ts";
import { openOn } from "../support/find-open-request.ts";
import { moment, planOf, say } from "../support/planning-relay.ts";
import { BOT } from "../support/relay.ts";
import { type WorkingLife, agentOf, agreed, mends, openWorking, writes } from "../support/working-relay.ts";

const BRANCH = "fix/1-wrong-total-cart";

/** An issue whose request was merged and its branch deleted. */
async function merged(life: WorkingLife): Promise<IssueAddress> {
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  const opened = await openOn(life.tracker, "shop", BRANCH);
  if (opened === null) throw new Error("there is no request");
  const event = await life.people.mergeRequest({ project: "shop", number: opened.number }, "mia");
  expect(await life.tell(issue, event)).toMatchObject({ state: "done" });
  await life.git("branch", "-D", BRANCH);
  await moment();
  return issue;
}

const specOf = async (life: WorkingLife, issue: IssueAddress) =>
  (await storedSpec((await life.existing(issue)).spec, life.specStore))?.content ?? "";

const countOf = async (life: WorkingLife, issue: IssueAddress) => ({
  said: (await life.said(issue)).length,
  versions: (await listSpecVersions(life.db, (await life.existing(issue)).id)).length,
});

test("after the merge, thanks and the words of strangers change nothing (R-SPEC-12)", async () => {
  const life = await openWorking(agentOf(mends));
  const issue = await merged(life);
  await life.people.setMember("shop", "eve", "read");
  const before = await countOf(life, issue);
  for (const [who, words] of [
    ["mia", "Thanks!"],
    ["mia", "Great, works for me 🎉"],
    ["eve", "Please also add a dark mode."],
  ] as const) {
    expect(await say(life, issue, who, words)).toMatchObject({ state: "done" });
    await moment();
  }
  expect(await countOf(life, issue)).toEqual(before);
});

test("after the merge, a wish of somebody who decides revises the spec, and a new plan waits for one yes (R-SPEC-12, R-CONF-9)", async () => {
  const more = writes("README.md", "An empty cart has the total 0.\n");
  const life = await openWorking(agentOf(mends, more));
  const issue = await merged(life);
  const [before, first] = [await specOf(life, issue), await planOf(life, issue)];
  const told = (await life.said(issue)).length;
  const wish = "Please also write a line about empty carts into README.md.";
  expect(await say(life, issue, "mia", wish)).toMatchObject({ state: "waiting_confirmation" });
  const after = await specOf(life, issue);
  expect(after).toContain("Please also write a line about empty carts into README.md");
  expect(after.slice(after.indexOf("## Changelog"))).toMatch(/@mia \(.?message \d+/);
  const kept = before.split("\n").filter((line) => line.startsWith("- **") || line.startsWith("#### "));
  expect(after.split("\n")).toEqual(expect.arrayContaining(kept));
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  expect((await life.said(issue)).slice(told)).toEqual([expect.stringContaining("plan 2")]);
  await moment();

  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  expect(await life.worksOn(issue)).toMatchObject({ state: "in_review" });
  const second = await planOf(life, issue);
  expect(second?.id).not.toBe(first?.id);
  const requests = await life.tracker.listPullRequests("shop", BRANCH);
  expect(requests.map(({ state }) => state).toSorted()).toEqual(["merged", "open"]);
});

test("after the merge, other words of somebody who decides are asked about, once", async () => {
  const life = await openWorking(agentOf(mends));
  const issue = await merged(life);
  const told = (await life.said(issue)).length;
  expect(await say(life, issue, "mia", "And what about negative prices?")).toMatchObject({
    state: "awaiting_proceed",
  });
  expect(await life.said(issue)).toHaveLength(told + 1);
  await moment();
  expect(await say(life, issue, "mia", "go ahead")).toMatchObject({ state: "waiting_confirmation" });
  expect(await specOf(life, issue)).toContain("negative prices");
});

const closedWords = "This issue is closed. I’ll start when it is reopened.";

test("what the merge closed stays done: a wish there is told once that the issue is closed, and taken up when it is reopened (R-LIFE-11)", async () => {
  const life = await openWorking(agentOf(mends));
  const issue = await merged(life);
  await life.people.setMember("shop", "eve", "read");
  await life.deliver(await life.people.setState(issue, "mia", "closed"));
  await life.settled(issue);
  const before = await countOf(life, issue);
  const stands = await life.shown(issue);
  expect(stands).toContain("Done");

  for (const [who, words] of [
    ["mia", "Thanks!"],
    ["mia", `@${BOT} thanks!`],
    ["eve", "Please also add a dark mode."],
  ] as const) {
    expect(await say(life, issue, who, words)).toMatchObject({ state: "done" });
    await moment();
  }
  expect(await countOf(life, issue)).toEqual(before);

  for (const words of [
    "Thanks! One more wish: please also write a line about empty carts into README.md.",
    "No, stop: please also write one about negative prices into README.md.",
    `@${BOT} please do it.`,
  ]) {
    expect(await say(life, issue, "mia", words)).toMatchObject({ state: "done" });
    await moment();
  }
  expect(await countOf(life, issue)).toEqual({ ...before, said: before.said + 1 });
  expect((await life.said(issue)).at(-1)).toContain(closedWords);
  expect(await life.shown(issue)).toBe(stands);

  await life.deliver(await life.people.setState(issue, "mia", "open"));
  expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
  expect(await specOf(life, issue)).toContain("empty carts into README.md");
});

test("a wait that runs when the issue is closed after the merge ends with it", async () => {
  const life = await openWorking(agentOf(mends));
  const issue = await merged(life);
  await startDebounce(life.db, (await life.existing(issue)).id, 3_600_000);
  await life.deliver(await life.people.setState(issue, "mia", "closed"));
  expect(await life.settled(issue)).toMatchObject({ state: "done", debounceUntil: null });
});

import { expect, test } from "vitest";
import { storedSpec } from "../../src/adapters/spec-stores/stored-spec.ts";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { type Life, BOT, report } from "../support/relay.ts";
import { moment, openPlanning, planOf, planned, say, setMode } from "../support/planning-relay.ts";

const ANSWER = "`total([])` in src/cart.ts throws. Expected: 0.";
const EDITED = `${ANSWER}\n\nThe function must not change its name.`;

const specOf = async (life: Life, issue: IssueAddress) =>
  (await storedSpec((await life.existing(issue)).spec, life.specStore))?.content ?? "";

const edit = async (life: Life, issue: IssueAddress, body: string) => {
  await life.deliver(await life.people.editIssue(issue, "ann", { body }));
  return await life.settled(issue);
};

/** An issue whose spec is the last that Relay does for it. */
async function specified(life: Life): Promise<IssueAddress> {
  setMode(life, "spec");
  const issue = await report(life, ANSWER);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  await say(life, issue, "mia", "go ahead with the spec");
  expect(await life.existing(issue)).toMatchObject({ state: "done" });
  return issue;
}

test("an edit of the issue's text after its spec is asked about once, and a yes revises the spec, with a changelog", async () => {
  const life = await openPlanning();
  const issue = await specified(life);
  const before = await specOf(life, issue);
  expect(await edit(life, issue, EDITED)).toMatchObject({ state: "awaiting_proceed" });
  expect((await life.said(issue)).at(-1)).toContain("The text of the issue was edited");
  expect(await specOf(life, issue)).toBe(before);
  const asked = (await life.said(issue)).length;
  await edit(life, issue, `${EDITED} Really.`);
  expect(await life.said(issue)).toHaveLength(asked);
  await moment();
  await say(life, issue, "mia", "go ahead");
  const after = await specOf(life, issue);
  expect(after).toContain("The function must not change its name");
  expect(after.slice(after.indexOf("## Changelog"))).toContain("the text of the issue was edited");
  // What the spec has read is not asked about again.
  const told = (await life.said(issue)).length;
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  expect(await life.said(issue)).toHaveLength(told);
});

test("an edit of the issue's text after its plan revises spec and plan, which need a yes of their own", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await planned(life);
  await moment();
  expect(await edit(life, issue, EDITED)).toMatchObject({ state: "waiting_confirmation" });
  expect(await specOf(life, issue)).toContain("The function must not change its name");
  expect(await specOf(life, issue)).toContain("the text of the issue was edited");
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
});

test("a comment with a time before the spec, and an edited comment, are read by what they are, not by their time", async () => {
  const life = await openPlanning();
  const issue = await specified(life);
  const at = new Date("2020-01-01T00:00:00Z");
  const wish = "Please also write a line about empty carts into README.md.";
  await life.deliver(await life.people.comment(issue, "mia", wish, { at }));
  await life.settled(issue);
  await say(life, issue, "mia", "go ahead");
  expect(await specOf(life, issue)).toContain("Please also write a line about empty carts into README.md");
  const comments = (await life.tracker.listComments(issue, null)).comments;
  const id = comments.find(({ body }) => body === wish)?.id ?? "";
  await life.deliver(await life.people.editComment(issue, id, "mia", `${wish} Full carts too, please.`));
  await life.settled(issue);
  await say(life, issue, "mia", "go ahead");
  expect(await specOf(life, issue)).toContain("Full carts too");
});

import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { latestSpec, listSpecVersions } from "../../src/storage/specs.ts";
import { type Life, BOT, report } from "../support/relay.ts";
import { moment, openPlanning, planned, say, setMode } from "../support/planning-relay.ts";

const specOf = async (life: Life, issue: IssueAddress) => await latestSpec(life.db, (await life.existing(issue)).id);
const statusOf = async (life: Life, issue: IssueAddress) => (await specOf(life, issue))?.status;

/** An issue whose spec is the last that Relay does for it. */
async function specified(life: Life): Promise<IssueAddress> {
  setMode(life, "spec");
  const issue = await report(life, "`total([])` in src/cart.ts throws. Expected: 0.");
  await life.people.setMember("shop", "eve", "read");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  await say(life, issue, "mia", "go ahead with the spec");
  await moment();
  return issue;
}

test("only somebody who decides approves or rejects a spec, and a rejection says what comes next (R-ACT-1)", async () => {
  const life = await openPlanning();
  const issue = await specified(life);
  const told = (await life.said(issue)).length;
  expect(await say(life, issue, "eve", "No, this is wrong.")).toMatchObject({ state: "done" });
  expect(await say(life, issue, "eve", "Looks good to me.")).toMatchObject({ state: "done" });
  expect(await say(life, issue, "mia", "Thanks!")).toMatchObject({ state: "done" });
  expect(await statusOf(life, issue)).toBe("draft");
  expect(await say(life, issue, "mia", "Looks good to me.")).toMatchObject({ state: "done" });
  expect(await specOf(life, issue)).toMatchObject({ status: "approved", decidedBy: "mia" });
  expect(await life.said(issue)).toHaveLength(told);

  await moment();
  expect(await say(life, issue, "mia", "No, this is wrong.")).toMatchObject({ state: "awaiting_proceed" });
  expect(await specOf(life, issue)).toMatchObject({ status: "rejected", decidedBy: "mia" });
  expect((await life.said(issue)).slice(told)).toEqual([expect.stringContaining("what should be different")]);
  await moment();
  await say(life, issue, "mia", "The result must be null, and the name must stay.");
  await moment();
  expect(await say(life, issue, "mia", "go ahead")).toMatchObject({ state: "done" });
  expect(await statusOf(life, issue)).toBe("draft");
  expect(await listSpecVersions(life.db, (await life.existing(issue)).id)).toHaveLength(2);
});

test("the yes to a plan approves its spec as well (R-CONF-9)", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await planned(life);
  expect(await statusOf(life, issue)).toBe("draft");
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  expect(await specOf(life, issue)).toMatchObject({ status: "approved", decidedBy: "mia" });
});

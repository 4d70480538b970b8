import { expect, test } from "vitest";
import type { Issue } from "../../src/domain/issue.ts";
import { latestPlan } from "../../src/storage/plans.ts";
import { type Confirming, Cut, cutAt, openConfirming } from "./approval-fixture.ts";

/** More things than this are asked in no look. */
const MOST = 60;

/** Cuts a look at everything that it asks, one after another, each on an issue of its own, and looks again undisturbed. */
async function outcomes(life: Confirming, prepare: (issue: Issue) => Promise<unknown>) {
  const found: unknown[] = [];
  for (const when of ["before", "after"] as const) {
    for (let at = 1; at <= MOST; at += 1) {
      const issue = await life.waiting();
      await prepare(issue);
      const cut = cutAt(at, when, life);
      await life.look(issue.id, cut).catch((error: unknown) => {
        if (!(error instanceof Cut)) throw error;
      });
      await life.look(issue.id);
      await life.look(issue.id);
      found.push(await life.outcome(issue.id));
      if (!cut.reached()) break;
    }
  }
  expect(found.length).toBeGreaterThan(8);
  expect(found.length).toBeLessThan(2 * MOST);
  return [...new Set(found.map((each) => JSON.stringify(each)))];
}

test("a yes leads to one task and one comment, wherever the look at it is cut off (R-CONF-4)", async () => {
  const life = await openConfirming();
  const done = { state: "queued", tasks: ["queued"], said: ["plan", "started"], plan: "confirmed" };
  expect(await outcomes(life, async (issue) => await life.people.comment(issue, "mia", "yes"))).toEqual([
    JSON.stringify(done),
  ]);
});

test("a yes that does not count is answered once, wherever the look at it is cut off (R-CONF-3)", async () => {
  const life = await openConfirming();
  const done = { state: "waiting_confirmation", tasks: [], said: ["plan", "refused"], plan: "posted" };
  expect(await outcomes(life, async (issue) => await life.people.comment(issue, "ann", "yes"))).toEqual([
    JSON.stringify(done),
  ]);
});

test("“stop” takes a task back and is answered once, wherever the look at it is cut off", async () => {
  const life = await openConfirming();
  const stopped = { state: "waiting_confirmation", tasks: ["cancelled"], said: ["plan", "started", "stopped"] };
  const agreedThenStopped = async (issue: Issue) => {
    await life.people.comment(issue, "mia", "yes");
    await life.look(issue.id);
    await life.people.comment(issue, "mia", "stop");
  };
  expect(await outcomes(life, agreedThenStopped)).toEqual([JSON.stringify({ ...stopped, plan: "stale" })]);
});

test("two processes that see the same yes start one task and say so once", async () => {
  const life = await openConfirming();
  const issue = await life.waiting();
  await life.people.comment(issue, "mia", "yes");
  await life.people.comment(issue, "mia", "go ahead");
  await Promise.all([life.look(issue.id, { db: life.again() }), life.look(issue.id, { db: life.again() })]);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"], said: ["plan", "started"] });
});

test.each([
  ["the yes first", ["yes", "It must also round to cents."]],
  ["the wish first", ["It must also round to cents.", "yes"]],
])("a yes and a wish in the same second start nothing, %s (R-CONF-5)", async (_, words) => {
  const life = await openConfirming();
  const issue = await life.waiting();
  await life.people.setMember("shop", "bob", "write");
  await life.atOnce(async () => {
    for (const text of words) await life.people.comment(issue, text === "yes" ? "mia" : "bob", text);
  });
  expect(await life.look(issue.id)).toBe("plan again");
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: [] });
});

test("a yes in the very second of the plan counts where it stands below it, as trackers tell whole seconds", async () => {
  const life = await openConfirming();
  const issue = await life.waiting();
  const at = (await latestPlan(life.db, issue.id))?.postedAt;
  if (at) await life.people.comment(issue, "mia", "yes", { at });
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"] });
});

test("a permission that ends after the yes and before the look counts no more, and the yes is answered", async () => {
  const life = await openConfirming();
  const issue = await life.waiting();
  await life.people.comment(issue, "mia", "yes");
  await life.people.setMember("shop", "mia", "read");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: [], said: ["plan", "refused"] });
});

test("a yes to a plan that was made anew while it was on its way starts nothing; a yes to the new one does", async () => {
  const life = await openConfirming();
  const issue = await life.waiting();
  await life.people.comment(issue, "mia", "yes");
  await life.post(issue);
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "waiting_confirmation", tasks: [] });
  await life.people.comment(issue, "mia", "yes");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"] });
});

test("a text of the issue that was edited after the plan starts nothing", async () => {
  const life = await openConfirming();
  const issue = await life.waiting();
  await life.people.comment(issue, "mia", "yes");
  await life.people.editIssue(issue, "ann", { title: "Another title" });
  expect(await life.look(issue.id)).toBe("plan again");
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: [] });
});

import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { recheck } from "../../src/intake/recheck.ts";
import { Postponed } from "../../src/lib/errors.ts";
import type { Planner } from "../../src/planner/planner.ts";
import { agentOf, agreed, mends, openWorking, type WorkingLife } from "../support/working-relay.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";
import { planOf } from "../support/planning-relay.ts";

/** What people do without a delivery, while Relay has not looked for a minute. */
async function unheard(life: Life, act: () => Promise<unknown>): Promise<void> {
  await act();
  await life.db.execute("update thread_fetches set looked_at = looked_at - interval '1 minute'", []);
}

type Act = (life: WorkingLife, issue: IssueAddress) => Promise<unknown>;

const acts: [string, Act, string][] = [
  ["the issue was closed", async ({ people }, issue) => await people.setState(issue, "mia", "closed"), "closed"],
  ["Relay was taken off", async ({ people }, issue) => await people.unassign(issue, "mia", BOT), "closed"],
  [
    "somebody says stop",
    async ({ people }, issue) => await people.comment(issue, "mia", "stop"),
    "waiting_confirmation",
  ],
  [
    "the yes was deleted",
    async ({ people, tracker }, issue) => {
      const yes = (await tracker.listComments(issue, null)).comments.find(({ body }) => body === "yes");
      await people.deleteComment(issue, yes?.id ?? "", "mia");
    },
    "waiting_confirmation",
  ],
  [
    "the plan has a 👎",
    async (life, issue) => await life.people.react(issue, (await planOf(life, issue))?.commentId ?? null, "mia", "-1"),
    "waiting_confirmation",
  ],
];

test.each(acts)(
  "nothing is pushed or said of a change if %s meanwhile, and no delivery tells (R-LIFE-10)",
  async (_, act, state) => {
    const told: { act?: () => Promise<void> } = {};
    const life = await openWorking(
      agentOf(async (request) => {
        await told.act?.();
        delete told.act;
        await mends(request);
      }),
    );
    const issue = await agreed(life);
    told.act = async () => await unheard(life, async () => await act(life, issue));
    expect(await life.worksOn(issue)).toMatchObject({ state });
    expect(await life.git("branch", "--format=%(refname:short)")).toBe("main");
    expect((await life.said(issue)).filter((words) => words.includes("The change"))).toEqual([]);
  },
);

test("an issue that was closed while its pull request was opened is closed at the next look, and told nothing of it", async () => {
  const life = await openWorking(agentOf(mends));
  const issue = await agreed(life);
  const codeHostFor = async () => ({
    ...life.tracker,
    createPullRequest: async (...args: Parameters<typeof life.tracker.createPullRequest>) => {
      const opened = await life.tracker.createPullRequest(...args);
      await unheard(life, async () => await life.people.setState(issue, "mia", "closed"));
      return opened;
    },
  });
  const before = await life.said(issue);
  const worked = await life.worksOn(issue, { codeHostFor: async () => await codeHostFor() });
  await life.orchestrator.catchUp(worked.id);
  expect(await life.settled(issue)).toMatchObject({ state: "closed" });
  expect(await life.said(issue)).toEqual(before);
});

test.each([
  ["closed", async (life: Life, issue: IssueAddress) => await life.people.setState(issue, "mia", "closed")],
  ["unassigned", async (life: Life, issue: IssueAddress) => await life.people.unassign(issue, "mia", BOT)],
])("what a planner wrote for long is not said if the issue was %s meanwhile", async (_, act) => {
  const told: { issue: IssueAddress | null } = { issue: null };
  const life: Life = await openLife(({ plannerFor }) => ({
    plannerFor: (...given): Planner => {
      const planner = plannerFor(...given);
      const plan: Planner["plan"] = async (...args) => {
        const { issue } = told;
        if (issue !== null) await unheard(life, async () => await act(life, issue));
        return await planner.plan(...args);
      };
      return { ...planner, plan };
    },
  }));
  told.issue = await report(life);
  await life.deliver(await life.people.assign(told.issue, "mia", BOT));
  expect(await life.settled(told.issue)).toMatchObject({ state: "closed" });
  expect(await life.said(told.issue)).toEqual([]);
});

test("what Relay wrote into its status comment is no news, and what others did before is (R-LIFE-9)", async () => {
  const life = await openLife();
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  const issue = await life.settled(address);
  await life.orchestrator.updateStatus(issue.id);
  const look = async () => {
    await life.db.execute("update thread_fetches set looked_at = null", []);
    const codeHost = async () => await Promise.resolve(life.tracker);
    await recheck(issue, { ...life, receive: life.orchestrator.receive, codeHost });
  };
  await life.deliver(await life.people.comment(address, "ann", "Thanks!"));
  await life.settled(address);
  await life.db.execute("update posts set shown = 'something else' where key = 'status'", []);
  await life.orchestrator.updateStatus(issue.id);
  await look();
  await life.people.comment(address, "ann", "And another one.");
  await life.db.execute("update posts set shown = 'something else' where key = 'status'", []);
  await life.orchestrator.updateStatus(issue.id);
  await expect(look()).rejects.toBeInstanceOf(Postponed);
});

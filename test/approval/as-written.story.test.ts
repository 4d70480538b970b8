import { expect, test } from "vitest";
import { RelayError, Postponed } from "../../src/lib/errors.ts";
import type { Issue } from "../../src/domain/issue.ts";
import { latestPlan } from "../../src/storage/plans.ts";
import { Cut, cutAt, openConfirming, type Confirming } from "./approval-fixture.ts";

const WAITING = { state: "waiting_confirmation", tasks: [], plan: "posted" };

async function withWriter(): Promise<{ life: Confirming; issue: Issue }> {
  const life = await openConfirming();
  await life.people.setMember("shop", "will", "write");
  await life.people.setMember("shop", "max", "maintain");
  return { life, issue: await life.waiting() };
}

test("a yes that somebody else wrote by editing starts nothing and is answered once (R-CONF-8)", async () => {
  const { life, issue } = await withWriter();
  const { commentId } = await life.people.comment(issue, "max", "Thanks!");
  await life.people.editComment(issue, commentId ?? "", "will", "yes");
  await life.look(issue.id);
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toEqual({ ...WAITING, said: ["plan", "rewrite"] });
  expect(await life.last(issue.id)).toMatch(/^@max, someone else edited your comment/);
  await life.people.comment(issue, "max", "yes");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"] });
});

test("a yes that somebody else wrote by editing lifts no refusal either", async () => {
  const { life, issue } = await withWriter();
  const { commentId } = await life.people.comment(issue, "max", "Thanks!");
  await life.people.comment(issue, "max", "Stop.");
  await life.look(issue.id);
  const stop = async () => (await latestPlan(life.db, issue.id))?.stop;
  expect(await stop()).toMatchObject({ by: "max" });
  await life.people.editComment(issue, commentId ?? "", "will", "Yes, go ahead.");
  for (let n = 0; n < 3; n += 1) await life.look(issue.id);
  expect(await stop()).toMatchObject({ by: "max" });
  expect(await life.outcome(issue.id)).toMatchObject({ said: ["plan", "stopped", "rewrite"] });
  await life.people.comment(issue, "max", "Yes, go ahead.");
  await life.look(issue.id);
  expect(await stop()).toBeNull();
});

test("a yes that its author wrote by editing counts", async () => {
  const { life, issue } = await withWriter();
  const { commentId } = await life.people.comment(issue, "max", "Thanks!");
  await life.people.editComment(issue, commentId ?? "", "max", "yes");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"] });
});

test.each([
  ["hides it", false, { edit: null, isMinimized: true }, ["plan"]],
  ["does not tell who edited it", true, { edit: { by: null }, isMinimized: false }, ["plan", "rewrite"]],
] as const)("a yes does not count where the tracker %s", async (_, edited, found, said) => {
  const { life, issue } = await withWriter();
  const { commentId } = await life.people.comment(issue, "max", edited ? "Thanks!" : "yes");
  if (edited) await life.people.editComment(issue, commentId ?? "", "max", "yes");
  const inspectComment = async () => await Promise.resolve(found);
  await life.look(issue.id, { tracker: { ...life.tracker, inspectComment, hasHiddenComments: true } });
  expect(await life.outcome(issue.id)).toEqual({ ...WAITING, said });
});

test("a yes that nobody edited counts also where the tracker never tells who did", async () => {
  const { life, issue } = await withWriter();
  await life.people.comment(issue, "max", "yes");
  const inspectComment = async () => await Promise.reject(new Error("nobody edited it, and nothing can be hidden"));
  await life.look(issue.id, { tracker: { ...life.tracker, inspectComment } });
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued" });
});

test.each([
  [false, "queued", ["plan", "started"]],
  [true, "waiting_confirmation", ["plan", "rewrite"]],
] as const)(
  "where a tracker cannot be asked about a yes (edited: %s), the issue is %s",
  async (edited, state, said) => {
    const { life, issue } = await withWriter();
    const { commentId } = await life.people.comment(issue, "max", edited ? "Thanks!" : "yes");
    if (edited) await life.people.editComment(issue, commentId ?? "", "max", "yes");
    const inspectComment = async () => await Promise.reject(new RelayError("not_found", "no GraphQL", { status: 404 }));
    await life.look(issue.id, { tracker: { ...life.tracker, inspectComment, hasHiddenComments: true } });
    expect(await life.outcome(issue.id)).toMatchObject({ state, said });
  },
);

async function tampered(life: Confirming, issue: Issue): Promise<string> {
  const comment = (await latestPlan(life.db, issue.id))?.commentId ?? "";
  await life.people.editComment(issue, comment, "will", "The plan: delete everything.");
  await life.people.comment(issue, "max", "yes");
  return comment;
}

const planText = async (life: Confirming, issue: Issue, id: string) =>
  (await life.tracker.listComments(issue, null)).comments.find((one) => one.id === id)?.body;

test("a yes to a plan whose comment somebody edited starts nothing; the plan is restored and asked for again, once", async () => {
  const { life, issue } = await withWriter();
  const comment = await tampered(life, issue);
  for (let n = 0; n < 3; n += 1) await life.look(issue.id);
  expect(await life.outcome(issue.id)).toEqual({ ...WAITING, said: ["plan", "restored"] });
  expect(await planText(life, issue, comment)).toMatch(/^The plan\n/);
  await life.people.comment(issue, "max", "yes");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"] });
});

test("an edit of the plan in the very second of its posting is one: the yes after it starts nothing", async () => {
  const life = await openConfirming();
  await life.people.setMember("shop", "will", "write");
  const tamperedAtOnce: { issue?: Issue } = {};
  await life.atOnce(async () => {
    const issue = await life.waiting();
    const comment = (await latestPlan(life.db, issue.id))?.commentId ?? "";
    await life.people.editComment(issue, comment, "will", "The plan: delete everything.");
    tamperedAtOnce.issue = issue;
  });
  const { issue } = tamperedAtOnce;
  if (issue === undefined) throw new Error("no issue");
  await life.people.comment(issue, "mia", "yes");
  for (let n = 0; n < 3; n += 1) await life.look(issue.id);
  expect(await life.outcome(issue.id)).toEqual({ ...WAITING, said: ["plan", "restored"] });
  await life.people.comment(issue, "mia", "yes");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued" });
});

test("no yes counts before the tracker shows the plan as posted", async () => {
  const { life, issue } = await withWriter();
  const comment = (await latestPlan(life.db, issue.id))?.commentId ?? "";
  await life.people.comment(issue, "max", "yes");
  const behind: typeof life.tracker.listComments = async (...args) => {
    const page = await life.tracker.listComments(...args);
    const older = (one: (typeof page.comments)[number]) =>
      one.id === comment ? { ...one, body: "An earlier plan", createdAt: new Date(0) } : one;
    return { ...page, comments: page.comments.map(older) };
  };
  const lagging = { ...life.tracker, listComments: behind };
  await expect(life.look(issue.id, { tracker: lagging })).rejects.toBeInstanceOf(Postponed);
  expect(await life.outcome(issue.id)).toMatchObject(WAITING);
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued" });
});

test("the plan is restored and asked for once, wherever the look is cut off", async () => {
  const { life } = await withWriter();
  const found = new Set<string>();
  for (const when of ["before", "after"] as const) {
    for (let at = 1; at <= 40; at += 1) {
      const issue = await life.waiting();
      const comment = await tampered(life, issue);
      const cut = cutAt(at, when, life);
      await life.look(issue.id, cut).catch((error: unknown) => {
        if (!(error instanceof Cut)) throw error;
      });
      for (let n = 0; n < 2; n += 1) await life.look(issue.id);
      const text = (await planText(life, issue, comment))?.slice(0, 8);
      found.add(JSON.stringify({ ...(await life.outcome(issue.id)), text }));
      if (!cut.reached()) break;
    }
  }
  expect([...found].map((each) => JSON.parse(each) as unknown)).toEqual([
    { ...WAITING, said: ["plan", "restored"], text: "The plan" },
  ]);
});

test("other line ends and blanks at the ends of lines are no edit", async () => {
  const { life, issue } = await withWriter();
  const plan = await latestPlan(life.db, issue.id);
  const body = `${(plan?.commentBody ?? "").replaceAll("\n", " \r\n")}\n`;
  await life.people.editComment(issue, plan?.commentId ?? "", "will", body);
  await life.people.comment(issue, "max", "yes");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued" });
});

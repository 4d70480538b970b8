import { expect, test } from "vitest";
import type { Issue } from "../../src/domain/issue.ts";
import { nextReactionPoll } from "../../src/approval/approve-plan.ts";
import { listUnreadByPeople } from "../../src/storage/messages.ts";
import { latestPlan } from "../../src/storage/plans.ts";
import { type Confirming, openConfirming } from "./approval-fixture.ts";

/** A plan that mia approved; the comment with the approval. */
async function approved(life: Confirming): Promise<{ issue: Issue; yes: string }> {
  const issue = await life.waiting();
  const { commentId } = await life.people.comment(issue, "mia", "yes");
  await life.look(issue.id);
  return { issue, yes: commentId ?? "" };
}

const TEN_PAST = { now: () => new Date(Date.UTC(2026, 0, 1, 12, 10)) };

const TEXTS = {
  plan: "Plan 1 will not be carried out.",
  queued: "The task for plan 1 is no longer queued.",
  running: "The work on plan 1 has ended.",
};

test.each(["plan", "queued", "running"] as const)("a no halts the %s, and is answered once with that", async (what) => {
  const life = await openConfirming();
  const issue = what === "plan" ? await life.waiting() : (await approved(life)).issue;
  if (what === "running") await life.advance(issue.id, "in_progress");
  await life.people.comment(issue, "mia", "no");
  expect(await life.look(issue.id)).toBe("nothing to do");
  await life.look(issue.id);
  const tasks = what === "plan" ? [] : ["cancelled"];
  const said = what === "plan" ? ["plan", "stopped"] : ["plan", "started", "stopped"];
  expect(await life.outcome(issue.id)).toEqual({ state: "waiting_confirmation", tasks, said, plan: "stale" });
  expect(await life.last(issue.id)).toContain(TEXTS[what]);
});

test("a no in review keeps further runs from starting, names the pull request, and is lifted by its author", async () => {
  const life = await openConfirming();
  const { issue } = await approved(life);
  await life.advance(issue.id, "in_review");
  expect(await life.isHalted(issue.id)).toBe(false);
  await life.people.comment(issue, "mia", "Stop, please.");
  expect(await life.isHalted(issue.id)).toBe(true);
  expect(await life.isHalted(issue.id)).toBe(true);
  const halted = { state: "in_review", tasks: ["done"], said: ["plan", "started", "stopped"], plan: "confirmed" };
  expect(await life.outcome(issue.id)).toEqual(halted);
  expect(await life.last(issue.id)).toContain("The pull request stays open: #7.");
  await life.people.comment(issue, "ann", "go ahead");
  expect(await life.isHalted(issue.id)).toBe(true);
  expect(await life.last(issue.id)).toContain(
    "@ann, thank you. I go on once mia, or someone with the same permissions",
  );
  await life.people.comment(issue, "mia", "go ahead");
  expect(await life.isHalted(issue.id)).toBe(false);
  await life.people.comment(issue, "mia", "no, wait");
  expect(await life.isHalted(issue.id)).toBe(true);
  expect((await life.outcome(issue.id)).said).toEqual(["plan", "started", "stopped", "not-lifted", "stopped"]);
});

test("who cannot lift a refusal is told who can, once; talk beside it is not answered", async () => {
  const life = await openConfirming();
  await life.people.setMember("shop", "eve", "read");
  await life.people.setMember("shop", "bob", "read");
  const issue = await life.waiting();
  await life.people.comment(issue, "mia", "Stop, please.");
  await life.look(issue.id);
  for (const words of ["ok", "I have the same problem.", "Thanks!"]) {
    await life.people.comment(issue, "eve", words);
    await life.look(issue.id);
  }
  expect((await life.outcome(issue.id)).said).toEqual(["plan", "stopped"]);
  for (const who of ["eve", "ann", "eve", "bob"]) {
    await life.people.comment(issue, who, "go on");
    await life.look(issue.id);
    await life.look(issue.id);
  }
  expect((await life.outcome(issue.id)).said).toEqual(["plan", "stopped", "not-lifted", "not-lifted", "not-lifted"]);
  expect(await life.last(issue.id)).toContain("@bob, thank you. I go on once mia, or someone");
});

test.each(["edited into a no", "edited into something else", "deleted"])(
  "a yes that its author %s halts what it started, and is answered once",
  async (how) => {
    const life = await openConfirming();
    const { issue, yes } = await approved(life);
    await life.advance(issue.id, "in_progress");
    await life.look(issue.id);
    if (how === "deleted") await life.people.deleteComment(issue, yes, "mia");
    else await life.people.editComment(issue, yes, "mia", how.endsWith("no") ? "no, not yet" : "Hello everybody");
    await life.look(issue.id);
    await life.look(issue.id);
    const said = ["plan", "started", "stopped"];
    expect(await life.outcome(issue.id)).toEqual({
      ...{ state: "waiting_confirmation", tasks: ["cancelled"], said, plan: "stale" },
    });
    expect(await life.last(issue.id)).toContain("@mia, you took your approval back");
  },
);

test.each([
  ["How is it going with this?", "queued"],
  ["Nice, I have the same problem on my machine.", "queued"],
  ["Please also handle undefined.", "waiting_confirmation"],
])("of queued work, %j leaves %s", async (words, state) => {
  const life = await openConfirming();
  const { issue } = await approved(life);
  await life.people.comment(issue, "mia", words);
  await life.look(issue.id);
  const kept = state === "queued";
  expect(await life.outcome(issue.id)).toMatchObject(
    kept ? { state, tasks: ["queued"], plan: "confirmed" } : { tasks: ["cancelled"], plan: "stale" },
  );
});

test("a wish in the issue takes back no further run for an open pull request; a doubt halts it", async () => {
  const life = await openConfirming();
  const { issue } = await approved(life);
  await life.advance(issue.id, "in_review");
  await life.db.execute("update issues set state = 'queued' where id = $1", [issue.id]);
  await life.db.execute("update tasks set status = 'queued' where issue_id = $1", [issue.id]);
  await life.people.comment(issue, "mia", "Please also handle undefined.");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"], plan: "confirmed" });
  expect((await listUnreadByPeople(life.db, issue.id)).map(({ content }) => content)).toEqual([
    "Please also handle undefined.",
  ]);
  await life.people.comment(issue, "mia", "Hmm, that looks risky to me, better use a Map");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: ["cancelled"], said: ["plan", "started", "stopped"] });
});

test.each([
  "ok but only after Friday",
  "yes once #8 is merged",
  "fine, if the tests stay green",
  "Ok, aber erst nächste Woche",
])("a plan that waits goes on waiting after %j", async (words) => {
  const life = await openConfirming();
  const issue = await life.waiting();
  await life.people.comment(issue, "mia", words);
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "waiting_confirmation", plan: "posted", said: ["plan"] });
});

test("a yes that is edited into another yes takes nothing back", async () => {
  const life = await openConfirming();
  const { issue, yes } = await approved(life);
  await life.people.editComment(issue, yes, "mia", "yes!");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"] });
});

test("a thumbs-down of somebody with a say halts, one of a stranger does not", async () => {
  const life = await openConfirming({ thumbsUp: true });
  await life.people.setMember("shop", "eve", "read");
  const { issue } = await approved(life);
  const comment = (await latestPlan(life.db, issue.id))?.commentId ?? "";
  await life.people.react(issue, comment, "eve", "-1");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued" });
  await life.people.react(issue, comment, "mia", "-1");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: ["cancelled"], said: ["plan", "started", "stopped"] });
});

test("thumbs are looked for while an approved task waits for a person, as long as it does", async () => {
  const life = await openConfirming({ mode: "plan", thumbsUp: true });
  const { issue } = await approved(life);
  expect(await nextReactionPoll(issue.id, { db: life.db, clock: TEN_PAST })).not.toBeNull();
});

test("thumbs are looked for while the plan waits and Relay works on it, and no longer", async () => {
  const life = await openConfirming({ thumbsUp: true });
  const waiting = await life.waiting();
  const next = async ({ id }: Issue) => await nextReactionPoll(id, { db: life.db, clock: TEN_PAST });
  expect(await next(waiting)).not.toBeNull();
  const { issue } = await approved(life);
  expect(await next(issue)).not.toBeNull();
  await life.advance(issue.id, "in_review");
  expect(await next(issue)).toBeNull();
});

test("the second sentence of whoever stopped a run annuls nothing and is not lost", async () => {
  const life = await openConfirming();
  const { issue } = await approved(life);
  await life.advance(issue.id, "in_progress");
  await life.people.comment(issue, "mia", "stop");
  await life.people.comment(issue, "mia", "Please use the other table instead.");
  expect(await life.look(issue.id)).toBe("nothing to do");
  expect(await life.look(issue.id)).toBe("nothing to do");
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: ["cancelled"], plan: "stale" });
  expect(await listUnreadByPeople(life.db, issue.id)).toHaveLength(1);
  await life.people.comment(issue, "mia", "go on");
  expect(await life.look(issue.id)).toBe("plan again");
  expect(await listUnreadByPeople(life.db, issue.id)).toHaveLength(1);
});

test.each(["Please also handle undefined.", "go on", "stop"])(
  "%j of a stranger or of a lower rank lifts no refusal",
  async (words) => {
    const life = await openConfirming();
    await life.people.setMember("shop", "eve", "triage");
    await life.people.setMember("shop", "max", "maintain");
    const { issue } = await approved(life);
    await life.people.comment(issue, "max", "stop");
    await life.look(issue.id);
    for (const who of ["eve", "ann", "mia"]) await life.people.comment(issue, who, words);
    expect(await life.look(issue.id)).toBe("nothing to do");
    expect(await latestPlan(life.db, issue.id)).toMatchObject({ stopped: true, stop: { by: "max" } });
    await life.people.comment(issue, "max", "go on");
    expect(await life.look(issue.id)).toBe(words.startsWith("Please") ? "plan again" : "nothing to do");
    expect(await latestPlan(life.db, issue.id)).toMatchObject({ stopped: false });
  },
);

test.each(["a no", "a doubt", "a thumbs-down", "taking the yes back"])(
  "work that %s halted goes on as planned after “go on”: the same plan, confirmed again, and said once",
  async (how) => {
    const life = await openConfirming({ thumbsUp: true });
    const { issue, yes } = await approved(life);
    await life.advance(issue.id, "in_progress");
    const { commentId } = (await latestPlan(life.db, issue.id)) ?? {};
    if (how === "a no") await life.people.comment(issue, "mia", "Stop, I have to look at this again.");
    else if (how === "a doubt") await life.people.comment(issue, "mia", "hmm, maybe we should ask Dana first");
    else if (how === "a thumbs-down") await life.people.react(issue, commentId ?? "", "mia", "-1");
    else await life.people.deleteComment(issue, yes, "mia");
    await life.look(issue.id);
    expect(await life.outcome(issue.id)).toMatchObject({ tasks: ["cancelled"], plan: "stale" });
    await life.people.comment(issue, "mia", "Go on as planned");
    expect(await life.look(issue.id)).toBe("nothing to do");
    await life.look(issue.id);
    const said = ["plan", "started", "stopped", "started"];
    expect(await life.outcome(issue.id)).toEqual({ state: "queued", tasks: ["queued"], said, plan: "confirmed" });
    expect(await latestPlan(life.db, issue.id)).toMatchObject({ version: 1, stopped: false, retired: false });
    const { comments } = await life.tracker.listComments(issue, null);
    expect(comments.find(({ id }) => id === commentId)?.body).not.toContain("no longer counts");
    // It can be halted again, by a word or by taking the new yes back.
    await life.people.comment(issue, "mia", "no, stop");
    await life.look(issue.id);
    expect(await life.outcome(issue.id)).toMatchObject({ tasks: ["cancelled"], said: [...said, "stopped"] });
  },
);

test("“go on” of somebody whose yes does not count has the plan wait again, for a yes that does", async () => {
  const life = await openConfirming();
  const { issue } = await approved(life);
  await life.people.comment(issue, "ann", "stop");
  await life.look(issue.id);
  await life.people.comment(issue, "ann", "go on");
  expect(await life.look(issue.id)).toBe("nothing to do");
  const said = ["plan", "started", "stopped", "refused"];
  expect(await life.outcome(issue.id)).toEqual({
    ...{ state: "waiting_confirmation", tasks: ["cancelled"], said, plan: "posted" },
  });
  await life.people.comment(issue, "mia", "yes");
  await life.look(issue.id);
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: ["queued"], said: [...said, "started"] });
});

test("a stop that also says what to do differently asks for another plan", async () => {
  const life = await openConfirming();
  const { issue } = await approved(life);
  await life.people.comment(issue, "mia", "Stop! Round to cents.");
  await life.look(issue.id);
  await life.people.comment(issue, "mia", "go on");
  expect(await life.look(issue.id)).toBe("plan again");
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: ["cancelled"], plan: "stale" });
});

test.each(["issue", "plan"])("after the text of the %s was edited, “go on” asks for another plan", async (what) => {
  const life = await openConfirming();
  const { issue } = await approved(life);
  await life.people.comment(issue, "mia", "stop");
  await life.look(issue.id);
  const { commentId } = (await latestPlan(life.db, issue.id)) ?? {};
  if (what === "issue") await life.people.editIssue(issue, "ann", { body: "It is too low." });
  else await life.people.editComment(issue, commentId ?? "", "mia", "Another plan");
  await life.people.comment(issue, "mia", "go on");
  expect(await life.look(issue.id)).toBe("plan again");
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: ["cancelled"], plan: "stale" });
});

test("what people without a say remark holds no yes up, however many they are, and costs no request", async () => {
  const life = await openConfirming();
  const issue = await life.waiting();
  for (let n = 1; n <= 60; n += 1) {
    await life.people.setMember("shop", `fan${n}`, "read");
    await life.people.comment(issue, `fan${n}`, "Thanks!");
  }
  await life.people.setMember("shop", "robot", "read");
  await life.people.comment(issue, "robot", "Thank you for the comment! I have noted it as item 4711.");
  await life.people.comment(issue, "mia", "ship it");
  const asked: string[] = [];
  const permissionOf: typeof life.tracker.permissionOf = async (project, login) => {
    asked.push(login);
    return await life.tracker.permissionOf(project, login);
  };
  await life.look(issue.id, { tracker: { ...life.tracker, permissionOf } });
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"] });
  expect(asked).toEqual(["mia", "robot"]);
});

test("a wish takes queued work back if its author's yes would count, and else waits", async () => {
  const life = await openConfirming();
  const { issue } = await approved(life);
  await life.people.setMember("shop", "eve", "read");
  for (const who of ["eve", "ann"]) await life.people.comment(issue, who, "Please also handle undefined.");
  expect(await life.look(issue.id)).toBe("nothing to do");
  expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"], said: ["plan", "started"] });
  await life.people.comment(issue, "mia", "Please also handle undefined.");
  expect(await life.look(issue.id)).toBe("plan again");
  expect(await life.outcome(issue.id)).toMatchObject({ tasks: ["cancelled"], said: ["plan", "started", "stale"] });
});

test.each([
  ["implement", "ann", "from someone with write access to this repository."],
  ["plan", "eve", "or from the person who reported the issue."],
] as const)("in mode %s the yes of %s is answered with whose yes counts, and a mention", async (mode, who, words) => {
  const life = await openConfirming({ mode });
  const issue = await life.waiting();
  await life.people.setMember("shop", "eve", "read");
  await life.people.comment(issue, who, "yes");
  await life.look(issue.id);
  expect(await life.last(issue.id)).toContain(words);
  expect(await life.last(issue.id)).toMatch(new RegExp(`^@${who}, thank you`));
});

test.each(["หยุด", "I have doubts", "Not a fan"])(
  "a doubt that names nothing to plan, %j, halts the waiting plan and asks; a yes of a lower rank does not lift it",
  async (words) => {
    const life = await openConfirming();
    await life.people.setMember("shop", "max", "maintain");
    const issue = await life.waiting();
    await life.people.comment(issue, "max", words);
    await life.people.comment(issue, "mia", "yes");
    for (let n = 0; n < 2; n += 1) await life.look(issue.id);
    expect(await life.outcome(issue.id)).toMatchObject({ state: "waiting_confirmation", tasks: [] });
    expect(await life.last(issue.id)).toContain("go on");
  },
);

test.each([
  ["mm", "yes"],
  ["Not sure about this one.", "as planned"],
  ["หยุด", "go on"],
])(
  "Relay doubts after %j whether the plan is wanted, and %j to its question starts that very plan",
  async (doubt, yes) => {
    const life = await openConfirming();
    const issue = await life.waiting();
    await life.people.comment(issue, "mia", doubt);
    await life.look(issue.id);
    expect(await life.outcome(issue.id)).toMatchObject({ plan: "stale", said: ["plan", "stopped"] });
    await life.people.comment(issue, "mia", yes);
    expect(await life.look(issue.id)).toBe("nothing to do");
    expect(await life.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"], plan: "confirmed" });
    expect(await latestPlan(life.db, issue.id)).toMatchObject({ version: 1, stopped: false });
  },
);

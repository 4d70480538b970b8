import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import type { OrchestratorDeps } from "../../src/engine/wake.ts";
import { QUESTION_FILE } from "../../src/implementation/run/notes.ts";
import { NOTES } from "../../src/implementation/run/workspace/scan-tree.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { addCall } from "../../src/storage/model-calls.ts";
import { setConfidential } from "../../src/storage/issues.ts";
import { openOn } from "../support/find-open-request.ts";
import { isSigned, receiveNotices } from "../support/notice-receiver.ts";
import { notifying } from "../support/notifying.ts";
import { openPlanning, planned, say, setMode } from "../support/planning-relay.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";
import { agentOf, agreed, idle, mends, openWorking, writes } from "../support/working-relay.ts";

const broken = new RelayError("invalid", "it fails");
const EVERYTHING = [{ name: "hub" }];

/** A receiver, and what has a Relay tell it. */
async function hub(targets: Parameters<typeof notifying>[1] = EVERYTHING) {
  const receiver = await receiveNotices();
  return { ...receiver, ...notifying(receiver.url, targets) };
}

async function assigned(life: Life, body?: string, title?: string): Promise<IssueAddress> {
  const issue = await report(life, body, title);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  return issue;
}

/** A planner that costs something, so that budgets apply. */
const costly = ({ plannerFor }: OrchestratorDeps): Partial<OrchestratorDeps> => ({
  plannerFor: (code, spending) => ({ ...plannerFor(code, spending), name: "anthropic/m" }),
});

const told = (it: Awaited<ReturnType<typeof hub>>) =>
  it.notices().map(({ type, waiting_for: awaited }) => `${type} ${awaited?.what ?? "-"}`);

test("from the question to the merge, each step that waits for people is told once, in order", async () => {
  const it = await hub();
  const life = await openWorking(agentOf(mends, idle), it.change);
  await it.begin(life);
  const issue = await agreed(life);
  await life.worksOn(issue);
  await life.settled(issue);
  const request = await openOn(life.tracker, "shop", "fix/1-wrong-total-cart");
  await life.tell(issue, await life.people.mergeRequest({ project: "shop", number: request?.number ?? 0 }, "mia"));
  await life.queue.drain?.();
  expect(told(it)).toEqual(["waiting answers", "waiting approval", "request_opened review", "merged -"]);
  expect(await Promise.all(it.received.map(async (one) => await isSigned(one)))).toEqual([true, true, true, true]);
  expect(it.notices()[1]).toMatchObject({
    text: "I’m waiting for plan 1 to be approved by anyone with write access.",
    waiting_for: { what: "approval", people: [], anyone_with: "write", until: null },
    issue: {
      provider: "local",
      repository: "shop",
      number: 1,
      title: "Wrong total in the cart",
      state: "waiting_confirmation",
      confidential: false,
    },
    links: { dashboard: "https://relay.example.org/issues/local/shop/1", request: null },
    cost_usd: 0,
  });
  expect(it.notices()[2]).toMatchObject({ request: { number: request?.number }, text: /waiting for a review/ });
});

test("questions are told once, however often people answer some of them", async () => {
  const it = await hub();
  const life = await openLife(it.change);
  await it.begin(life);
  const issue = await assigned(life);
  expect(told(it)).toEqual(["waiting answers"]);
  expect(it.notices()[0]?.waiting_for?.people).toEqual(["ann"]);
  await say(life, issue, "ann", "Thanks for looking into it!");
  await life.queue.drain?.();
  expect(told(it)).toEqual(["waiting answers"]);
});

test("a spec that is all that is wanted is told when it is ready; a yes to a plan tells that somebody may take it", async () => {
  const it = await hub();
  const life = await openPlanning(it.change);
  await it.begin(life);
  setMode(life, "spec");
  await planned(life);
  await life.queue.drain?.();
  expect(told(it)).toEqual(["waiting answers", "spec_ready -"]);
  setMode(life, "plan");
  const other = await planned(life);
  await say(life, other, "mia", "yes");
  await life.queue.drain?.();
  expect(told(it).slice(2)).toEqual(["waiting answers", "waiting approval", "waiting person"]);
});

test.each([
  ["asks", writes(`${NOTES}/${QUESTION_FILE}`, "Which currency?\n"), "stuck stuck"],
  [
    "cannot be used",
    async () => await Promise.resolve({ ending: { kind: "failed" as const, detail: "no key", usable: false } }),
    "stuck failed",
  ],
])("a coding agent that %s is told as stuck", async (_, deed, expected) => {
  const it = await hub();
  const life = await openWorking(agentOf(deed), it.change);
  await it.begin(life);
  await life.worksOn(await agreed(life));
  await life.queue.drain?.();
  expect(told(it).at(-1)).toBe(expected);
});

test("further work at the request asks for another review, or is told as stuck", async () => {
  const it = await hub();
  const more = writes("src/digits.ts", "export const digits = 2;\n");
  const life = await openWorking(agentOf(mends, idle, more, idle), it.change);
  await it.begin(life);
  const issue = await agreed(life);
  await life.worksOn(issue);
  const opened = await openOn(life.tracker, "shop", "fix/1-wrong-total-cart");
  const request = { project: "shop", number: opened?.number ?? 0 };
  const at = { path: "src/cart.ts", line: 2 };
  await life.tell(issue, await life.people.reviewComment(request, "mia", "Please keep two digits.", at));
  await life.worksOn(issue);
  await life.tell(issue, await life.people.reviewComment(request, "mia", "Please round it to cents.", at));
  await life.worksOn(issue);
  await life.queue.drain?.();
  expect(told(it).slice(2)).toEqual(["request_opened review", "waiting review", "stuck hint"]);
});

test("a planner that fails again and again is told as stuck", async () => {
  const it = await hub();
  const life = await openLife((deps) => ({
    ...it.change(deps),
    plannerFor: () => ({
      name: "broken",
      plan: async () => await Promise.resolve({ kind: "unable", run: null, why: "it fails", error: broken }),
    }),
  }));
  await it.begin(life);
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await expect.poll(async () => (await life.stored(issue))?.state).toBe("paused");
  await life.queue.drain?.();
  expect(told(it)).toEqual(["stuck paused"]);
});

test("a budget that pauses work is told: that of several issues once, and most of the month's before", async () => {
  const it = await hub();
  const budgets = { issue: "off", repositoryDay: 0, workspaceMonth: "off", unpricedPerMillion: 5 } as const;
  const life = await openLife((deps) => ({ ...it.change(deps), ...costly(deps), budgets }));
  await it.begin(life);
  await assigned(life);
  await assigned(life, "It is wrong too.", "Another one");
  await life.queue.drain?.();
  expect(told(it)).toEqual(["budget budget"]);
  expect(it.notices()[0]).toMatchObject({
    text: expect.stringMatching(/^Today’s budget of shop is used up: \$0\.00 of \$0\.00\. Work there goes on after /),
    budget: { name: "repository_day", limit_usd: 0, spent_usd: 0 },
  });
});

test("once in a month people are told that most of its budget is spent", async () => {
  const it = await hub([{ name: "hub", events: ["budget"], repositories: ["elsewhere"] }]);
  const budgets = { issue: "off", repositoryDay: "off", workspaceMonth: 100, unpricedPerMillion: 5 } as const;
  const life = await openLife((deps) => ({ ...it.change(deps), ...costly(deps), budgets }));
  await it.begin(life);
  const issue = await assigned(life);
  expect(it.received).toEqual([]);
  const tokens = { input: 1, cachedInput: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false };
  const call = {
    cycleId: null,
    stage: "planner",
    role: "planner",
    provider: "anthropic",
    model: "anthropic/m",
  } as const;
  const issueId = (await life.existing(issue)).id;
  const rest = {
    step: 1,
    attempt: 1,
    promptHash: "",
    input: "",
    output: "",
    latencyMs: 1,
    status: "ok",
    finishReason: null,
  };
  await addCall(life.db, { ...call, ...rest, issueId, usage: tokens, costUsd: 85, startedAt: new Date() }, life);
  await say(life, issue, "ann", "`total([])` throws; it should be 0.");
  await say(life, issue, "ann", "In src/cart.ts.");
  await life.queue.drain?.();
  expect(it.notices()).toMatchObject([
    {
      type: "budget",
      text: "85 % of this month’s budget for models is spent: $85.00 of $100.00.",
      issue: null,
      budget: { name: "workspace_month", limit_usd: 100, spent_usd: 85 },
      links: { dashboard: "https://relay.example.org/costs" },
    },
  ]);
});

test("a target is told only what it asked for, of the repositories that it named; one moment is told once", async () => {
  const it = await hub([
    { name: "waits", events: ["waiting"] },
    { name: "opened", events: ["request_opened", "waiting"], repositories: ["SH*"] },
    { name: "elsewhere", repositories: ["acme/**"] },
    { name: "money", events: ["budget"] },
  ]);
  const life = await openWorking(agentOf(mends, idle), it.change);
  await it.begin(life);
  await life.worksOn(await agreed(life));
  await life.queue.drain?.();
  const per = (name: string) =>
    it.notices().flatMap(({ type }, at) => (it.received[at]?.path === `/${name}` ? [type] : []));
  expect({ waits: per("waits"), opened: per("opened") }).toEqual({
    waits: ["waiting", "waiting", "waiting"],
    opened: ["waiting", "waiting", "request_opened"],
  });
  expect(it.received).toHaveLength(6);
});

test("a confidential issue is told only where the operator says so, without its title", async () => {
  const it = await hub([{ name: "open" }, { name: "security", confidential: true }]);
  const life = await openLife(it.change, 60_000);
  await it.begin(life);
  const issue = await report(life, "The total is wrong.", "Anyone can read the passwords");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.queue.drain?.();
  const { id } = await life.existing(issue);
  await setConfidential(life.db, id, true);
  await life.transition(life.db, id, "cycle_started", { why: "a test" });
  await life.transition(life.db, id, "go_ahead_asked", { why: "a test" });
  await life.queue.drain?.();
  expect(it.received.map(({ path }) => path)).toEqual(["/security"]);
  expect(it.notices()[0]?.issue).toMatchObject({ title: null, confidential: true, number: 1 });
  expect(JSON.stringify(it.received)).not.toContain("passwords");
});

test("a title is data: on one line, of bounded length, without secrets and links", async () => {
  const it = await hub();
  const life = await openLife(it.change);
  await it.begin(life);
  await assigned(
    life,
    undefined,
    `Wrong \u200Btotal with ghp_${"a1B2".repeat(9)} https://evil.example/q ${"long ".repeat(33)}`,
  );
  await life.queue.drain?.();
  const title = it.notices()[0]?.issue?.title ?? "";
  expect(title).toMatch(/^Wrong total with \[secret removed\] evil\.example\/q long .*…$/);
  expect(title.length).toBeLessThanOrEqual(200);
});

test("what people stop is not told, and an issue that goes on tells nothing twice", async () => {
  const it = await hub();
  const life = await openLife(it.change);
  await it.begin(life);
  const issue = await assigned(life);
  const { id } = await life.existing(issue);
  await life.transition(life.db, id, "pause_requested", { why: "a test" });
  await life.transition(life.db, id, "resume_requested", { why: "a test" });
  await life.deliver(await life.people.setState(issue, "mia", "closed"));
  await life.settled(issue);
  expect(told(it)).toEqual(["waiting answers"]);
});

test("what happens in a transaction that fails is told to nobody; a receiver that is down delays nothing", async () => {
  const it = await hub();
  const life = await openLife(it.change);
  it.connect(life);
  const issue = await assigned(life);
  const { id } = await life.existing(issue);
  const killed = life.db.transaction(async (tx) => {
    await life.transition(tx, id, "cycle_started", { why: "a test" });
    await life.transition(tx, id, "go_ahead_asked", { why: "a test" });
    throw new Error("killed");
  });
  await expect(killed).rejects.toThrow("killed");
  // Nobody has taken the jobs so far.
  expect([it.received.length, (await life.existing(issue)).state]).toEqual([0, "clarifying"]);
  await it.begin(life);
  await life.queue.drain?.();
  expect(told(it)).toEqual(["waiting answers"]);
});

test("a delivery that failed for good is told once, with its issue where Relay knows it", async () => {
  const it = await hub();
  let isBroken = false;
  const life = await openLife((deps) => ({
    ...it.change(deps),
    repositoryOf: async (event) => {
      if (isBroken) throw broken;
      return await deps.repositoryOf(event);
    },
  }));
  await it.begin(life);
  const issue = await assigned(life);
  isBroken = true;
  await life.deliver(await life.people.comment(issue, "mia", "It is in cents."));
  await life.queue.drain?.();
  const unknown = await report(life, "Another.", "Another");
  await life.deliver(await life.people.assign(unknown, "mia", BOT));
  await life.queue.drain?.();
  await expect.poll(() => told(it)).toEqual(["waiting answers", "stuck dead_letter", "stuck dead_letter"]);
  const [, known, other] = it.notices();
  expect(known).toMatchObject({
    text: "What was said or done at local/shop#1 failed for good; relay status says why, and relay retry tries it again.",
    waiting_for: { anyone_with: "operator" },
    issue: { number: 1 },
    links: { dashboard: "https://relay.example.org/queue" },
  });
  expect(other).toMatchObject({ issue: null, text: expect.stringContaining("an issue of shop") });
});

test("a wake-up that failed for good is told once", async () => {
  const it = await hub();
  let isBroken = false;
  const life = await openLife((deps) => ({
    ...it.change(deps),
    settingsOf: async (...given) => {
      if (isBroken) throw broken;
      return await deps.settingsOf(...given);
    },
  }));
  await it.begin(life);
  const issue = await assigned(life);
  isBroken = true;
  await life.deliver(await life.people.comment(issue, "mia", "It is in cents."));
  await expect.poll(() => told(it)).toEqual(["waiting answers", "stuck dead_letter"]);
});

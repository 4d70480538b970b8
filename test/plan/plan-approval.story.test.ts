import { expect, test } from "vitest";
import type { IssueAddress } from "../../src/domain/issue.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { listUnreadSeqs } from "../../src/storage/messages.ts";
import { findLastSeen } from "../../src/storage/threads.ts";
import { differenceOf } from "../../src/intake/reconcile.ts";
import type { Tracker, TrackerComment } from "../../src/adapters/trackers/tracker.ts";
import { type Life, BOT, report } from "../support/relay.ts";
import { moment, openPlanning, planOf, planned, say, setMode, tasksOf } from "../support/planning-relay.ts";

test("a spec is followed by one plan, a yes by one task, and one comment says so (R-CONF-1, R-CONF-4)", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  expect(await life.existing(issue)).toMatchObject({ state: "waiting_confirmation", planPostedAt: expect.any(Date) });
  const plan = await planOf(life, issue);
  expect(plan).toMatchObject({ version: 1, status: "posted", plan: { issue_number: 1 } });
  expect(plan?.plan.file_changes.map(({ path }) => path)).toContain("src/cart.ts");
  const before = await life.said(issue);
  expect(before.filter((text) => text.includes("src/cart.ts") && /yes/i.test(text))).not.toEqual([]);
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  expect(await tasksOf(life)).toEqual(["queued"]);
  expect(await planOf(life, issue)).toMatchObject({ status: "confirmed" });
  expect(await life.said(issue)).toHaveLength(before.length + 1);
  // A second yes, and a thanks, start nothing more.
  await say(life, issue, "mia", "yes");
  await say(life, issue, "ann", "thanks!");
  expect(await tasksOf(life)).toEqual(["queued"]);
  expect(await life.said(issue)).toHaveLength(before.length + 1);
});

test("where Relay would carry it out, the reporter's yes is answered and starts nothing (R-CONF-3)", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await planned(life);
  const before = (await life.said(issue)).length;
  await moment();
  expect(await say(life, issue, "ann", "yes")).toMatchObject({ state: "waiting_confirmation" });
  expect(await life.said(issue)).toHaveLength(before + 1);
  await say(life, issue, "ann", "yes please");
  expect(await life.said(issue)).toHaveLength(before + 1);
  expect(await tasksOf(life)).toEqual([]);
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  expect((await life.said(issue)).at(-1)).toContain("Work on this task has started");
});

test("a permission that was taken away meanwhile counts no more", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await planned(life);
  await moment();
  await life.people.setMember("shop", "mia", "read");
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "waiting_confirmation" });
  expect(await tasksOf(life)).toEqual([]);
});

test("a yes beside a new wish starts nothing, and neither does a yes to the plan from before the wish (R-CONF-5)", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await moment();
  const yes = await life.people.comment(issue, "mia", "yes");
  const wish = await life.people.comment(issue, "ann", "It must also refuse negative prices in src/cart.ts.");
  await life.deliver(yes);
  await life.deliver(wish);
  const { state } = await life.settled(issue);
  expect(state).not.toBe("queued");
  expect(await tasksOf(life)).toEqual([]);
});

test("a thumbs-up on the plan's comment is a yes, of somebody who may give it (R-CONF-2)", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const issue = await planned(life);
  const comment = (await planOf(life, issue))?.commentId ?? "";
  const { id } = await life.existing(issue);
  await life.people.react(issue, comment, "ann", "+1");
  await life.orchestrator.wake(id);
  expect(await tasksOf(life)).toEqual([]);
  await life.people.react(issue, comment, "mia", "+1");
  await life.orchestrator.wake(id);
  expect(await life.existing(issue)).toMatchObject({ state: "queued" });
});

test("closing the issue takes the task back; reopened, the plan must be agreed to anew (R-LIFE-2)", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "yes");
  await life.deliver(await life.people.setState(issue, "mia", "closed"));
  expect(await life.settled(issue)).toMatchObject({ state: "closed" });
  expect(await tasksOf(life)).toEqual(["cancelled"]);
  await life.deliver(await life.people.setState(issue, "mia", "open"));
  expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  // A comment of its own: the edit of the plan's comment notifies nobody.
  const told = (await life.said(issue)).filter((text) => text.includes("Nothing in it changed since plan 1"));
  expect(told).toEqual([expect.stringContaining("It needs a new approval")]);
  await moment();
  expect(await say(life, issue, "mia", "yes")).toMatchObject({ state: "queued" });
  expect(await tasksOf(life)).toEqual(["cancelled", "queued"]);
});

test.each(["posted", "agreed to"])(
  "an issue that was closed and reopened before Relay looked needs a new approval, the plan %s",
  async (how) => {
    const life = await openPlanning();
    const issue = await planned(life);
    await moment();
    if (how === "agreed to") await say(life, issue, "mia", "yes");
    const closed = await life.people.setState(issue, "mia", "closed");
    const reopened = await life.people.setState(issue, "mia", "open");
    await life.deliver(closed);
    await life.deliver(reopened);
    expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
    expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
    const told = (await life.said(issue)).filter((text) => text.includes("Nothing in it changed since plan 1"));
    expect(told).toEqual([expect.stringContaining("It needs a new approval")]);
    // The same again, with new ids, changes nothing.
    await life.deliver(closed);
    await life.deliver(reopened);
    await life.settled(issue);
    expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  },
);

test("so does one from which Relay was unassigned and to which it was assigned again, with words behind it", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "yes");
  const unassigned = await life.people.unassign(issue, "mia", BOT);
  const assigned = await life.people.assign(issue, "mia", BOT);
  await moment();
  await say(life, issue, "ann", "Thanks!");
  await life.deliver(unassigned);
  await life.deliver(assigned);
  expect(await life.settled(issue)).toMatchObject({ state: "waiting_confirmation" });
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  expect(await tasksOf(life)).toEqual(["cancelled"]);
});

test.each(["posted", "agreed to"])(
  "a wish that no delivery told of is heard when Relay looks, the plan %s",
  async (how) => {
    const life = await openPlanning();
    const issue = await planned(life);
    await moment();
    if (how === "agreed to") await say(life, issue, "mia", "yes");
    await life.people.comment(issue, "ann", "It must also refuse negative prices in src/cart.ts.");
    const { id } = await life.existing(issue);
    await life.orchestrator.wake(id);
    await life.settled(issue);
    expect(await listUnreadSeqs(life.db, id)).toEqual([]);
  },
);

/** A plan is posted, and from then on the tracker's lists show its thread as `change` has it. */
async function plannedBehind(change: (comments: TrackerComment[]) => TrackerComment[]) {
  const there = { behind: false };
  const life = await openPlanning((deps) => ({
    trackerFor: async (repository) => {
      const tracker = await deps.trackerFor(repository);
      const listComments: Tracker["listComments"] = async (address, cursor) => {
        const { comments, next } = await tracker.listComments(address, cursor);
        return { comments: there.behind ? change(comments) : comments, next };
      };
      return { ...tracker, listComments };
    },
  }));
  const issue = await planned(life);
  await moment();
  return { life, issue, there, id: (await life.existing(issue)).id };
}

test("a refusal that no delivery told of, and that the list does not show yet, is heard before a yes counts", async () => {
  const { life, issue, there, id } = await plannedBehind((comments) => comments.slice(0, -1));
  await life.people.react(issue, (await planOf(life, issue))?.commentId ?? "", "mia", "+1");
  await life.people.comment(issue, "mia", "stop");
  there.behind = true;
  await expect(life.orchestrator.wake(id)).rejects.toMatchObject({ retryable: true });
  there.behind = false;
  await life.settled(issue);
  expect(await tasksOf(life)).toEqual([]);
  expect(await planOf(life, issue)).toMatchObject({ status: "stale" });
});

test("an edit that no delivery told of, and that the list did not show yet, is found by comparing", async () => {
  const { life, issue, there, id } = await plannedBehind((comments) =>
    comments.map((comment) => (comment.body === "Thanks a lot!" ? { ...comment, body: "Thanks!" } : comment)),
  );
  await say(life, issue, "ann", "Thanks!");
  const said = (await life.tracker.listComments(issue, null)).comments.at(-1)?.id ?? "";
  await life.people.editComment(issue, said, "ann", "Thanks a lot!");
  there.behind = true;
  await life.orchestrator.wake(id);
  const { repositoryId } = await life.existing(issue);
  const seen = (await findLastSeen(life.db, repositoryId, [issue.externalIssueId])).get(issue.externalIssueId) ?? null;
  expect(differenceOf(await life.tracker.getIssue(issue), seen, [BOT])).toMatchObject({ kind: "edited" });
});

test("a wish while the task waits takes it back and has the plan looked at again", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "yes");
  const { state } = await say(life, issue, "ann", "Please also handle undefined in src/cart.ts.");
  expect(state).not.toBe("queued");
  expect(await tasksOf(life)).toEqual(["cancelled"]);
});

test.each([1, 2])(
  "a tracker that fails on the plan's comment, effect %i, leads to one comment in the end",
  async (effect) => {
    let failures = 1;
    const life = await openPlanning((deps) => ({
      trackerFor: async (repository) => {
        const tracker = await deps.trackerFor(repository);
        const createComment: typeof tracker.createComment = async (address, body, thread) => {
          const isPlan = body.includes("relay:plan:");
          if (isPlan && failures > 0 && effect === 2) await tracker.createComment(address, body, thread);
          if (isPlan && failures > 0) {
            failures -= 1;
            throw new RelayError("unavailable", "502", { status: 502 });
          }
          return await tracker.createComment(address, body, thread);
        };
        return { ...tracker, createComment };
      },
    }));
    const issue = await planned(life);
    expect(await life.existing(issue)).toMatchObject({ state: "waiting_confirmation" });
    expect((await life.said(issue)).filter((text) => text.includes("relay:plan:"))).toHaveLength(1);
  },
);

const OF_START = /^(?:Work on this task has started|The plan is approved, and the task is queued)/;

/** What was said about the start of work on an issue. */
async function startsSaid(life: Life, issue: IssueAddress): Promise<string[]> {
  return (await life.said(issue)).filter((text) => OF_START.test(text));
}

test("where another task is under way, a yes is answered with that the work waits (R-CONF-4)", async () => {
  const life = await openPlanning();
  setMode(life, "implement");
  const first = await planned(life);
  const second = await planned(life);
  await moment();
  await say(life, first, "mia", "yes");
  await life.db.execute("update tasks set status = 'running'", []);
  await say(life, second, "mia", "yes");
  expect(await startsSaid(life, first)).toEqual([expect.stringContaining("has started")]);
  expect(await startsSaid(life, second)).toEqual([expect.stringContaining("as soon as a worker is free")]);
});

test("what could not be said about the start is said once, also when a worker has taken the task up (R-CONF-4)", async () => {
  let refuses = true;
  const life = await openPlanning((deps) => ({
    trackerFor: async (repository) => {
      const tracker = await deps.trackerFor(repository);
      const createComment: typeof tracker.createComment = async (...comment) => {
        if (refuses && OF_START.test(comment[1])) throw new RelayError("forbidden", "no scope", { status: 403 });
        return await tracker.createComment(...comment);
      };
      return { ...tracker, createComment };
    },
  }));
  setMode(life, "implement");
  const issue = await planned(life);
  await moment();
  await life.deliver(await life.people.comment(issue, "mia", "yes"));
  const { id } = await life.existing(issue);
  await expect(life.orchestrator.wake(id)).rejects.toThrow("no scope");
  expect(await tasksOf(life)).toEqual(["queued"]);
  await life.db.execute("update tasks set status = 'running'", []);
  await life.db.execute("update issues set state = 'in_progress' where id = $1", [id]);
  refuses = false;
  await life.orchestrator.wake(id);
  await life.orchestrator.wake(id);
  expect(await startsSaid(life, issue)).toEqual([expect.stringContaining("has started")]);
});

/** A tracker whose answer to the first comment with this in it is lost. */
const losingAnswerTo = (marker: string) => {
  let lost = false;
  return async () =>
    await openPlanning((deps) => ({
      trackerFor: async (repository) => {
        const tracker = await deps.trackerFor(repository);
        const createComment: typeof tracker.createComment = async (address, body, thread) => {
          const made = await tracker.createComment(address, body, thread);
          if (lost || !body.includes(marker)) return made;
          lost = true;
          throw new RelayError("unavailable", "the connection was cut");
        };
        return { ...tracker, createComment };
      },
    }));
};

async function recorded(life: Life, issue: IssueAddress, marker: string): Promise<number> {
  const audit = await listAudit(life.db, (await life.existing(issue)).id);
  return audit.filter(({ what, after }) => what === "comment.posted" && JSON.stringify(after).includes(marker)).length;
}

test("what tells of a plan made anew is said and recorded once, also where the answer to it is lost", async () => {
  const life = await losingAnswerTo("relay:plan-changed:")();
  const issue = await planned(life);
  await moment();
  expect(await say(life, issue, "ann", "It must also refuse negative prices in src/cart.ts.")).toMatchObject({
    state: "waiting_confirmation",
  });
  expect(await planOf(life, issue)).toMatchObject({ version: 2, status: "posted" });
  expect((await life.said(issue)).filter((text) => text.includes("relay:plan-changed:"))).toHaveLength(1);
  expect(await recorded(life, issue, "relay:plan-changed:")).toBe(1);
});

test("that a closed issue's task was taken back is no comment of its own: its status comment says that it is closed", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await moment();
  await say(life, issue, "mia", "yes");
  const before = await life.said(issue);
  await life.deliver(await life.people.setState(issue, "mia", "closed"));
  expect(await life.settled(issue)).toMatchObject({ state: "closed", resumesAs: "waiting_confirmation" });
  expect(await tasksOf(life)).toEqual(["cancelled"]);
  expect(await life.said(issue)).toEqual(before);
  expect(await life.shown(issue)).toBe("**The issue is closed, so I’ve stopped.**");
});

test("an issue that was closed right before a crash has its task taken back after it", async () => {
  const life = await openPlanning();
  const issue = await planned(life);
  await moment();
  const { id } = await say(life, issue, "mia", "yes");
  const closing = await life.people.setState(issue, "mia", "closed");
  await life.transition(life.db, id, "issue_closed", { why: "closed" });
  await life.deliver(closing);
  expect(await life.settled(issue)).toMatchObject({ state: "closed", resumesAs: "waiting_confirmation" });
  expect(await tasksOf(life)).toEqual(["cancelled"]);
});

test("in mode spec an issue ends with its spec (R-LIFE-7)", async () => {
  const life = await openPlanning();
  setMode(life, "spec");
  const issue = await planned(life);
  expect(await life.existing(issue)).toMatchObject({ state: "done" });
  expect(await planOf(life, issue)).toBeNull();
});

test("the log says of a yes and of a stop that they are heard at once, and of a wish that it waits (R-OBS-5)", async () => {
  const life = await openPlanning();
  const issue = await report(life, "`total([])` in src/cart.ts throws. Expected: 0.");
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  await life.settled(issue);
  await say(life, issue, "mia", "go ahead with the spec");
  await moment();
  await say(life, issue, "mia", "Use a Map instead.");
  await moment();
  await say(life, issue, "mia", "yes");
  await say(life, issue, "mia", "stop");
  const entries = await listAudit(life.db, (await life.existing(issue)).id);
  const said = entries.filter(({ what, actor }) => what === "words.taken_up" && actor === "mia").map(({ why }) => why);
  expect(said.slice(1)).toEqual([
    "heard at once, since it may decide",
    "considered once people have finished writing",
    "heard at once, since it may decide",
    "heard at once, since it may decide",
  ]);
});

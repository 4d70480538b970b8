import { expect, test } from "vitest";
import type { Tracker } from "../../src/adapters/trackers/tracker.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { isAwaitingTracker } from "../../src/storage/deliveries.ts";
import { listDeadLetters } from "../../src/storage/dead-letters.ts";
import { startDebounce } from "../../src/storage/issues.ts";
import { listMessages } from "../../src/storage/messages.ts";
import { BOT, openLife, report } from "../support/relay.ts";

/** A Relay whose tracker answers as `change` says, and how often its planner ran. */
async function open(change: (tracker: Tracker) => Partial<Tracker> = () => ({})) {
  const ran = { plans: 0 };
  const life = await openLife((deps) => ({
    trackerFor: async (repository) => {
      const tracker = await deps.trackerFor(repository);
      return { ...tracker, ...change(tracker) };
    },
    plannerFor: (code, spending) => {
      const planner = deps.plannerFor(code, spending);
      const plan: typeof planner.plan = async (...given) => {
        ran.plans += 1;
        return await planner.plan(...given);
      };
      return { ...planner, plan };
    },
  }));
  return { life, ran };
}

test("calls in a closed issue are answered once, and once more after it was reopened and closed again (R-LIFE-11)", async () => {
  const { life, ran } = await open();
  const issue = await report(life);
  const calls = async () => {
    const event = await life.people.comment(issue, "mia", `@${BOT} please look`);
    await life.deliver(event);
    await life.settled(issue);
  };
  await life.people.setState(issue, "mia", "closed");
  for (let again = 0; again < 3; again += 1) await calls();
  expect(await life.said(issue)).toEqual([expect.stringContaining("closed")]);
  expect(ran.plans).toBe(0);
  await life.deliver(await life.people.setState(issue, "mia", "open"));
  await life.settled(issue);
  await life.deliver(await life.people.setState(issue, "mia", "closed"));
  const before = (await life.said(issue)).length;
  for (let again = 0; again < 2; again += 1) await calls();
  expect(await life.said(issue)).toHaveLength(before + 1);
});

test("an issue that is not found for a moment after it was opened is waited for; one that is never found is given up (R-IN-11)", async () => {
  let missing = 2;
  const { life } = await open((tracker) => ({
    getIssue: async (address) => {
      if (missing-- > 0) throw new RelayError("not_found", "no such issue", { status: 404 });
      return await tracker.getIssue(address);
    },
  }));
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "clarifying" });
  expect(missing).toBeLessThan(0);
  expect(await listDeadLetters(life.db)).toEqual([]);

  missing = Number.POSITIVE_INFINITY;
  const gone = await life.people.comment(issue, "mia", `@${BOT} well?`);
  await life.deliver({ ...gone, at: new Date(Date.now() - 3_600_000) });
  await expect.poll(async () => (await listDeadLetters(life.db)).length).toBe(1);
});

test("while a comment is awaited that the tracker does not show yet, the wake-up waits with it (R-IN-11)", async () => {
  let hidden = false;
  const { life, ran } = await open((tracker) => {
    const shown = <T extends { body: string }>(comments: T[]) =>
      comments.filter(({ body }) => !hidden || !body.includes("cents"));
    return {
      settlesAfterMs: 40_000,
      listComments: async (...asked) => {
        const page = await tracker.listComments(...asked);
        return { ...page, comments: shown(page.comments) };
      },
      listChangedComments: async (...asked) => {
        const changed = await tracker.listChangedComments(...asked);
        return changed && shown(changed);
      },
    };
  });
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  expect(await life.settled(issue)).toMatchObject({ state: "clarifying" });
  const { id } = await life.existing(issue);
  const before = ran.plans;
  hidden = true;
  await life.deliver(await life.people.comment(issue, "ann", "1. In cents, please."));
  await expect.poll(async () => await isAwaitingTracker(life.db, issue)).toBe(true);
  await startDebounce(life.db, id, 0);
  expect(await life.orchestrator.wake(id)).toMatchObject({ error: null });
  expect(ran.plans).toBe(before);
  hidden = false;
  await life.settled(issue);
  expect(ran.plans).toBe(before + 1);
  expect((await listMessages(life.db, id)).some(({ content }) => content.includes("cents"))).toBe(true);
  expect(await listDeadLetters(life.db)).toEqual([]);
});

import { moment, openPlanning, planned } from "../support/planning-relay.ts";
import { expect, test } from "vitest";
import { RelayError } from "../../src/lib/errors.ts";
import { type Life, BOT, openLife, report } from "../support/relay.ts";

const DAY = 86_400_000;
const MINUTES = 10 * 60_000;

const withClock = async (offByMs: number, debounceMs: number) =>
  await openLife(() => ({ clock: { now: () => new Date(Date.now() + offByMs) } }), debounceMs);

async function assigned(life: Life) {
  const issue = await report(life);
  await life.deliver(await life.people.assign(issue, "mia", BOT));
  return issue;
}

test.each([DAY, -DAY])("a clock that is off by %i ms holds no issue up", async (offByMs) => {
  const life = await withClock(offByMs, 100);
  const issue = await assigned(life);
  expect((await life.settled(issue)).state).toBe("clarifying");
});

test("a clock that is ahead does not end the quiet wait early", async () => {
  const life = await withClock(DAY, MINUTES);
  const issue = await assigned(life);
  await expect.poll(async () => (await life.stored(issue))?.debounceUntil ?? null).not.toBeNull();
  const { id } = await life.existing(issue);
  await life.orchestrator.wake(id);
  const after = await life.existing(issue);
  expect(after.state).toBe("pending_plan");
  expect(after.debounceUntil?.getTime()).toBeLessThan(Date.now() + DAY / 2);
});

test("a yes is heard at once, though the process's clock is a day ahead", async () => {
  const life = await openPlanning(({ clock }) => ({ clock: { now: () => new Date(clock.now().getTime() + DAY) } }));
  const issue = await planned(life);
  await moment();
  await life.deliver(await life.people.comment(issue, "mia", "yes"));
  await expect.poll(async () => (await life.stored(issue))?.state, { timeout: 60_000 }).toBe("queued");
});

test("an issue whose first wait was cut off before its job was there is worked on all the same", async () => {
  let cuts = 0;
  const life = await openLife(({ jobs }) => ({
    jobs: {
      ...jobs,
      setWake: async (...wake) => {
        cuts += 1;
        if (cuts === 1) throw new RelayError("unavailable", "the power went out", { retryable: true });
        await jobs.setWake(...wake);
      },
    },
  }));
  const issue = await assigned(life);
  expect((await life.settled(issue)).state).toBe("clarifying");
});

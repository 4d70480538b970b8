import { expect, test } from "vitest";
import { RelayError } from "../../src/lib/errors.ts";
import { STATE_LABELS, labelsByState } from "../../src/domain/state-labels.ts";
import { listUnsynced } from "../../src/storage/issue-labels.ts";
import { BOT, openLife, report } from "../support/relay.ts";

/** A Relay engaged in an issue, in a tracker that answers changes of labels with an error as long as there is one. */
async function withLabelTrouble() {
  const trouble: { error: RelayError | null; asked: number } = { error: null, asked: 0 };
  const names = { ...STATE_LABELS };
  const life = await openLife(({ trackerFor }) => ({
    labels: names,
    trackerFor: async (repository) => {
      const tracker = await trackerFor(repository);
      return {
        ...tracker,
        changeLabels: async (issue, change) => {
          trouble.asked += 1;
          if (trouble.error) throw trouble.error;
          await tracker.changeLabels(issue, change);
        },
      };
    },
  }));
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  const { id } = await life.settled(address);
  const labels = async () => (await life.tracker.getIssue(address)).labels;
  const pause = async () => await life.transition(life.db, id, "pause_requested", { why: "a test" });
  return { life, address, trouble, labels, pause, names };
}

test("a label that a crash or a tracker in trouble kept away is set when Relay looks after things", async () => {
  const { life, trouble, labels, pause } = await withLabelTrouble();
  expect(await listUnsynced(life.db, labelsByState(STATE_LABELS))).toEqual([]);
  // A crash: the state is stored, and nobody told the tracker.
  await pause();
  trouble.error = new RelayError("unavailable", "bad gateway", { retryable: true, status: 502 });
  await life.orchestrator.syncLabels();
  expect(await labels()).toEqual(["bug"]);
  trouble.error = null;
  await life.orchestrator.syncLabels();
  expect(await labels()).toEqual(["bug", "relay:stuck"]);
  expect(await listUnsynced(life.db, labelsByState(STATE_LABELS))).toEqual([]);
});

test("a label that a limit of the tracker kept away is set as soon as it is over, and not first by the hourly upkeep", async () => {
  const { life, address, trouble, labels, pause } = await withLabelTrouble();
  await pause();
  trouble.error = new RelayError("rate_limited", "no write is free", { retryAfterMs: 200 });
  const { id } = await life.existing(address);
  await life.orchestrator.updateStatus(id);
  expect(await labels()).toEqual(["bug"]);
  trouble.error = null;
  await expect.poll(labels).toEqual(["bug", "relay:stuck"]);
});

test("a label that the tracker refuses is not asked for again and again", async () => {
  const { life, trouble, pause } = await withLabelTrouble();
  await pause();
  trouble.error = new RelayError("forbidden", "no right to label", { status: 403 });
  await life.orchestrator.syncLabels();
  const { asked } = trouble;
  await life.orchestrator.syncLabels();
  expect(trouble.asked).toBe(asked);
});

test("nobody is asked where no label has to come or go", async () => {
  const { life, address, trouble } = await withLabelTrouble();
  expect(trouble.asked).toBe(0);
  await life.deliver(await life.people.comment(address, "ann", "1. Add nothing, then ask for the total.\n2. It is 0."));
  await life.settled(address);
  expect(trouble.asked).toBe(0);
});

test("a label of Relay's that was left from before is taken away", async () => {
  const { life, address, labels, pause } = await withLabelTrouble();
  await pause();
  await life.orchestrator.syncLabels();
  expect(await labels()).toEqual(["bug", "relay:stuck"]);
  const { id } = await life.existing(address);
  await life.transition(life.db, id, "resume_requested", { why: "a test" });
  await life.orchestrator.syncLabels();
  expect(await labels()).toEqual(["bug"]);
});

test("an issue that is being worked on is left to whoever works on it", async () => {
  const { life, address, trouble, labels } = await withLabelTrouble();
  const { id } = await life.existing(address);
  await life.transition(life.db, id, "cycle_started", { why: "a test" });
  const { asked } = trouble;
  await life.orchestrator.syncLabels();
  expect(trouble.asked).toBe(asked);
  expect(await labels()).toEqual(["bug"]);
});

test("R-LIFE-5: a label that gets another name is changed on the issues that have it, and one without a name goes", async () => {
  const { life, address, trouble, labels, pause, names } = await withLabelTrouble();
  await pause();
  await life.orchestrator.syncLabels();
  await life.people.label(address, "mia", ["bug", "keep", "relay:stuck"]);
  names.stuck = "bot: needs help";
  await life.orchestrator.syncLabels();
  expect(await labels()).toEqual(["bug", "keep", "bot: needs help"]);
  const { asked } = trouble;
  await life.orchestrator.syncLabels();
  expect(trouble.asked).toBe(asked);
  names.stuck = "";
  await life.orchestrator.syncLabels();
  expect(await labels()).toEqual(["bug", "keep"]);
});

import { freshDatabase } from "../../test/support/database.ts";
import { trackedIssue, trackedRepository } from "../../test/support/tracked-issue.ts";
import { expect, test } from "vitest";
import { transitions } from "../../test/support/transitions.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import { listAudit } from "../storage/audit.ts";
import { getIssue } from "../storage/issues.ts";

const now = { clock: systemClock, ids: snowflakes() };
const transition = transitions(now);
const why = { why: "a test" };

async function open() {
  const { db } = await freshDatabase();
  const repository = await trackedRepository(db);
  return { db, issue: await trackedIssue(db, repository.id) };
}

test("an event that must not happen changes nothing and records nothing (R-LIFE-1)", async () => {
  const { db, issue } = await open();
  const before = await listAudit(db, issue.id);
  await expect(transition(db, issue.id, "run_started", why)).rejects.toMatchObject({ code: "illegal_transition" });
  expect((await getIssue(db, issue.id)).state).toBe("pending_plan");
  expect(await listAudit(db, issue.id)).toEqual(before);
});

test("a pause and a stop in the middle of work return to the wait before it", async () => {
  const { db, issue } = await open();
  await transition(db, issue.id, "cycle_started", why);
  await transition(db, issue.id, "questions_asked", why);
  await transition(db, issue.id, "cycle_started", why);
  await transition(db, issue.id, "pause_requested", why);
  expect((await transition(db, issue.id, "issue_closed", why)).issue).toMatchObject({ resumesAs: "clarifying" });
  const { issue: resumed } = await transition(db, issue.id, "issue_resumed", why);
  expect(resumed).toMatchObject({ state: "clarifying", resumesAs: null });
  expect(resumed.debounceUntil).not.toBeNull();
});

test("of many reports of one event, one moves the issue and is recorded", async () => {
  const { db, issue } = await open();
  await Promise.all(Array.from({ length: 8 }, async () => await transition(db, issue.id, "pause_requested", why)));
  const moves = (await listAudit(db, issue.id)).filter(({ what }) => what === "state.changed");
  expect(moves).toMatchObject([{ before: "pending_plan", after: "paused", actor: "relay", why: "a test" }]);
});

test("three failed cycles in a row are counted, and one that succeeds ends the row (R-ACT-4)", async () => {
  const { db, issue } = await open();
  const fails = async (event: "cycle_failed" | "nothing_asked") => {
    await transition(db, issue.id, "cycle_started", why);
    return (await transition(db, issue.id, event, why)).issue.failedCycles;
  };
  expect([await fails("cycle_failed"), await fails("cycle_failed"), await fails("nothing_asked")]).toEqual([1, 2, 0]);
});

test("what happens in a transaction that fails has not happened", async () => {
  const { db, issue } = await open();
  const work = db.transaction(async (tx) => {
    await transition(tx, issue.id, "pause_requested", why);
    throw new Error("killed");
  });
  await expect(work).rejects.toThrow("killed");
  expect((await getIssue(db, issue.id)).state).toBe("pending_plan");
});

import { expect, test } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";
import { transitions } from "../../test/support/transitions.ts";
import { type FinishDeps, finishCycle } from "./finish-cycle.ts";
import { systemClock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import { snowflakes } from "../lib/ids.ts";
import { silentLog } from "../lib/log.ts";
import { beginCycle, findRunningCycle } from "../storage/cycles.ts";
import { getIssue, moveIssue, saveIssue, setFailedCycles } from "../storage/issues.ts";
import { listUnreadSeqs, markRead, saveThread } from "../storage/messages.ts";
import { connectRepository } from "../storage/repositories.ts";
import { localPeople } from "../adapters/trackers/local/people.ts";
import { localTracker } from "../adapters/trackers/local/tracker.ts";

const clock = systemClock;
const ids = snowflakes();
const THIRD = {
  failures: ["FAILED: ready_for_spec_generation | io @mia <!-- relay:action:1 -->"],
  error: null,
};

const killed = async () => await Promise.reject(new Error("killed"));
const down = async () => await Promise.reject(new RelayError("unavailable", "down"));

/** An issue in the middle of a cycle that has read one message. */
async function inCycle(failedCycles = 2) {
  const { db } = await freshDatabase();
  const tracker = localTracker(db, { bot: "relay", clock, ids });
  const people = localPeople(db, { clock, ids });
  await people.createProject("shop");
  await people.setMember("shop", "relay", "write", true);
  await people.setMember("shop", "ann", "write");
  const address = await people.openIssue("shop", {
    number: 1,
    title: "Wrong total",
    body: "",
    author: "ann",
    labels: [],
    assignees: [],
    url: null,
    createdAt: clock.now(),
  });
  const connection = { workspace: "default", provider: "local" as const, baseUrl: "local", botUsername: "relay" };
  const repository = await connectRepository(
    db,
    { ...connection, externalProjectId: "shop", cloneSource: null },
    { clock, ids },
  );
  const { id } = await saveIssue(
    db,
    repository.id,
    {
      externalIssueId: "1",
      title: "Wrong total",
      body: "",
      labels: [],
      assignees: [],
      reporter: "ann",
      url: null,
      confidential: false,
      openedAt: clock.now(),
      language: "en",
    },
    { clock, ids },
  );
  await saveThread(db, id, [
    {
      seq: 1,
      author: "ann",
      role: "reporter",
      isBot: false,
      timestamp: clock.now(),
      editedAt: null,
      replyToSeq: null,
      content: "go ahead",
      externalId: "c1",
      externalThreadId: null,
      externalReplyId: null,
    },
  ]);
  const transition = transitions({ clock, ids });
  await moveIssue(db, id, { state: "clarifying", returnTo: null }, clock);
  await setFailedCycles(db, id, failedCycles);
  await transition(db, id, "cycle_started", { why: "" });
  const cycle = await beginCycle(db, id, { planner: "offline", reasoning: "" }, { clock, ids });
  await markRead(db, id, [1], cycle.id);
  const deps: FinishDeps = { db, clock, ids, log: silentLog, transition, tracker };
  const said = async () => (await tracker.listComments(address, null)).comments.map((one) => one.body);
  return { db, deps, id, cycle, said, tracker };
}

test("a crash between the pause's comment and its state leaves one comment, however often (R-ACT-5)", async () => {
  const { db, deps, id, cycle, said } = await inCycle();
  for (let n = 0; n < 3; n += 1) {
    await expect(finishCycle(cycle, THIRD, { ...deps, db: { ...db, transaction: killed } })).rejects.toThrow("killed");
  }
  expect(await findRunningCycle(db, id)).not.toBeNull();
  await finishCycle(cycle, THIRD, deps);
  expect(await said()).toHaveLength(1);
  expect(await getIssue(db, id)).toMatchObject({ state: "paused", resumesAs: "clarifying", failedCycles: 3 });
  expect(await findRunningCycle(db, id)).toBeNull();
});

test("the comment carries no marker of others, and names nobody who has no part in the issue (R-SAFE-2)", async () => {
  const { deps, cycle, said } = await inCycle();
  await finishCycle(cycle, THIRD, deps);
  const [comment] = await said();
  expect(comment).not.toContain("relay:action:1");
  expect(comment).not.toMatch(/(?<!`)@mia/);
  expect(comment).toMatch(/<!-- relay:paused:\d+ -->$/);
});

test("a tracker that is down does not keep the issue from resting", async () => {
  const { db, deps, id, cycle, tracker } = await inCycle();
  await finishCycle(cycle, THIRD, { ...deps, tracker: { ...tracker, createComment: down } });
  expect((await getIssue(db, id)).state).toBe("paused");
});

test("a failed cycle gives back what it has read and asks for another; a good one does neither", async () => {
  const failed = await inCycle(0);
  expect((await finishCycle(failed.cycle, THIRD, failed.deps)).again).toBe("after the wait");
  expect(await listUnreadSeqs(failed.db, failed.id)).toEqual([1]);
  expect(await getIssue(failed.db, failed.id)).toMatchObject({ state: "clarifying", failedCycles: 1 });

  const good = await inCycle();
  const end = { ...THIRD, failures: [] };
  expect((await finishCycle(good.cycle, end, good.deps)).again).toBeNull();
  expect(await listUnreadSeqs(good.db, good.id)).toEqual([]);
  expect(await getIssue(good.db, good.id)).toMatchObject({ state: "clarifying", failedCycles: 0 });
});

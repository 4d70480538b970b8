import { expect, test } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";
import { trackedRepository } from "../../test/support/tracked-issue.ts";
import { transitions } from "../../test/support/transitions.ts";
import type { TrackerEvent } from "../domain/event.ts";
import { snowflakes } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { listAudit } from "../storage/audit.ts";
import { getIssue, setDebounceUntil } from "../storage/issues.ts";
import { listMessages } from "../storage/messages.ts";
import { localPeople } from "../adapters/trackers/local/people.ts";
import { localTracker } from "../adapters/trackers/local/tracker.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { processEvent } from "./process.ts";

const ids = snowflakes();

/** An issue that Relay is engaged in, with Ann who reported it, another bot, and somebody who answers at once. */
async function engaged(respondToBots: boolean, provider: Tracker["provider"] = "local") {
  const { db } = await freshDatabase();
  let now = Date.parse("2026-01-01T00:00:00Z");
  const clock = { now: () => new Date(now) };
  const wait = (ms: number) => void (now += ms);
  const repository = await trackedRepository(db);
  const tracker = { ...localTracker(db, { bot: "relay", clock, ids }), provider };
  const people = localPeople(db, { clock, ids });
  await people.createProject("shop");
  for (const login of ["relay", "robot"]) await people.setMember("shop", login, "write", true);
  for (const login of ["ann", "quick"]) await people.setMember("shop", login, "write");
  const told = { number: null, title: "Wrong total", body: "", labels: [], assignees: [], url: null };
  const issue = await people.openIssue("shop", { ...told, author: "ann", createdAt: clock.now() });
  const warnings: unknown[] = [];
  const log: Log = { debug() {}, info() {}, warn: (fields) => void warnings.push(fields["reason"]), error() {} };
  const process = async (event: TrackerEvent) => {
    const deps = {
      db,
      tracker,
      repository,
      clock,
      ids,
      log,
      transition: transitions({ clock, ids }),
      detectLanguage: () => "en",
      respondToBots,
    };
    const { decision, issue: stored } = await processEvent(event, deps);
    return { wake: "wake" in decision ? decision.wake : decision.kind, id: stored?.id ?? "" };
  };
  const says = async (who: string, text: string, after = 60_000) => {
    wait(after);
    return (await process(await people.comment(issue, who, text))).wake;
  };
  const relaySays = async (text: string) => {
    wait(60_000);
    return await tracker.createComment(issue, text, null);
  };
  const { id } = await process(await people.assign(issue, "ann", "relay"));
  // As if the first cycle were over.
  await setDebounceUntil(db, id, null);
  return { db, tracker, people, issue, says, relaySays, process, warnings, id };
}

test("another bot is answered once, where it is heeded at all (R-IN-4)", async () => {
  const calm = await engaged(false);
  expect(await calm.says("robot", "which total?")).toBe("no");
  const life = await engaged(true);
  expect(await life.says("robot", "which total?")).toBe("quiet");
  await life.relaySays("the first");
  expect(await life.says("robot", "which first?")).toBe("no");
  expect(life.warnings).toEqual(["bots answering each other"]);
  expect(await life.says("ann", "stop it, both of you")).toBe("quiet");
  expect(await life.says("robot", "which both?")).toBe("quiet");
});

test("who answers at once, again and again, is taken for a machine on trackers where accounts are anybody's", async () => {
  const life = await engaged(false, "github");
  const wakes: string[] = [];
  for (let n = 0; n < 7; n += 1) {
    await life.relaySays(`question ${n}`);
    wakes.push(await life.says("quick", `answer ${n}`, 1_000));
  }
  expect(wakes).toEqual(["quiet", "quiet", "quiet", "quiet", "quiet", "no", "no"]);
  expect(life.warnings).toEqual(["answers like a machine", "answers like a machine"]);
  expect(await life.says("ann", "I am one who types")).toBe("quiet");
});

test("who is assigned has another role from then on, also for what was said before", async () => {
  const life = await engaged(false);
  await life.says("quick", "me");
  const roles = async () => (await listMessages(life.db, life.id)).map(({ role }) => role);
  expect(await roles()).toEqual(["other"]);
  await life.process(await life.people.assign(life.issue, "ann", "quick"));
  expect(await roles()).toEqual(["assignee"]);
  await life.process(await life.people.unassign(life.issue, "ann", "quick"));
  expect(await roles()).toEqual(["other"]);
});

test("words whose own delivery was lost are heard when another event brings them", async () => {
  const life = await engaged(false);
  const assigned = async () => (await life.process(await life.people.assign(life.issue, "ann", "quick"))).wake;
  expect(await assigned()).toBe("no");
  await life.people.comment(life.issue, "ann", "It is the tax that is missing.");
  expect(await assigned()).toBe("quiet");
});

test("a bot's words that nobody heeds are not heard that way either", async () => {
  const life = await engaged(false);
  await life.people.comment(life.issue, "robot", "Build 7 has passed.");
  expect((await life.process(await life.people.assign(life.issue, "ann", "quick"))).wake).toBe("no");
});

test("what Relay engages in or takes up again has a wait from the first moment, whatever comes after", async () => {
  const life = await engaged(false);
  const waits = async () => (await getIssue(life.db, life.id)).debounceUntil !== null;
  await life.process(await life.people.setState(life.issue, "ann", "closed"));
  expect(await waits()).toBe(false);
  await life.process(await life.people.setState(life.issue, "ann", "open"));
  expect(await waits()).toBe(true);
});

test("a comment of Relay's that a crash kept from the record is recorded when it is found, and once", async () => {
  const life = await engaged(false);
  await life.relaySays("It has started. <!-- relay:started:1 -->");
  await life.relaySays("What do you expect? <!-- relay:action:1 -->");
  await life.says("ann", "12");
  await life.says("ann", "or 13");
  const recorded = (await listAudit(life.db, life.id)).filter(({ what }) => what === "comment.posted");
  expect(recorded).toEqual([expect.objectContaining({ why: "found in the thread" })]);
  expect(JSON.stringify(recorded[0]?.after)).toContain("It has started.");
});

test("a plan's comment that shows another version is on record once", async () => {
  const life = await engaged(false);
  const { id } = await life.relaySays("The plan. <!-- relay:plan:1 -->");
  await life.says("ann", "12");
  await life.tracker.updateComment(life.issue, id, "Another plan. <!-- relay:plan:2 -->");
  await life.says("ann", "or 13");
  const recorded = (await listAudit(life.db, life.id)).filter(({ what }) => what === "comment.posted");
  expect(recorded).toHaveLength(1);
});

import { expect, test } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";
import { trackedRepository } from "../../test/support/tracked-issue.ts";
import { transitions } from "../../test/support/transitions.ts";
import { localPeople } from "../adapters/trackers/local/people.ts";
import { localTracker } from "../adapters/trackers/local/tracker.ts";
import type { Tracker, TrackerIssue } from "../adapters/trackers/tracker.ts";
import type { TrackerEvent } from "../domain/event.ts";
import { snowflakes } from "../lib/ids.ts";
import { silentLog } from "../lib/log.ts";
import { findIssue } from "../storage/issues.ts";
import { LOOKS, NotShownYet } from "./lag.ts";
import { processEvent } from "./process.ts";

const ids = snowflakes();

/** An issue of Ann's on a tracker whose answers may lag, and a Relay that tries again as its queue does. */
async function open() {
  const { db } = await freshDatabase();
  let now = Date.parse("2026-01-01T00:00:00Z");
  const clock = { now: () => new Date(now) };
  const wait = (ms: number) => void (now += ms);
  const repository = await trackedRepository(db);
  const people = localPeople(db, { clock, ids });
  const real = localTracker(db, { bot: "relay", clock, ids });
  await people.createProject("shop");
  await people.setMember("shop", "relay", "write", true);
  await people.setMember("shop", "ann", "write");
  const said = { number: null, title: "Wrong total", body: "", labels: [], assignees: [], url: null };
  const issue = await people.openIssue("shop", { ...said, author: "ann", createdAt: clock.now() });
  let requests = 0;
  const past: { at: number; answer: TrackerIssue }[] = [];
  let lag = 0;
  const tracker: Tracker = {
    ...real,
    settlesAfterMs: 40_000,
    getIssue: async (address) => {
      requests += 1;
      const answer = await real.getIssue(address);
      return past.findLast(({ at }) => at <= now - lag)?.answer ?? answer;
    },
  };
  const act = async (does: Promise<TrackerEvent>) => {
    const event = await does;
    past.push({ at: now, answer: await real.getIssue(issue) });
    return event;
  };
  const once = async (event: TrackerEvent, looks: number) =>
    await processEvent(event, {
      db,
      tracker,
      repository,
      clock,
      ids,
      log: silentLog,
      transition: transitions({ clock, ids }),
      detectLanguage: () => "en",
      looks,
    });
  /** What became of a delivery, after how many looks. */
  const process = async (event: TrackerEvent): Promise<string> => {
    for (let looks = 0; ; looks += 1) {
      try {
        const { decision } = await once(event, looks);
        return `${decision.kind} after ${looks}`;
      } catch (error) {
        if (!(error instanceof NotShownYet)) throw error;
        wait(error.retryAfterMs ?? 0);
      }
    }
  };
  const state = async () => (await findIssue(db, issue))?.state ?? null;
  const setState = async (to: "open" | "closed") => await act(people.setState(issue, "ann", to));
  const assign = async () => await act(people.assign(issue, "ann", "relay"));
  const unassign = async () => await act(people.unassign(issue, "ann", "relay"));
  const says = async (text: string) => await act(people.comment(issue, "ann", text));
  const lagBy = (ms: number) => void (lag = ms);
  return { people, issue, wait, process, state, setState, assign, unassign, says, lagBy, requests: () => requests };
}

test("closed and reopened, told in the wrong order: the work stops and resumes once", async () => {
  const life = await open();
  await life.process(await life.assign());
  life.wait(10_000);
  const closed = await life.setState("closed");
  life.wait(2_000);
  const reopened = await life.setState("open");
  expect(await life.process(reopened)).toBe("restart after 0");
  expect(await life.process(closed)).toBe("refresh after 0");
  expect(await life.state()).toBe("pending_plan");
  life.wait(100 * 86_400_000);
  expect(await life.process(closed)).toBe("refresh after 0");
});

test("closed, reopened and spoken in before Relay looked: the work stops and resumes once", async () => {
  const life = await open();
  await life.process(await life.assign());
  life.wait(10_000);
  const closed = await life.setState("closed");
  const reopened = await life.setState("open");
  life.wait(5_000);
  expect(await life.process(await life.says("Any news?"))).toBe("refresh after 0");
  expect(await life.process(closed)).toMatch(/^restart/);
  expect(await life.process(reopened)).toBe("refresh after 0");
  expect(await life.state()).toBe("pending_plan");
});

test("unassigned and assigned again before Relay looked: the work stops and resumes once", async () => {
  const life = await open();
  await life.process(await life.assign());
  life.wait(10_000);
  const unassigned = await life.unassign();
  const assigned = await life.assign();
  life.wait(5_000);
  expect(await life.process(await life.says("Any news?"))).toBe("refresh after 0");
  expect(await life.process(assigned)).toBe("refresh after 0");
  expect(await life.process(unassigned)).toMatch(/^restart/);
  expect(await life.process(unassigned)).toMatch(/^refresh/);
  expect(await life.state()).toBe("pending_plan");
});

test("in the same second a stale closing is looked at for a quarter of a minute, and then left", async () => {
  const life = await open();
  await life.process(await life.assign());
  life.wait(10_000);
  const closed = await life.setState("closed");
  life.wait(300);
  await life.process(await life.setState("open"));
  expect(await life.process(closed)).toBe(`refresh after ${LOOKS.unsure}`);
  expect(await life.state()).toBe("pending_plan");
});

test("assigned, closed, and the assignment delivered last or again: nothing is engaged until it is reopened", async () => {
  const life = await open();
  const assigned = await life.assign();
  life.wait(10_000);
  const closed = await life.setState("closed");
  expect(await life.process(closed)).toBe("drop after 0");
  expect(await life.process(assigned)).toBe("drop after 0");
  expect(await life.state()).toBeNull();
  life.wait(10_000);
  expect(await life.process(await life.setState("open"))).toBe("engage after 0");
});

test("who is not assigned any more is not engaged, and a late unassignment of one who is changes nothing", async () => {
  const life = await open();
  const [assigned, unassigned] = [await life.assign(), (life.wait(10_000), await life.unassign())];
  expect(await life.process(assigned)).toBe("drop after 0");
  life.wait(10_000);
  expect(await life.process(await life.assign())).toBe("engage after 0");
  expect(await life.process(unassigned)).toBe("refresh after 0");
  expect(await life.state()).toBe("pending_plan");
});

test.each([200, 3_000, 29_000])("a closing and an assignment that show only %d ms later are waited for", async (ms) => {
  const life = await open();
  life.wait(60_000);
  const assigned = await life.assign();
  life.lagBy(ms);
  expect(await life.process(assigned)).toMatch(/^engage/);
  life.wait(60_000);
  expect(await life.process(await life.setState("closed"))).toMatch(/^stop after [1-6]$/);
  expect(await life.state()).toBe("closed");
});

test("an issue that was closed for real stops with the first delivery that finds it closed", async () => {
  const life = await open();
  await life.process(await life.assign());
  life.wait(10_000);
  const words = await life.says("one more thing");
  life.wait(2_000);
  const closed = await life.setState("closed");
  expect(await life.process(words)).toBe("stop after 0");
  expect(await life.process(closed)).toBe("stop after 0");
});

test("a mention in a closed issue does not engage it; Relay starts when it is reopened", async () => {
  const life = await open();
  await life.setState("closed");
  life.wait(10_000);
  expect(await life.process(await life.says("@relay please look"))).toBe("decline after 0");
  expect(await life.state()).toBe("closed");
  life.wait(10_000);
  expect(await life.process(await life.setState("open"))).toBe("resume after 0");
  expect(await life.state()).toBe("pending_plan");
});

test("a closing costs one request, and a comment no more than before", async () => {
  const life = await open();
  await life.process(await life.assign());
  const cost = async (event: TrackerEvent) => {
    const before = life.requests();
    await life.process(event);
    return life.requests() - before;
  };
  life.wait(10_000);
  expect(await cost(await life.says("one more thing"))).toBe(1);
  life.wait(10_000);
  expect(await cost(await life.setState("closed"))).toBe(1);
});

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../test/support/database.ts";
import { trackedRepository } from "../../test/support/tracked-issue.ts";
import { transitions } from "../../test/support/transitions.ts";
import type { TrackerEvent } from "../domain/event.ts";
import type { IssueAddress } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";
import { snowflakes } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { findIssue } from "../storage/issues.ts";
import { listMessages, listUnreadSeqs } from "../storage/messages.ts";
import { localPeople } from "../adapters/trackers/local/people.ts";
import { localTracker } from "../adapters/trackers/local/tracker.ts";
import type { IssueGlance, Tracker } from "../adapters/trackers/tracker.ts";
import { processEvent } from "./process.ts";
import { type ReconcileDeps, compareAssigned, reconcile } from "./reconcile.ts";
import type { Delivery } from "./receive.ts";

const ids = snowflakes();
const HOUR = 3_600_000;

/** A Relay that hears what it is told, and finds the rest. */
async function open() {
  const { db } = await freshDatabase();
  let now = Date.now() - 100 * HOUR;
  const clock = { now: () => new Date(now) };
  const repository = await trackedRepository(db);
  await db.execute("update repositories set created_at = $1", [clock.now()]);
  const tracker = localTracker(db, { bot: "relay", clock, ids });
  const people = localPeople(db, { clock, ids });
  await people.createProject("shop");
  await people.setMember("shop", "relay", "write", true);
  for (const login of ["ann", "mia"]) await people.setMember("shop", login, "write");
  await people.setMember("shop", "robot", "write", true);
  const lines: { fields: Record<string, unknown>; message: string }[] = [];
  const keep = (fields: Record<string, unknown>, message: string) => void lines.push({ fields, message });
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const process = async (event: TrackerEvent) =>
    await processEvent(event, {
      db,
      tracker,
      repository,
      clock,
      ids,
      log,
      transition: transitions({ clock, ids }),
      detectLanguage: () => "en",
    });
  const store = async (event: TrackerEvent, deliveryId: string) =>
    await db.execute(
      `insert into deliveries (id, provider, delivery_id, event, received_at) values ($1, 'local', $2, $3, $4)`,
      [ids.next(), deliveryId, JSON.stringify(event), clock.now()],
    );
  const processed = async () => await db.execute("update deliveries set processed_at = received_at", []);
  const told = async (event: TrackerEvent) => {
    await store(event, ids.next());
    await processed();
    return await process(event);
  };
  const taken = new Set<string>();
  /** Compares, works off what was found, and tells what became of it. */
  const compare = async (change: Partial<ReconcileDeps> = {}) => {
    const found: Delivery[] = [];
    const assigned = await tracker.listIssues("shop", { since: null, assignee: "relay" }, null);
    const deps: ReconcileDeps = {
      db,
      tracker,
      log,
      missedDeliveries: async () => await Promise.resolve(null),
      receive: async (delivery) => {
        if (taken.has(delivery.deliveryId)) return await Promise.resolve({ kind: "repeated" });
        taken.add(delivery.deliveryId);
        found.push(delivery);
        await store(delivery.events[0], delivery.deliveryId);
        return { kind: "stored", deliveryIds: [delivery.deliveryId] };
      },
      ...change,
    };
    const isOpen = ({ state }: IssueGlance) => state === "open";
    await compareAssigned(repository, assigned.issues.filter(isOpen), deps);
    await reconcile(repository, deps);
    const outcomes: string[] = [];
    for (const { events } of found) {
      const { decision } = await process(events[0]);
      const wake = "wake" in decision ? `, wake ${decision.wake}` : "";
      outcomes.push(`${events[0].kind}: ${decision.kind}${wake}`);
    }
    await processed();
    return outcomes;
  };
  const report = async (body = "The total is wrong.", createdAt = clock.now()) =>
    await people.openIssue("shop", {
      number: null,
      title: "Wrong total",
      body,
      author: "ann",
      labels: [],
      assignees: [],
      url: null,
      createdAt,
    });
  const wait = (ms: number) => void (now += ms);
  const engaged = async () => {
    const issue = await report();
    await told(await people.assign(issue, "ann", "relay"));
    await told(await people.comment(issue, "ann", "first"));
    wait(HOUR);
    return issue;
  };
  const stored = async (address: IssueAddress) => await findIssue(db, address);
  const seen = async (address: IssueAddress) => {
    const issue = await stored(address);
    if (issue) await db.execute("update messages set seen = true where issue_id = $1", [issue.id]);
  };
  const seenUntil = async () =>
    await db.one(z.object({ seen_until: z.date().nullable() }), "select seen_until from repositories", []);
  return {
    db,
    tracker,
    people,
    repository,
    lines,
    store,
    told,
    compare,
    report,
    engaged,
    wait,
    stored,
    seen,
    seenUntil,
  };
}

describe("what happened while Relay was down is found (R-IN-8)", () => {
  test("once, and nothing is found where nothing was missed", async () => {
    const life = await open();
    const issue = await life.engaged();
    expect(await life.compare()).toEqual([]);
    await life.people.comment(issue, "ann", "second");
    expect(await life.compare()).toEqual(["edited: refresh, wake quiet"]);
    expect(await life.compare()).toEqual([]);
    const tracked = await life.stored(issue);
    expect((await listMessages(life.db, tracked?.id ?? "")).map(({ content }) => content)).toEqual(["first", "second"]);
  });

  test("and told as missed only where no delivery of the issue waits", async () => {
    const life = await open();
    const issue = await life.engaged();
    const notices = () => life.lines.map(({ message }) => message).filter((message) => message.startsWith("found "));
    const edited = await life.people.editIssue(issue, "ann", { body: "The total is wrong by a cent." });
    await life.store(edited, "edited");
    expect(await life.compare()).toEqual(["edited: refresh, wake quiet"]);
    expect(notices()).toEqual(["found while a delivery waits"]);
    life.wait(HOUR);
    await life.people.editIssue(issue, "ann", { body: "The total is wrong by two cents." });
    expect(await life.compare()).toEqual(["edited: refresh, wake quiet"]);
    expect(notices()).toEqual(["found while a delivery waits", "found without a delivery"]);
  });

  test("each time, however many deliveries the issue has had", async () => {
    const life = await open();
    const issue = await life.engaged();
    for (let n = 1; n <= 10; n += 1) {
      await life.people.comment(issue, "ann", `once more: ${n}`);
      expect(await life.compare()).toEqual(["edited: refresh, wake quiet"]);
    }
  });

  test("an assignment, an unassignment, a closing, a reopening", async () => {
    const life = await open();
    const issue = await life.report();
    await life.people.assign(issue, "ann", "relay");
    expect(await life.compare()).toEqual(["assigned: engage, wake quiet"]);
    life.wait(HOUR);
    await life.people.setState(issue, "ann", "closed");
    expect(await life.compare()).toEqual(["closed: stop"]);
    life.wait(HOUR);
    await life.people.setState(issue, "ann", "open");
    expect(await life.compare()).toEqual(["reopened: resume, wake quiet"]);
    life.wait(HOUR);
    await life.people.unassign(issue, "ann", "relay");
    expect(await life.compare()).toEqual(["unassigned: stop"]);
    life.wait(HOUR);
    await life.people.assign(issue, "ann", "relay");
    expect(await life.compare()).toEqual(["assigned: resume, wake quiet"]);
    expect(await life.compare()).toEqual([]);
  });

  test("closed and opened again without a word: it goes on as if nothing had been", async () => {
    const life = await open();
    const issue = await life.engaged();
    await life.seen(issue);
    await life.people.setState(issue, "ann", "closed");
    await life.people.setState(issue, "ann", "open");
    expect(await life.compare()).toEqual(["edited: refresh, wake no"]);
  });

  test("an edit and a deletion of comments", async () => {
    const life = await open();
    const issue = await life.engaged();
    await life.told(await life.people.comment(issue, "mia", "second"));
    await life.seen(issue);
    life.wait(HOUR);
    const [first, second] = (await life.tracker.listComments(issue, null)).comments;
    await life.people.editComment(issue, first?.id ?? "", "ann", "said better");
    await life.people.deleteComment(issue, second?.id ?? "", "mia");
    expect(await life.compare()).toEqual(["edited: refresh, wake quiet"]);
    const tracked = await life.stored(issue);
    expect((await listMessages(life.db, tracked?.id ?? "")).map(({ content }) => content)).toEqual(["said better"]);
    expect(await listUnreadSeqs(life.db, tracked?.id ?? "")).toEqual([1]);
  });

  test("Relay's own words and those of bots wake nobody", async () => {
    const life = await open();
    const issue = await life.engaged();
    await life.seen(issue);
    await life.tracker.createComment(issue, "Which total?", null);
    expect(await life.compare()).toEqual(["edited: refresh, wake no"]);
    life.wait(HOUR);
    await life.people.comment(issue, "robot", "build passed");
    expect(await life.compare()).toEqual(["edited: refresh, wake no"]);
  });

  test("a call in an issue that it is not engaged in, by somebody who may", async () => {
    const life = await open();
    const [called, quiet, heard] = [await life.report(), await life.report(), await life.report()];
    await life.people.comment(called, "mia", "@relay please look");
    await life.people.comment(quiet, "mia", "nothing to see");
    await life.people.comment(quiet, "robot", "@relay please look");
    await life.told({ ...(await life.people.comment(heard, "mia", "@relay, no: @other")), text: "taken back" });
    expect(await life.compare()).toEqual(["commented: engage, wake now"]);
    expect(await life.stored(called)).toMatchObject({ state: "pending_plan" });
    expect(await life.stored(quiet)).toBeNull();
    expect(await life.compare()).toEqual([]);
  });

  test("a call within two seconds of the last words that were heard", async () => {
    const life = await open();
    const issue = await life.report();
    await life.told(await life.people.comment(issue, "mia", "nothing to see"));
    life.wait(1_000);
    await life.people.comment(issue, "mia", "@relay please look");
    expect(await life.compare()).toEqual(["commented: engage, wake now"]);
    expect(await life.stored(issue)).toMatchObject({ state: "pending_plan" });
    expect(await life.compare()).toEqual([]);
  });

  test("a call in the text of an issue that was opened meanwhile", async () => {
    const life = await open();
    await life.report("@relay, how?", new Date(Date.now() - 500 * HOUR));
    const [asked, calm] = [await life.report("@relay, the total is wrong"), await life.report()];
    expect(await life.compare()).toEqual(["opened: engage, wake now"]);
    expect([await life.stored(asked), await life.stored(calm)]).toMatchObject([{ state: "pending_plan" }, null]);
  });

  test("what was said before Relay knew the repository calls nobody", async () => {
    const life = await open();
    const issue = await life.report();
    await life.people.comment(issue, "mia", "@relay please look", { at: new Date(Date.now() - 500 * HOUR) });
    expect(await life.compare()).toEqual([]);
  });

  test("in more issues than one page holds, though some change while the pages are read", async () => {
    const life = await open();
    const issues: IssueAddress[] = [];
    for (let n = 0; n < 130; n += 1) {
      life.wait(1_000);
      issues.push(await life.report());
    }
    const [first, last] = [issues[0], issues.at(-1)];
    if (!first || !last) throw new Error("no issues");
    await life.people.comment(last, "mia", "@relay please look");
    let pages = 0;
    const busy: Tracker = {
      ...life.tracker,
      listIssues: async (...args) => {
        pages += 1;
        if (pages === 2) await life.people.comment(first, "mia", "@relay please look");
        return await life.tracker.listIssues(...args);
      },
    };
    expect(await life.compare({ tracker: busy })).toEqual([
      "commented: engage, wake now",
      "commented: engage, wake now",
    ]);
  });
});

describe("a comparison that fails", () => {
  test("loses nothing: the next one begins where it did", async () => {
    const life = await open();
    const issue = await life.report();
    await life.people.comment(issue, "mia", "@relay please look");
    const refused = async () =>
      await Promise.reject(new RelayError("rate_limited", "too many requests", { status: 429, retryAfterMs: 1_000 }));
    const limited: Tracker = { ...life.tracker, listChangedComments: refused };
    await expect(life.compare({ tracker: limited })).rejects.toMatchObject({ code: "rate_limited" });
    expect(await life.seenUntil()).toEqual({ seen_until: null });
    expect(await life.compare()).toEqual(["commented: engage, wake now"]);
    expect((await life.seenUntil()).seen_until).not.toBeNull();
  });

  test("deliveries that the tracker knows to be missing are logged where something is missing; that it does not tell is no failure", async () => {
    const life = await open();
    const at = new Date();
    const missed = [{ id: "1", event: "issue_comment.created", at, status: 502 }];
    const issue = await life.engaged();
    expect(await life.compare({ missedDeliveries: async () => await Promise.resolve(missed) })).toEqual([]);
    expect(life.lines.map(({ message }) => message)).not.toContain("deliveries did not arrive");
    await life.people.comment(issue, "ann", "second");
    await life.compare({ missedDeliveries: async () => await Promise.resolve(missed) });
    expect(life.lines).toContainEqual({
      message: "deliveries did not arrive",
      fields: { project_id: "shop", count: 1, first: { event: "issue_comment.created", at, status: 502 } },
    });
    const down = async () =>
      await Promise.reject(new RelayError("forbidden", "hooks may not be read", { status: 403 }));
    await life.people.comment(issue, "ann", "third");
    expect(await life.compare({ missedDeliveries: down })).toEqual(["edited: refresh, wake quiet"]);
  });
});

import { expect, test } from "vitest";
import { freshDatabase } from "../../test/support/database.ts";
import { transitions } from "../../test/support/transitions.ts";
import type { TrackerEvent } from "../domain/event.ts";
import { systemClock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import { snowflakes } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { overviewsOf } from "../storage/issue-overview.ts";
import { findIssue } from "../storage/issues.ts";
import { listMessages } from "../storage/messages.ts";
import { connectRepository } from "../storage/repositories.ts";
import { localPeople } from "../adapters/trackers/local/people.ts";
import { localTracker } from "../adapters/trackers/local/tracker.ts";
import type { Tracker, TrackerComment } from "../adapters/trackers/tracker.ts";
import { fetchDiscussion } from "./discussion.ts";
import { processEvent } from "./process.ts";
import { toMessages } from "./thread.ts";

const clock = systemClock;
const ids = snowflakes();

/** An issue of Ann's with a thread of so many comments, and an intake whose log can be read. */
async function open(comments: number) {
  const { db } = await freshDatabase();
  const tracker = localTracker(db, { bot: "relay", clock, ids });
  const people = localPeople(db, { clock, ids });
  await people.createProject("shop");
  await people.setMember("shop", "relay", "write", true);
  await people.setMember("shop", "ann", "write");
  const issue = await people.openIssue("shop", {
    number: null,
    title: "Wrong total",
    body: "The total is wrong.",
    author: "ann",
    labels: [],
    assignees: [],
    url: null,
    createdAt: clock.now(),
  });
  for (let n = 1; n <= comments; n += 1) {
    await people.comment(issue, "ann", `comment ${n}`, { at: new Date(1_700_000_000_000 + n * 1_000) });
  }
  const repository = await connectRepository(
    db,
    {
      workspace: "default",
      provider: "local",
      baseUrl: "local",
      botUsername: "relay",
      externalProjectId: "shop",
      cloneSource: null,
    },
    { clock, ids },
  );
  const lines: { fields: Record<string, unknown>; message: string }[] = [];
  const keep = (fields: Record<string, unknown>, message: string) => void lines.push({ fields, message });
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const process = async (event: TrackerEvent, by: Tracker = tracker) =>
    await processEvent(event, {
      db,
      tracker: by,
      repository,
      clock,
      ids,
      log,
      transition: transitions({ clock, ids }),
      detectLanguage: () => "en",
    });
  const thread = async () => {
    const stored = await findIssue(db, issue);
    return stored && (await listMessages(db, stored.id));
  };
  return { db, tracker, people, issue, log, lines, process, thread };
}

async function badGateway(): Promise<never> {
  return await Promise.reject(new RelayError("unavailable", "the tracker answered 502", { status: 502 }));
}

/** The tracker, but the page with this number does not come. */
function failingAt(tracker: Tracker, page: number): Tracker {
  let asked = 0;
  return {
    ...tracker,
    listComments: async (address, cursor) => {
      asked += 1;
      if (asked === page) return await badGateway();
      return await tracker.listComments(address, cursor);
    },
  };
}

test("the whole thread is fetched, page by page, and the numbers are logged (R-IN-5, R-IN-7)", async () => {
  const { issue, tracker, log, lines } = await open(250);
  const { messages } = await fetchDiscussion(issue, { tracker, log });
  expect(messages.map((message) => message.content)).toEqual(
    Array.from({ length: 250 }, (_, index) => `comment ${index + 1}`),
  );
  expect(messages.map((message) => message.seq)).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
  expect(lines).toEqual([
    {
      message: "discussion fetched",
      fields: { project_id: "shop", issue_iid: issue.externalIssueId, threads: 250, notes: 250, pages: 3 },
    },
  ]);
});

test("when any request fails, the stored thread stays as it was (R-IN-6)", async () => {
  const life = await open(250);
  await life.process(await life.people.assign(life.issue, "ann", "relay"));
  const before = await life.thread();
  expect(before).toHaveLength(250);
  const event = await life.people.comment(life.issue, "ann", "one more");
  const found: TrackerEvent = { ...event, kind: "edited", actor: "", commentId: null };
  const lame: Tracker = { ...life.tracker, listChangedComments: badGateway };
  const failing: [TrackerEvent, Tracker][] = [
    [event, lame],
    [event, { ...life.tracker, getIssue: badGateway }],
    [found, failingAt(life.tracker, 1)],
    [found, failingAt(life.tracker, 2)],
    [found, failingAt(life.tracker, 3)],
  ];
  for (const [told, tracker] of failing) {
    await expect(life.process(told, tracker)).rejects.toMatchObject({ code: "unavailable", retryable: true });
    expect(await life.thread()).toEqual(before);
    expect(life.lines.at(-1)?.fields).toMatchObject({
      existing_count: 250,
      error: "RelayError: the tracker answered 502",
    });
  }
  await life.process(event, failingAt(life.tracker, 1));
  expect(await life.thread()).toHaveLength(251);
});

test("on the way in, too: a fetch that fails leaves no half of an issue", async () => {
  const life = await open(150);
  const event = await life.people.assign(life.issue, "ann", "relay");
  await expect(life.process(event, failingAt(life.tracker, 2))).rejects.toThrow("502");
  expect(await life.thread()).toBeNull();
});

test("edits and deletions arrive with the next fetch", async () => {
  const life = await open(3);
  await life.process(await life.people.assign(life.issue, "ann", "relay"));
  const [first, second] = (await life.thread()) ?? [];
  if (!first || !second) throw new Error("no thread");
  await life.people.editComment(life.issue, first.externalId, "ann", "said better");
  await life.process(await life.people.deleteComment(life.issue, second.externalId, "ann"));
  const after = (await life.thread()) ?? [];
  expect(after.map(({ seq, content }) => [seq, content])).toEqual([
    [1, "said better"],
    [2, "comment 3"],
  ]);
  expect(after[0]?.editedAt).not.toBeNull();
});

test("running an event twice leaves what running it once does", async () => {
  const life = await open(3);
  const event = await life.people.assign(life.issue, "ann", "relay");
  await life.process(event);
  const once = await life.thread();
  await life.process(event);
  expect(await life.thread()).toEqual(once);
});

test("a reaction that the tracker refuses does not keep the event from its effect (R-LIFE-4)", async () => {
  const life = await open(1);
  const deaf: Tracker = {
    ...life.tracker,
    addReaction: async () => await Promise.reject(new RelayError("not_found", "the comment is gone", { status: 404 })),
  };
  const { issue } = await life.process(await life.people.assign(life.issue, "ann", "relay"), deaf);
  expect(issue?.state).toBe("pending_plan");
});

test("permissions are asked for only where somebody calls Relay", async () => {
  const life = await open(1);
  let asked = 0;
  const counting: Tracker = {
    ...life.tracker,
    permissionOf: async (...args) => {
      asked += 1;
      return await life.tracker.permissionOf(...args);
    },
  };
  await life.process(await life.people.comment(life.issue, "ann", "no call"), counting);
  await life.process({ ...life.issue, kind: "commented", actor: "relay", text: "I am @relay" }, counting);
  expect(asked).toBe(0);
  await life.process(await life.people.comment(life.issue, "ann", "@relay look"), counting);
  expect(asked).toBe(1);
});

/** Posted as many seconds after the epoch as its id says. */
const comment = (id: string, author: string, change: Partial<TrackerComment> = {}): TrackerComment => ({
  id,
  threadId: null,
  replyToId: null,
  author,
  isBot: false,
  body: id,
  createdAt: new Date(Number(id.slice(1)) * 1_000),
  editedAt: null,
  ...change,
});

test("a reply points at what it answers, or at the opening of its thread (R-IN-9)", () => {
  const issue = {
    provider: "gitlab" as const,
    externalProjectId: "shop",
    externalIssueId: "1",
    title: "t",
    body: "b",
    author: "Ann",
    state: "open" as const,
    labels: [],
    assignees: ["mia"],
    url: null,
    commentCount: 5,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
  const messages = toMessages(
    issue,
    [
      comment("c3", "Relay", { threadId: "t" }),
      comment("c1", "ann", { threadId: "t" }),
      comment("c2", "mia"),
      comment("c4", "guest", { replyToId: "c2" }),
      comment("c5", "guest", { replyToId: "deleted" }),
    ],
    "relay",
  );
  expect(messages.map(({ externalId, role, replyToSeq }) => [externalId, role, replyToSeq])).toEqual([
    ["c1", "reporter", null],
    ["c2", "assignee", null],
    ["c3", "self", 1],
    ["c4", "other", 2],
    ["c5", "other", null],
  ]);
});

test.each([true, false])("an issue that people moved to another project is known as such: %s", async (isMoved) => {
  const { db, tracker, people, issue, process } = await open(1);
  await process(await people.assign(issue, "ann", "relay"));
  const event = await people.setState(issue, "ann", "closed");
  const moved: Tracker = {
    ...tracker,
    getIssue: async (address) => ({ ...(await tracker.getIssue(address)), ...(isMoved ? { isMoved } : {}) }),
  };
  const { issue: stopped } = await process(event, moved);
  const id = stopped?.id ?? "";
  expect((await overviewsOf(db, [id]))(id)).toMatchObject({ isClosed: true, isMoved });
});

import { describe, expect, test } from "vitest";
import type { TrackerComment } from "../adapters/trackers/tracker.ts";
import { findOwnComment } from "./own-comment.ts";

const MARKER = "<!-- relay:action:1.1.0.0 -->";
const issue = { provider: "github" as const, externalProjectId: "acme/shop", externalIssueId: "7" };
const START = new Date("2026-01-01T00:00:00Z").getTime();
const minute = (n: number) => new Date(START + n * 60_000);

const comment = (n: number, change: Partial<TrackerComment> = {}): TrackerComment => ({
  id: String(n),
  threadId: null,
  replyToId: null,
  author: "ann",
  isBot: false,
  body: `comment ${n}`,
  createdAt: minute(n),
  editedAt: null,
  ...change,
});
const own = (n: number) => comment(n, { author: "Relay[bot]", body: `Hello\n\n${MARKER}\n` });

/** A tracker that counts what it is asked. */
function tracker(comments: TrackerComment[], tells = true) {
  const asked = { pages: 0, changes: 0 };
  return {
    asked,
    bot: "relay[bot]",
    listComments: async (_: unknown, cursor: string | null) => {
      asked.pages += 1;
      const from = Number(cursor ?? 0);
      const next = from + 100 < comments.length ? String(from + 100) : null;
      return await Promise.resolve({ comments: comments.slice(from, from + 100), next });
    },
    listChangedComments: async (_: unknown, since: Date) => {
      asked.changes += 1;
      return await Promise.resolve(tells ? comments.filter(({ createdAt }) => createdAt >= since) : null);
    },
  };
}

function stored(comments: TrackerComment[]) {
  return comments.map(({ id, threadId, author, body, createdAt, editedAt }) => ({
    role: author === "ann" ? ("reporter" as const) : ("self" as const),
    timestamp: createdAt,
    editedAt,
    content: body,
    externalId: id,
    externalThreadId: threadId,
  }));
}

describe("looking for a comment whose answer was lost, in a thread of 5,000 (R-ACT-5)", () => {
  const thread = Array.from({ length: 5_000 }, (_, n) => comment(n));

  test.each([
    ["with clocks that agree", minute(5_000)],
    ["with a clock of Relay's that is a day ahead", minute(5_000 + 24 * 60)],
    ["with one that is a day behind", minute(5_000 - 24 * 60)],
    ["where the time of the first try was not kept", null],
  ])("one request finds it, %s", async (_, firstTriedAt) => {
    const there = tracker([...thread, own(5_000), comment(5_001)]);
    const search = { issue, messages: stored(thread), firstTriedAt, tracker: there };
    expect(await findOwnComment(MARKER, search)).toMatchObject({ id: "5000" });
    expect(there.asked).toEqual({ pages: 0, changes: 1 });
  });

  test("one request tells that it was not posted", async () => {
    const there = tracker([...thread, comment(5_000, { body: `pasted\n\n${MARKER}` })]);
    const search = { issue, messages: stored(thread), firstTriedAt: minute(5_000), tracker: there };
    expect(await findOwnComment(MARKER, search)).toBeNull();
    expect(there.asked).toEqual({ pages: 0, changes: 1 });
  });

  test("none is needed where it came in with the thread since", async () => {
    const there = tracker([]);
    const messages = stored([...thread, own(5_000), comment(5_001)]);
    const search = { issue, messages, firstTriedAt: minute(5_000), tracker: there };
    expect(await findOwnComment(MARKER, search)).toMatchObject({ id: "5000", body: own(5_000).body });
    expect(there.asked).toEqual({ pages: 0, changes: 0 });
  });

  test("the whole is read where the tracker cannot tell what is new", async () => {
    const there = tracker([...thread, own(5_000)], false);
    const search = { issue, messages: stored(thread), firstTriedAt: null, tracker: there };
    expect(await findOwnComment(MARKER, search)).toMatchObject({ id: "5000" });
    expect(there.asked).toEqual({ pages: 51, changes: 1 });
  });

  test("a message from the future hides nothing", async () => {
    const future = comment(4_999, { createdAt: minute(99_999) });
    const there = tracker([...thread, own(5_000)]);
    const search = { issue, messages: stored([...thread, future]), firstTriedAt: minute(5_000), tracker: there };
    expect(await findOwnComment(MARKER, search)).toMatchObject({ id: "5000" });
  });
});

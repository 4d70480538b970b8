import { array, assert, asyncProperty, boolean, constantFrom, integer, record, uniqueArray } from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../test/support/database.ts";
import { trackedIssue, trackedRepository } from "../../test/support/tracked-issue.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { Db } from "./db.ts";
import { listMessages, saveThread } from "./messages.ts";

function message(seq: number, externalId: string, change: Partial<ThreadMessage> = {}): ThreadMessage {
  return {
    seq,
    author: "ann",
    role: "reporter",
    isBot: false,
    timestamp: new Date(seq * 1_000),
    editedAt: null,
    replyToSeq: null,
    content: `message ${externalId}`,
    externalId,
    externalThreadId: null,
    externalReplyId: null,
    ...change,
  };
}

async function issueIn(db: Db) {
  return await trackedIssue(db, (await trackedRepository(db)).id);
}

const part = record({
  externalId: integer({ min: 1, max: 30 }).map((n) => `c${n}`),
  content: constantFrom("one", "two", "three 🧵"),
  role: constantFrom("reporter", "assignee", "self", "other"),
  isBot: boolean(),
  editedAt: constantFrom(null, new Date(5_000)),
  replyToSeq: constantFrom(null, 1, 2),
  externalThreadId: constantFrom(null, "t1"),
  externalReplyId: constantFrom(null, "c1", "gone"),
});
const thread = uniqueArray(part, { selector: ({ externalId }) => externalId, maxLength: 25 }).map((parts) =>
  parts.map((one, index) => message(index + 1, one.externalId, one)),
);

test("whatever was stored, the thread is then the one that was saved", async () => {
  const { db } = await freshDatabase();
  const issue = await issueIn(db);
  const property = asyncProperty(array(thread, { minLength: 1, maxLength: 4 }), async (threads) => {
    for (const one of threads) {
      await saveThread(db, issue.id, one);
      expect(await listMessages(db, issue.id)).toEqual(one);
    }
  });
  await assert(property, { numRuns: 40 });
});

test("only what differs is written, however long the thread is", async () => {
  const { db } = await freshDatabase();
  const issue = await issueIn(db);
  const long = Array.from({ length: 5_000 }, (_, n) => message(n + 1, `c${n}`));
  await saveThread(db, issue.id, long);
  const written = async (next: ThreadMessage[]) =>
    await db.transaction(async (tx) => {
      await saveThread(tx, issue.id, next);
      const rows = z.object({ count: z.number() });
      // Rows that this transaction made; one in a savepoint has the number of that.
      const sql = `select count(*)::int as count from messages where xmin::text::bigint >= pg_current_xact_id()::text::bigint`;
      return (await tx.one(rows, sql, [])).count;
    });
  const more = [...long, message(5_001, "c5000")];
  expect(await written(long)).toBe(0);
  expect(await written(more)).toBe(1);
  expect(await written(more.map((one) => (one.seq === 17 ? { ...one, content: "said better" } : one)))).toBe(1);
});

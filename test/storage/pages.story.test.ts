import { expect, test } from "vitest";
import { z } from "zod";
import { EVERYTHING, type Sight } from "../../src/domain/sight.ts";
import { overviewsOf } from "../../src/storage/issue-overview.ts";
import { callsInWindow, issuesInWindow } from "../../src/storage/pages.ts";
import type { Db } from "../../src/storage/db.ts";
import { freshDatabase } from "../support/database.ts";
import { addManyIssues } from "../support/many-issues.ts";

const ROWS = z.object({ rows: z.coerce.number() });

/** Rows that the work reads; what has an index is read by it, however few rows there are. */
async function rowsRead(db: Db, work: (tx: Db) => Promise<unknown>): Promise<number> {
  return await db.transaction(async (tx) => {
    await tx.execute("set local enable_seqscan = off", []);
    const sql = `select sum(seq_tup_read + idx_tup_fetch) as rows from pg_stat_xact_user_tables`;
    const before = (await tx.one(ROWS, sql, [])).rows;
    await work(tx);
    return (await tx.one(ROWS, sql, [])).rows - before;
  });
}

test("a page reads as many rows as it looks at, not all that there are (R-SCALE-1)", async () => {
  const { db } = await freshDatabase();
  await addManyIssues(db, { repositories: 5, issues: 2_500, messagesPerIssue: 1 });
  const repositories = (
    await db.query(z.object({ id: z.string() }), "select id from repositories order by id", [])
  ).map(({ id }) => id);
  // A quiet one, whose issues changed long ago.
  const quiet = repositories.at(-1) ?? "";
  await db.execute(`update issues set repository_id = $1 where repository_id = $2 and id > 25000`, [
    repositories[0],
    quiet,
  ]);
  await db.execute("analyze issues", []);
  const some: Sight = { login: "bob", repositories: repositories.slice(0, 2), triages: [] };
  const page = {
    sight: EVERYTHING,
    repositories: null,
    openOnly: false,
    states: null,
    query: "",
    before: null,
    window: 51,
  };
  const pages = {
    all: page,
    open: { ...page, openOnly: true },
    "of one repository": { ...page, repositories: repositories.slice(0, 1) },
    "of a quiet repository": { ...page, repositories: [quiet] },
    "that somebody may see": { ...page, sight: some },
    "open, of one repository": { ...page, repositories: repositories.slice(1, 2), openOnly: true },
    "searched for in vain": { ...page, query: "nothing like it" },
    "of a rare state": { ...page, openOnly: true, states: ["failed"] as const },
  };
  for (const [what, wanted] of Object.entries(pages)) {
    const read = await rowsRead(db, async (tx) => await issuesInWindow(tx, wanted));
    expect([what, read]).toEqual([what, expect.toSatisfy((rows: number) => rows > 5 && rows < 600)]);
  }
  const newest = await issuesInWindow(db, page);
  const overviews = await rowsRead(
    db,
    async (tx) =>
      await overviewsOf(
        tx,
        newest.map(({ id }) => id),
      ),
  );
  // 20 entries of the record of each, 6 calls, 3 questions, …
  expect(overviews).toBeLessThan(51 * 150);
  const calls = await rowsRead(
    db,
    async (tx) => await callsInWindow(tx, { sight: some, issueId: null, before: null, window: 100 }),
  );
  expect(calls).toBeLessThan(500);
});

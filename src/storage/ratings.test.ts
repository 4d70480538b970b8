import { expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../test/support/database.ts";
import { trackedIssue, trackedRepository } from "../../test/support/tracked-issue.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import { listAudit } from "./audit.ts";
import { beginCycle } from "./cycles.ts";
import { addEval } from "./model-calls.ts";
import { rateOutcome } from "./ratings.ts";

const now = { clock: systemClock, ids: snowflakes() };

test("a rating stands with the outcome of its cycle; a later one replaces it, and the record keeps both", async () => {
  const { db } = await freshDatabase();
  const issue = await trackedIssue(db, (await trackedRepository(db)).id);
  expect(await rateOutcome(db, issue.id, null, { stars: 4, note: null, by: "mia" }, now)).toBeNull();
  for (const reasoning of ["first", "second"]) {
    const { id: cycleId } = await beginCycle(db, issue.id, { planner: "offline", reasoning }, now);
    const entry = { issueId: issue.id, cycleId, model: "offline", input: {}, output: {}, latencyMs: 1 };
    await addEval(db, { ...entry, stage: "planner" }, now);
  }
  expect(await rateOutcome(db, issue.id, null, { stars: 2, note: "asks too much", by: "mia" }, now)).toBe(2);
  expect(await rateOutcome(db, issue.id, 1, { stars: 5, note: null, by: "ann" }, now)).toBe(1);
  expect(await rateOutcome(db, issue.id, 2, { stars: 3, note: null, by: "mia" }, now)).toBe(2);
  expect(await rateOutcome(db, issue.id, 9, { stars: 3, note: null, by: "mia" }, now)).toBeNull();
  const row = z.object({ rating: z.number(), rating_note: z.string().nullable(), rated_by: z.string() });
  expect(await db.query(row, "select rating, rating_note, rated_by from llm_evals order by id", [])).toEqual([
    { rating: 5, rating_note: null, rated_by: "ann" },
    { rating: 3, rating_note: null, rated_by: "mia" },
  ]);
  const rated = (await listAudit(db, issue.id)).filter((entry) => entry.what === "outcome.rated");
  expect(rated.map((entry) => entry.why)).toEqual(["asks too much", null, null]);
});

import { array, assert, asyncProperty, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type TestDatabase, connectAgain, freshDatabase, quotaStore } from "../../../../test/support/database.ts";
import { type Priority, PRIORITIES } from "../../../lib/priority.ts";
import { hourlySpacing, spacingFor, spacingOf } from "./write-turns.ts";

const MINUTE = 60_000;
const momentsSchema = z.object({ turn: z.number(), now: z.number() });

type Queries = Pick<TestDatabase["db"], "maybeOne">;

/** Notes when each turn is, by the clock of the database. */
function watched(db: Queries, turns: number[]): Queries {
  return {
    maybeOne: async (row, sql, parameters) => {
      const found = await db.maybeOne(row, sql, parameters);
      const moments = momentsSchema.safeParse(found).data;
      if (moments && sql.startsWith("insert")) turns.push(Math.max(moments.turn, moments.now));
      return found;
    },
  };
}

test("no minute has more writes than are allowed, however many processes ask and whatever the pauses", async () => {
  const { connection } = await freshDatabase();
  const pools = [1, 2, 3].map(() => connectAgain(connection, 3));
  let run = 0;
  await assert(
    asyncProperty(
      integer({ min: 2, max: 30 }),
      integer({ min: 1, max: 40 }),
      array(integer({ min: 1, max: 3 }), { maxLength: 60 }),
      async (perMinute, burst, asked) => {
        run += 1;
        const turns: number[] = [];
        const spacing = spacingOf({ perMinute, burst }, 60 * MINUTE);
        const takes = asked.map(async (who) => {
          const pool = pools[who - 1];
          return pool ? await quotaStore(watched(pool, turns)).takeTurn(`q${run}`, spacing) : null;
        });
        await Promise.all(takes);
        turns.sort((a, b) => a - b);
        expect(turns).toHaveLength(asked.length);
        const crowded = turns.filter((turn, at) => (turns[at + perMinute] ?? Infinity) - turn < MINUTE - 1);
        expect(crowded).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
});

test("a burst goes out at once, and then one after another", async () => {
  const { db } = await freshDatabase();
  const spacing = spacingOf({ perMinute: 12, burst: 10 }, 60 * MINUTE);
  expect(spacing.interval).toBe(30_000);
  const waits: number[] = [];
  for (let n = 0; n < 16; n += 1) {
    const turn = await quotaStore(db).takeTurn("q", spacing);
    waits.push(turn.kind === "taken" ? turn.waitMs : Infinity);
  }
  expect(waits.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 0));
  // What is left of each wait depends on how fast this runs, but not on which side of its neighbours it is.
  expect(waits.slice(10)).toEqual(waits.slice(10).toSorted((a, b) => a - b));
  expect(waits.at(-1)).toBeGreaterThan(waits.at(10) ?? Infinity);
});

test("a turn too far off is told and not taken", async () => {
  const { db } = await freshDatabase();
  const spacing = spacingOf({ perMinute: 2, burst: 1 }, 10_000);
  expect(await quotaStore(db).takeTurn("q", spacing)).toEqual({ kind: "taken", waitMs: 0 });
  const refused = await quotaStore(db).takeTurn("q", spacing);
  expect(refused.kind).toBe("full");
  expect(refused.waitMs).toBeGreaterThan(10_000);
  const again = await quotaStore(db).takeTurn("q", spacing);
  expect(again.waitMs).toBeLessThanOrEqual(refused.waitMs);
});

test("a clock that was set back does not hold up writing", async () => {
  const { db } = await freshDatabase();
  const spacing = spacingOf({ perMinute: 80, burst: 10 }, 10_000);
  await db.execute(
    "insert into tracker_quotas (quota, next_write_at, updated_at) values ('q', now() + interval '1 day', now())",
    [],
  );
  expect(await quotaStore(db).takeTurn("q", spacing)).toEqual({ kind: "taken", waitMs: 0 });
});

describe("turns of a priority", () => {
  const BUDGET = hourlySpacing(500, 10_000);
  /** The same with turns so far apart that none comes due while a slow machine asks for hundreds of them. */
  const AGES = {
    ...BUDGET,
    interval: 1_000 * BUDGET.interval,
    tolerance: 1_000 * BUDGET.tolerance,
    furthest: 1_000 * BUDGET.furthest,
  };

  test("background may take two fifths of a burst, normal writes four fifths, direct ones all", () => {
    const atOnce = PRIORITIES.map((priority) => spacingFor(priority, BUDGET).tolerance / BUDGET.interval + 1);
    expect(atOnce.map(Math.round)).toEqual([250, 200, 100]);
  });

  test("whatever the burst, the more urgent may come earlier, and nobody else before the next turn of one", () => {
    assert(
      property(integer({ min: 1, max: 500 }), integer({ min: 1, max: 500 }), (perMinute, burst) => {
        const spacing = spacingOf({ perMinute, burst }, 10_000);
        const [direct, normal, background] = PRIORITIES.map((priority) => spacingFor(priority, spacing));
        expect(direct).toEqual(spacing);
        expect(normal?.tolerance).toBeLessThanOrEqual(spacing.tolerance);
        expect(normal?.tolerance).toBeGreaterThanOrEqual(0);
        expect(background?.tolerance).toBeLessThan(normal?.tolerance ?? 0);
        expect(background?.tolerance).toBeGreaterThanOrEqual(-spacing.interval);
        expect(new Set([direct, normal, background].map((one) => one?.furthest)).size).toBe(1);
      }),
    );
  });

  test("background gets none while a more urgent write waits, and one that is not early when nobody does", async () => {
    const { db } = await freshDatabase();
    const store = quotaStore(db);
    const spacing = spacingOf({ perMinute: 12, burst: 1 }, 10_000);
    expect(await store.takeTurn("q", spacingFor("background", spacing))).toEqual({ kind: "taken", waitMs: 0 });
    const waiting = await store.takeTurn("q", spacingFor("direct", spacing));
    expect(waiting.kind).toBe("taken");
    expect(waiting.waitMs).toBeGreaterThan(0);
    const refused = await store.takeTurn("q", spacingFor("background", spacing));
    expect(refused.kind).toBe("full");
    expect(refused.waitMs).toBeGreaterThan(waiting.waitMs + spacing.interval);
  });

  test("what background took of the hour leaves most of it to people, however much of it waits", async () => {
    const { db } = await freshDatabase();
    const store = quotaStore(db);
    const asks = async (priority: Priority, count: number) => {
      const turns: string[] = [];
      for (let n = 0; n < count; n += 1) turns.push((await store.takeTurn("q", spacingFor(priority, AGES))).kind);
      return turns.filter((kind) => kind === "taken").length;
    };
    expect(await asks("background", 300)).toBe(100);
    expect(await asks("normal", 300)).toBe(100);
    expect(await asks("background", 10)).toBe(0);
    expect(await asks("direct", 49)).toBe(49);
  });
});

test("what goes first gets a turn where other direct writes fill the line", async () => {
  const { db } = await freshDatabase();
  const spacing = spacingOf({ perMinute: 20, burst: 5 }, 10_000);
  const take = async (first: boolean) => await quotaStore(db).takeTurn("q", spacingFor("direct", spacing, first));
  let other = await take(false);
  while (other.kind === "taken") other = await take(false);
  expect(await take(true)).toMatchObject({ kind: "taken" });
  // Its turn counts for all.
  expect(await take(false)).toMatchObject({ kind: "full", waitMs: expect.any(Number) });
});

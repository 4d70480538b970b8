import { array, assert, asyncProperty, constantFrom, integer, nat, option, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { PRIORITIES } from "../../../lib/priority.ts";
import { freshDatabase, quotaStore } from "../../../../test/support/database.ts";
import type { QuotaNews } from "./quota.ts";
import { type Asked, type Standing, NOTHING_KNOWN, STORED_BOUNDS, newsOf, waitOf, withNews } from "./quota-state.ts";

const NONE: QuotaNews = { limit: null, remaining: null, resetsInMs: null, blockedForMs: null };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ASKED: Asked = { kind: "read", priority: "normal", spent: 0, reserve: 50, windowMs: HOUR, now: 0 };

function after(...news: Partial<QuotaNews>[]): Standing {
  return news.reduce((standing: Standing, each) => withNews(standing, { ...NONE, ...each }, 0), NOTHING_KNOWN);
}

describe("what is known of a limit", () => {
  test("goes down within a window, in whatever order answers come", () => {
    const window = { resetsInMs: MINUTE };
    expect(after({ remaining: 7, ...window }, { remaining: 9, resetsInMs: MINUTE + 1_000 })).toMatchObject({
      remaining: 7,
    });
    expect(after({ remaining: 9, ...window }, { remaining: 7, ...window })).toMatchObject({ remaining: 7 });
  });

  test("is replaced by a newer window, not by an older one", () => {
    expect(after({ remaining: 1, resetsInMs: MINUTE }, { remaining: 99, resetsInMs: 2 * MINUTE })).toMatchObject({
      remaining: 99,
      resetsAt: 2 * MINUTE,
    });
    expect(after({ remaining: 99, resetsInMs: 2 * MINUTE }, { remaining: 1, resetsInMs: MINUTE })).toMatchObject({
      remaining: 99,
      resetsAt: 2 * MINUTE,
    });
  });

  test("is forgotten when its window is over", () => {
    const standing = after({ remaining: 0, resetsInMs: MINUTE });
    expect(waitOf(standing, { ...ASKED, kind: "write", reserve: 0, now: MINUTE - 1 })).toBe(1);
    expect(waitOf(standing, { ...ASKED, kind: "write", spent: 5, reserve: 5, now: MINUTE })).toBe(0);
    expect(withNews(standing, { ...NONE, remaining: 9, resetsInMs: 500 }, MINUTE)).toMatchObject({ remaining: 9 });
  });

  test("keeps the longer of two blocks, and none for ever", () => {
    expect(after({ blockedForMs: 9_000 }, { blockedForMs: 3_000 })).toMatchObject({ blockedUntil: 9_000 });
    expect(after({ blockedForMs: 1e12 })).toMatchObject({ blockedUntil: 60 * MINUTE });
    expect(after({ remaining: 0, resetsInMs: 1e12 })).toMatchObject({ resetsAt: 65 * MINUTE });
  });
});

describe("who may go", () => {
  test.each([
    ["reading leaves the reserve", { limit: 5_000, remaining: 50 }, MINUTE, 0],
    ["above it all may go", { limit: 5_000, remaining: 51 }, 0, 0],
    ["a small window has a small reserve", { limit: 60, remaining: 4 }, 0, 0],
    ["a small window has a reserve", { limit: 60, remaining: 3 }, MINUTE, 0],
    ["where the size of a window is unknown, an answer will tell", { remaining: 1 }, 0, 0],
    ["at the end nobody goes", { limit: 5_000, remaining: 0 }, MINUTE, MINUTE],
    ["in a block nobody goes", { limit: 5_000, remaining: 99, blockedForMs: 7 }, 7, 7],
  ])("%s", (_, news, read, write) => {
    const standing = after({ ...news, resetsInMs: MINUTE });
    expect(waitOf(standing, { ...ASKED, kind: "read" })).toBe(read);
    expect(waitOf(standing, { ...ASKED, kind: "write" })).toBe(write);
  });

  test("what is on its way counts", () => {
    const standing = after({ limit: 5_000, remaining: 60, resetsInMs: MINUTE });
    expect(waitOf(standing, { ...ASKED, kind: "read", spent: 9 })).toBe(0);
    expect(waitOf(standing, { ...ASKED, kind: "read", spent: 10 })).toBe(MINUTE);
  });
});

describe("priorities", () => {
  const wait = (
    priority: Asked["priority"],
    remaining: number,
    resetsInMs = 50 * MINUTE,
    kind: Asked["kind"] = "read",
  ) => waitOf(after({ limit: 5_000, remaining, resetsInMs }), { ...ASKED, priority, kind });

  test("direct requests may use the last of a window, normal ones leave the reserve", () => {
    expect([wait("direct", 1), wait("direct", 0)]).toEqual([0, 50 * MINUTE]);
    expect([wait("normal", 51), wait("normal", 50)]).toEqual([0, 50 * MINUTE]);
    expect([wait("normal", 26, MINUTE, "write"), wait("normal", 25, MINUTE, "write")]).toEqual([0, MINUTE]);
  });

  test("background leaves half of a window to the end, and uses the rest no faster than the window passes", () => {
    expect(wait("background", 200)).toBe(50 * MINUTE);
    expect(wait("background", 2_500, 1)).toBe(1);
    expect(wait("background", 2_501, 1)).toBe(0);
    // A tenth at once at the beginning, and three tenths by the middle.
    expect(wait("background", 4_501, HOUR)).toBe(0);
    expect(wait("background", 3_501, HOUR / 2)).toBe(0);
    expect(wait("background", 3_500, HOUR / 2)).toBeGreaterThan(0);
  });

  test("background that waits does so until there is room for more than one request", () => {
    const ms = wait("background", 4_500, HOUR);
    expect(ms).toBeCloseTo(1.5 * MINUTE, -1);
    expect(wait("background", 4_500 - 49, HOUR - ms)).toBe(0);
  });

  const standing = record({
    limit: constantFrom(60, 600, 2_000, 5_000, 15_000),
    share: integer({ min: 0, max: 1_000 }),
    resetsInMs: integer({ min: 1, max: 2 * HOUR }),
    blockedForMs: option(integer({ min: 1, max: HOUR })),
    spent: nat(100),
    windowMs: constantFrom(MINUTE, HOUR),
    kind: constantFrom<Asked["kind"]>("read", "write", "reaction"),
  });

  test("no wait is negative or longer than the window and the block; the more urgent waits no longer", () => {
    assert(
      property(standing, ({ limit, share, resetsInMs, blockedForMs, ...more }) => {
        const remaining = Math.floor((limit * share) / 1_000);
        const known = after({ limit, remaining, resetsInMs, blockedForMs });
        const ms = (["direct", "normal", "background"] as const).map((priority) =>
          waitOf(known, { ...ASKED, ...more, priority }),
        );
        expect(ms).toEqual(ms.toSorted((one, other) => one - other));
        expect(ms[0]).toBeGreaterThanOrEqual(0);
        expect(ms[2]).toBeLessThanOrEqual(Math.max(Math.min(resetsInMs, 65 * MINUTE), blockedForMs ?? 0));
      }),
    );
  });

  test("background never goes below its half, and what it waits for comes", () => {
    assert(
      property(standing, ({ limit, share, resetsInMs, blockedForMs, ...more }) => {
        const remaining = Math.floor((limit * share) / 1_000);
        const known = after({ limit, remaining, resetsInMs, blockedForMs });
        const asked = { ...ASKED, ...more, priority: "background" as const };
        const ms = waitOf(known, asked);
        expect(ms > 0 || remaining - more.spent > limit / 2).toBe(true);
        expect(waitOf(known, { ...asked, now: Math.ceil(ms) })).toBe(0);
      }),
    );
  });

  test("more that is left, and more time that has passed, let nobody wait longer", () => {
    assert(
      property(standing, nat(500), nat(HOUR), constantFrom(...PRIORITIES), (one, more, later, priority) => {
        const remaining = Math.floor((one.limit * one.share) / 1_000);
        const { limit, resetsInMs, blockedForMs, ...asked } = one;
        const at = (left: number, now: number) =>
          waitOf(after({ limit, remaining: left, resetsInMs, blockedForMs }), { ...ASKED, ...asked, priority, now }) +
          now;
        expect(at(remaining + more, 0)).toBeLessThanOrEqual(at(remaining, 0));
        expect(at(remaining, later)).toBeLessThanOrEqual(Math.max(at(remaining, 0), later) + 0.001);
      }),
    );
  });
});

test("the database joins what it is told as a process does", async () => {
  const { db } = await freshDatabase();
  // Further apart, or closer together, than what makes one window, so that it does not matter how fast this runs.
  const news = record({
    limit: constantFrom(null),
    remaining: option(nat(5)),
    resetsInMs: option(constantFrom(600_000, 601_000, 1_200_000, 1_201_000)),
    blockedForMs: option(constantFrom(300_000, 900_000)),
  });
  let run = 0;
  await assert(
    asyncProperty(array(news, { minLength: 1, maxLength: 6 }), async (told) => {
      run += 1;
      let standing = NOTHING_KNOWN;
      let stored: Omit<QuotaNews, "limit"> | null = null;
      for (const each of told) {
        standing = withNews(standing, each, 0);
        // A process tells only windows of which it knows both ends.
        const report = { ...newsOf(withNews(NOTHING_KNOWN, each, 0), 0), requests: 1 };
        stored = await quotaStore(db).merge(`q${run}`, report, STORED_BOUNDS);
      }
      const expected = newsOf(standing, 0);
      expect(stored).toMatchObject({ remaining: expected.remaining });
      const close = (a: number | null = null, b: number | null) =>
        a === null || b === null ? a === b : Math.abs(a - b) < 60_000;
      expect(close(stored?.resetsInMs, expected.resetsInMs)).toBe(true);
      expect(close(stored?.blockedForMs, expected.blockedForMs)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

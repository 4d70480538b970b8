import { assert, constantFrom, dictionary, double, integer, oneof, property, stringMatching } from "fast-check";
import { describe, expect, test } from "vitest";
import { limitsOf } from "./limits.ts";

const SENT = Date.parse("2026-01-01T10:00:00Z");
const seconds = SENT / 1_000;
const DATE = { date: "Thu, 01 Jan 2026 10:00:00 GMT" };

function limits(status: number, headers: Record<string, string>, { said = "", quota = "q" } = {}) {
  // The clock of this process is wrong by a year; only answers without a date are measured by it.
  return limitsOf({ status, headers: new Headers({ ...DATE, ...headers }), said, quota }, new Date(SENT + 3e10));
}

describe("what the headers tell", () => {
  test("GitHub's window", () => {
    const headers = {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "4999",
      "x-ratelimit-reset": String(seconds + 60),
      "x-ratelimit-resource": "core",
    };
    expect(limits(200, headers)).toEqual({
      news: { limit: 5_000, remaining: 4_999, resetsInMs: 61_000, blockedForMs: null },
      limited: false,
      retryAfterMs: null,
    });
  });

  test("GitLab's window", () => {
    const headers = {
      "RateLimit-Limit": "2000",
      "RateLimit-Observed": "5",
      "RateLimit-Remaining": "1995",
      "RateLimit-Reset": String(seconds + 30),
    };
    expect(limits(200, headers).news).toEqual({
      limit: 2_000,
      remaining: 1_995,
      resetsInMs: 31_000,
      blockedForMs: null,
    });
  });

  test("nothing, where there are none", () => {
    expect(limits(200, {})).toEqual({
      news: { limit: null, remaining: null, resetsInMs: null, blockedForMs: null },
      limited: false,
      retryAfterMs: null,
    });
  });

  test("a window that is over is none", () => {
    expect(limits(200, { "x-ratelimit-reset": String(seconds - 5) }).news.resetsInMs).toBeNull();
  });

  test("what GitHub counts apart concerns only the quota that is named after it", () => {
    const graphql = {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(seconds + 60),
      "x-ratelimit-resource": "graphql",
    };
    expect(limits(200, graphql).news.remaining).toBeNull();
    expect(limits(200, graphql, { quota: "q:graphql" }).news.remaining).toBe(0);
    expect(limits(403, graphql)).toMatchObject({ limited: true, retryAfterMs: 61_000, news: { blockedForMs: null } });
    const secondary = limits(403, { ...graphql, "retry-after": "30" });
    expect(secondary).toMatchObject({ retryAfterMs: 30_000, news: { blockedForMs: 30_000 } });
  });
});

describe("what is a limit", () => {
  test.each([
    ["429 with seconds", 429, { "retry-after": "12" }, "", 12_000],
    ["429 with a date", 429, { "retry-after": "Thu, 01 Jan 2026 10:00:30 GMT" }, "", 30_000],
    ["429 that does not say for how long", 429, {}, "", 60_000],
    [
      "429 at the end of a window",
      429,
      { "ratelimit-remaining": "0", "ratelimit-reset": `${seconds + 9}` },
      "",
      10_000,
    ],
    ["403 with Retry-After", 403, { "retry-after": "60" }, "", 60_000],
    [
      "403 at the end of a window",
      403,
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${seconds + 9}` },
      "",
      10_000,
    ],
    ["403 in words", 403, {}, "You have exceeded a secondary rate limit. Please wait", 60_000],
    ["403 in older words", 403, {}, "You have triggered an abuse detection mechanism", 60_000],
    ["a wait of a day", 429, { "retry-after": "86400" }, "", 3_600_000],
    ["no wait at all", 429, { "retry-after": "0" }, "", 1_000],
    ["a date in the past", 429, { "retry-after": "Thu, 01 Jan 2026 09:00:00 GMT" }, "", 1_000],
    ["a wait that is no time", 429, { "retry-after": "-5" }, "", 60_000],
  ])("%s", (_, status, headers, said, ms) => {
    expect(limits(status, headers, { said })).toMatchObject({
      limited: true,
      retryAfterMs: ms,
      news: { blockedForMs: ms },
    });
  });

  test("a 403 with requests left is a lack of permission", () => {
    expect(limits(403, { "x-ratelimit-remaining": "4000" }, { said: "Resource not accessible" })).toMatchObject({
      limited: false,
      retryAfterMs: null,
      news: { blockedForMs: null },
    });
  });

  test("a server that is down for a while holds up one call, not all", () => {
    expect(limits(503, { "retry-after": "120" })).toMatchObject({
      limited: false,
      retryAfterMs: 120_000,
      news: { blockedForMs: null },
    });
  });
});

test("no header makes a wait of no end, of less than a second, or of no number", () => {
  const value = oneof(stringMatching(/^[\x20-\x7e]{0,20}$/), integer().map(String), double().map(String));
  const names = [
    "date",
    "retry-after",
    "x-ratelimit-reset",
    "x-ratelimit-remaining",
    "ratelimit-reset",
    "ratelimit-limit",
  ];
  const headers = dictionary(constantFrom(...names), value);
  assert(
    property(headers, constantFrom(200, 403, 429, 503), (given, status) => {
      const { news, retryAfterMs } = limitsOf(
        { status, headers: new Headers(given), said: "", quota: "q" },
        new Date(),
      );
      for (const ms of [news.resetsInMs, news.blockedForMs, retryAfterMs]) {
        expect(ms === null || (ms >= 1_000 && ms <= 65 * 60_000)).toBe(true);
      }
    }),
  );
});

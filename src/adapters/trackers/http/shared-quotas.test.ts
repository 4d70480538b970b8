import { describe, expect, test } from "vitest";
import {
  type TestDatabase,
  connectAgain,
  freshDatabase,
  listQuotas,
  quotaStore,
} from "../../../../test/support/database.ts";
import { answerJson, serveOnLoopback } from "../../../../test/support/loopback.ts";
import { sleep, systemClock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import { silentLog } from "../../../lib/log.ts";
import type { QuotaNews } from "./quota.ts";
import { github } from "../github/provider.ts";
import { gitlab } from "../gitlab/provider.ts";
import { type QuotaRules, sharedQuotas } from "./shared-quotas.ts";
import { createTrackerHttp } from "./tracker-http.ts";

const RULES: QuotaRules = { reserve: 50, writes: null };
const MINUTE = 60_000;

function news(more: Partial<QuotaNews>): QuotaNews {
  return { limit: 5_000, remaining: 4_000, resetsInMs: 30 * MINUTE, blockedForMs: null, ...more };
}

/** One process: its own connections, its own clock, what it asked of the database, and how it slept. */
function processOn(connection: TestDatabase["connection"], rules: QuotaRules = RULES) {
  const db = connectAgain(connection);
  const state = { now: 0, statements: 0, down: false, slept: Array<number>() };
  const counted: Pick<TestDatabase["db"], "maybeOne"> = {
    maybeOne: async (row, sql, parameters) => {
      state.statements += 1;
      if (state.down) throw new RelayError("unavailable", "the database is down");
      return await db.maybeOne(row, sql, parameters);
    },
  };
  const nap = async (ms: number) => {
    state.slept.push(ms);
    state.now += ms;
    await sleep(ms);
  };
  const deps = { store: quotaStore(counted), sleep: nap, elapsed: () => state.now, log: silentLog };
  return { state, quotas: sharedQuotas(deps, rules) };
}

async function refused(call: Promise<void>): Promise<RelayError> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RelayError) return error;
  throw new Error("a refusal was expected", { cause: error });
}

test("reactions and comments have turns of their own: neither waits behind the other", async () => {
  const { connection } = await freshDatabase();
  const lanes = { reserve: 50, writes: { perMinute: 40, burst: 2 }, reactions: { perMinute: 40, burst: 3 } };
  const { state, quotas } = processOn(connection, lanes);
  for (let n = 0; n < 2; n += 1) await quotas.admit("q", "write");
  for (let n = 0; n < 3; n += 1) await quotas.admit("q", "reaction");
  expect(state.slept).toEqual([]);
  await quotas.admit("q", "reaction");
  expect(state.slept).toHaveLength(1);
});

test("requests of all processes are counted, with the limit that the tracker told, for the metrics", async () => {
  const { db, connection } = await freshDatabase();
  for (const requests of [3, 2]) {
    const { state, quotas } = processOn(connection);
    for (let n = 0; n < requests; n += 1) await quotas.admit("q", "read");
    state.now += 2_000;
    await quotas.observe("q", news({ remaining: 4_000 }));
  }
  expect(await listQuotas(db)).toEqual([
    { quota: "q", requests: 5, remaining: 4_000, allowed: 5_000, blockedSeconds: 0 },
  ]);
});

describe("what one process learns holds for the others", () => {
  test("a block", async () => {
    const { connection } = await freshDatabase();
    const [one, other] = [processOn(connection), processOn(connection)];
    await one.quotas.admit("q", "read");
    await one.quotas.observe("q", news({ blockedForMs: 20 * MINUTE }));
    for (const kind of ["read", "write"] as const) {
      const error = await refused(other.quotas.admit("q", kind));
      expect(error).toMatchObject({ code: "rate_limited", retryable: true, status: 429 });
      expect(error.retryAfterMs).toBeLessThanOrEqual(20 * MINUTE);
      expect(error.retryAfterMs).toBeGreaterThan(10 * MINUTE);
    }
    await other.quotas.admit("another", "read");
  });

  test("a block that began while both were at work, within a second", async () => {
    const { connection } = await freshDatabase();
    const [one, other] = [processOn(connection), processOn(connection)];
    await one.quotas.admit("q", "read");
    await other.quotas.admit("q", "read");
    await one.quotas.observe("q", news({ blockedForMs: 20 * MINUTE }));
    other.state.now += 1_000;
    await expect(other.quotas.admit("q", "read")).rejects.toMatchObject({ code: "rate_limited" });
  });

  test("that only the reserve is left: answers still go out, reading does not", async () => {
    const { connection } = await freshDatabase();
    const [one, other] = [processOn(connection), processOn(connection)];
    await other.quotas.observe("q", news({ remaining: 400 }));
    await one.quotas.observe("q", news({ remaining: 50 }));
    other.state.now += 1_000;
    await expect(other.quotas.admit("q", "read")).rejects.toMatchObject({ code: "rate_limited" });
    await other.quotas.admit("q", "write");
    await one.quotas.observe("q", news({ remaining: 0 }));
    other.state.now += 1_000;
    await expect(other.quotas.admit("q", "write")).rejects.toMatchObject({ code: "rate_limited" });
  });
});

test("reading asks the database once a second, however much is read", async () => {
  const { connection } = await freshDatabase();
  const one = processOn(connection);
  for (let second = 1; second <= 3; second += 1) {
    const calls = Array.from({ length: 100 }, async (_, n) => {
      await one.quotas.admit("q", "read");
      await one.quotas.observe("q", news({ remaining: 4_000 - n }));
    });
    await Promise.all(calls);
    expect(one.state.statements).toBe(second);
    one.state.now += 1_000;
  }
});

test("calls that get no answer do not use up the window", async () => {
  const { connection } = await freshDatabase();
  const one = processOn(connection);
  await one.quotas.observe("q", news({ remaining: 60 }));
  for (let second = 0; second < 20; second += 1) {
    await one.quotas.admit("q", "read");
    one.state.now += 1_000;
  }
  expect(one.state.slept).toEqual([]);
});

test("calls that are on their way count", async () => {
  const { connection } = await freshDatabase();
  const one = processOn(connection);
  await one.quotas.observe("q", news({ remaining: 52 }));
  await one.quotas.admit("q", "read");
  await one.quotas.admit("q", "read");
  await expect(one.quotas.admit("q", "read")).rejects.toMatchObject({ code: "rate_limited" });
});

test("a block that is over soon is waited out", async () => {
  const { connection } = await freshDatabase();
  const one = processOn(connection);
  await one.quotas.observe("q", news({ blockedForMs: 300 }));
  await one.quotas.admit("q", "read");
  expect(one.state.slept[0]).toBeLessThanOrEqual(300);
  expect(one.state.slept.length).toBeGreaterThan(0);
});

test("after the first 429 no process sends anything more", async () => {
  const { connection } = await freshDatabase();
  let calls = 0;
  const baseUrl = await serveOnLoopback((_, response) => {
    calls += 1;
    answerJson(response, 429, { message: "Retry later" }, { "retry-after": "600" });
  });
  const gates = [processOn(connection), processOn(connection)].map(({ quotas }) =>
    createTrackerHttp({ baseUrl, name: "GitLab", authorization: async () => ({}), quotas, clock: systemClock }),
  );
  for (const gate of [...gates, ...gates]) {
    await expect(gate({ method: "GET", path: "/", quota: "q" })).rejects.toMatchObject({ code: "rate_limited" });
  }
  expect(calls).toBe(1);
});

describe("writes", () => {
  const spaced: QuotaRules = { reserve: 50, writes: { perMinute: 602, burst: 2 } };

  test("wait for their turn among all processes", async () => {
    const { connection } = await freshDatabase();
    const all = [processOn(connection, spaced), processOn(connection, spaced)];
    await Promise.all(all.flatMap(({ quotas }) => [1, 2, 3, 4].map(async () => await quotas.admit("q", "write"))));
    // Which of them waited, and for how long, depends on the machine; that most had to does not, unless it is very slow.
    expect(all.flatMap(({ state }) => state.slept).every((ms) => ms > 0 && ms <= 1_000)).toBe(true);
  });

  test("are refused where the wait would be long", async () => {
    const { connection } = await freshDatabase();
    const slow: QuotaRules = { reserve: 50, writes: { perMinute: 2, burst: 1 } };
    const [one, other] = [processOn(connection, slow), processOn(connection, slow)];
    await one.quotas.admit("q", "write");
    const error = await refused(other.quotas.admit("q", "write"));
    expect(error).toMatchObject({ code: "rate_limited", status: 429 });
    expect(error.retryAfterMs).toBeGreaterThan(10_000);
    await other.quotas.admit("q", "read");
  });

  test("of an hour are counted as well, for all processes, and held back before the tracker would refuse", async () => {
    const { connection } = await freshDatabase();
    const hourly: QuotaRules = { reserve: 50, writes: { perMinute: 6_000, burst: 1_000, perHour: 8 } };
    const [one, other] = [processOn(connection, hourly), processOn(connection, hourly)];
    // Half of them at once, then one in a quarter of an hour.
    for (const { quotas } of [one, other, one, other]) await quotas.admit("q", "write");
    const error = await refused(one.quotas.admit("q", "write"));
    expect(error).toMatchObject({ code: "rate_limited", message: expect.stringContaining("by the hour") });
    expect(error.retryAfterMs).toBeGreaterThan(10 * MINUTE);
    await other.quotas.admit("q", "read");
  });
});

describe("priorities", () => {
  test("background stops for all processes while people go on", async () => {
    const { connection } = await freshDatabase();
    const [one, other] = [processOn(connection), processOn(connection)];
    await one.quotas.observe("q", news({ remaining: 200, resetsInMs: 50 * MINUTE }));
    const error = await refused(one.quotas.admit("q", "read", "background"));
    expect(error).toMatchObject({ code: "rate_limited", message: expect.stringContaining("for people") });
    expect(error.retryAfterMs).toBeGreaterThan(49 * MINUTE);
    one.state.now += 1_000;
    await one.quotas.admit("q", "read", "normal");
    await other.quotas.admit("q", "read", "direct");
  });

  test("with the hour's writes used up by background, a direct one has its turn at once", async () => {
    const { connection } = await freshDatabase();
    const hourly: QuotaRules = { reserve: 50, writes: { perMinute: 6_000, burst: 1_000, perHour: 100 } };
    const { state, quotas } = processOn(connection, hourly);
    for (let n = 0; n < 20; n += 1) await quotas.admit("q", "write", "background");
    for (let n = 0; n < 10; n += 1) await refused(quotas.admit("q", "write", "background"));
    const waited = state.slept.length;
    for (let n = 0; n < 25; n += 1) await quotas.admit("q", "write", "direct");
    expect(state.slept).toHaveLength(waited);
  });

  test("background writes that are refused do not all come back for the next turn", async () => {
    const { connection } = await freshDatabase();
    const slow: QuotaRules = { reserve: 50, writes: { perMinute: 2, burst: 1 } };
    const { quotas } = processOn(connection, slow);
    await quotas.admit("q", "write", "background");
    const error = await refused(quotas.admit("q", "write", "background"));
    expect(error.retryAfterMs).toBeGreaterThan(10 * MINUTE);
  });
});

describe("a database that fails", () => {
  test("fails no call that was answered, and is told of a block later", async () => {
    const { connection } = await freshDatabase();
    const [one, other] = [processOn(connection), processOn(connection)];
    one.state.down = true;
    await one.quotas.admit("q", "read");
    await one.quotas.observe("q", news({ blockedForMs: 20 * MINUTE }));
    await expect(one.quotas.admit("q", "read")).rejects.toMatchObject({ code: "rate_limited" });
    one.state.down = false;
    one.state.now += 1_000;
    await expect(one.quotas.admit("q", "read")).rejects.toMatchObject({ code: "rate_limited" });
    await expect(other.quotas.admit("q", "read")).rejects.toMatchObject({ code: "rate_limited" });
  });

  test("holds up writing where turns are taken in it", async () => {
    const { connection } = await freshDatabase();
    const one = processOn(connection, gitlab.limits);
    one.state.down = true;
    await expect(one.quotas.admit("q", "write")).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });
});

test("a clock of the database that was set back blocks nobody for ever", async () => {
  const { db, connection } = await freshDatabase();
  await db.execute(
    `insert into tracker_quotas (quota, remaining, resets_at, blocked_until, next_write_at, updated_at)
     select 'q', 0, later, later, later, now() from (select now() + interval '1 year' as later) as clock`,
    [],
  );
  const one = processOn(connection, github.limits);
  await one.quotas.admit("q", "read");
  await one.quotas.admit("q", "write");
  await one.quotas.observe("q", news({ remaining: 3_000 }));
  one.state.now += 1_000;
  await one.quotas.admit("q", "read");
  const rows = await db.executeSql("select remaining, blocked_until from tracker_quotas where quota = 'q'");
  expect(rows.rows).toEqual([{ remaining: 3_000, blocked_until: null }]);
});

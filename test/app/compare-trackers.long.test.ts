import { expect, onTestFinished, test } from "vitest";
import { sharedQuotas } from "../../src/adapters/trackers/http/shared-quotas.ts";
import type { Quotas } from "../../src/adapters/trackers/http/quota.ts";
import { githubConnection } from "../../src/adapters/trackers/github/connection.ts";
import { github } from "../../src/adapters/trackers/github/provider.ts";
import type { RequestGlance } from "../../src/adapters/trackers/tracker.ts";
import { type CompareDeps, compareInTurn, findNew } from "../../src/app/maintenance/compare-trackers.ts";
import { configWithoutFile } from "../../src/config/config.ts";
import { untilOwnMoment } from "../../src/engine/maintenance-jobs.ts";
import type { Delivery } from "../../src/intake/receive.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type Priority, withPriority } from "../../src/lib/priority.ts";
import { connectRepository } from "../../src/storage/repositories.ts";
import { startMockGithub } from "../mock-github/server.ts";
import { freshDatabase, quotaStore } from "../support/database.ts";

const TOKEN = "ghp_relay";
const ids = snowflakes();

/** Repositories of a GitHub that Relay works in, each with an issue; a `process` compares them. */
async function stage(count: number) {
  const names = Array.from({ length: count }, (_, n) => `acme/shop-${n}`);
  const mock = await startMockGithub({
    seed: {
      organizations: ["acme"],
      users: ["ann", "relay"],
      repositories: names.map((name) => ({
        name,
        private: false,
        collaborators: { ann: "write" as const, relay: "write" as const },
        issues: [{ title: "Wrong total", author: "ann" }],
      })),
      tokens: [{ token: TOKEN, login: "relay" }],
    },
  });
  onTestFinished(async () => await mock.close());
  const { db } = await freshDatabase();
  const repositories: string[] = [];
  for (const name of names) {
    const about = {
      workspace: "default",
      provider: "github" as const,
      baseUrl: "https://github.com",
      cloneSource: null,
    };
    const stableId = String(mock.world.repository(name).id);
    const connected = { ...about, botUsername: "relay", externalProjectId: name, stableId };
    repositories.push((await connectRepository(db, connected, { clock: systemClock, ids })).id);
  }
  const used: Record<Priority, number> = { direct: 0, normal: 0, background: 0 };
  const process = () => {
    const deps = { store: quotaStore(db), elapsed: () => performance.now(), sleep, log: silentLog };
    const shared = sharedQuotas(deps, { ...github.limits, writes: null });
    const quotas: Quotas = {
      ...shared,
      admit: async (quota, kind, priority = "normal") => {
        await shared.admit(quota, kind, priority);
        used[priority] += 1;
      },
    };
    const credentials = { kind: "token" as const, token: TOKEN };
    const connection = githubConnection(
      { apiUrl: mock.url, credentials, botUsername: null, webhookUrl: "http://127.0.0.1:9/webhooks/github" },
      { quotas, clock: systemClock },
    );
    const found: Delivery[] = [];
    const changed: (readonly RequestGlance[])[] = [];
    const looked: string[] = [];
    const given: CompareDeps = {
      db,
      clock: systemClock,
      ids,
      log: silentLog,
      workspace: "default",
      config: configWithoutFile({}),
      connections: new Map([["github", connection]]),
      sendEvents: async () => await Promise.resolve(),
      sendCompares: async () => await Promise.resolve(),
      lookForDrift: async ({ id }) => void (await Promise.resolve(looked.push(id))),
      orchestrator: {
        receive: async (delivery) => {
          found.push(delivery);
          return await Promise.resolve({ kind: "stored", deliveryIds: ["1"] });
        },
        checkReviews: async (_, requests) => void (await Promise.resolve(changed.push(requests))),
      },
    };
    const compare = async (id: string) => await withPriority("background", async () => await compareInTurn(id, given));
    const compareAll = async () => {
      for (const id of repositories) await compare(id);
    };
    return { given, connection, found, changed, looked, compare, compareAll };
  };
  const requests = () =>
    mock.requests.splice(0).map(({ method, path, status }) => `${method} ${path.split("?")[0]} ${status}`);
  return { mock, db, names, repositories, process, used, requests };
}

test.each([3, 12])(
  "a quiet repository costs one request an hour that GitHub does not count, of %i, also after a restart",
  async (count) => {
    const { process, names, requests } = await stage(count);
    await process().compareAll();
    // The second look finds nothing new, and keeps the tag of the list.
    await process().compareAll();
    requests();
    const later = process();
    await later.compareAll();
    expect(requests().filter((one) => !one.startsWith("GET /user "))).toEqual(
      names.map((name) => `GET /repos/${name}/issues 304`),
    );
    expect([later.found, later.looked]).toEqual([[], []]);
  },
);

test("an issue and a request that changed are found by the one list; a merge has specs looked at", async () => {
  const { mock, names, repositories, process, requests } = await stage(1);
  const [repo = ""] = names;
  const [id = ""] = repositories;
  await process().compareAll();
  await process().compareAll();
  mock.act({ do: "assign", as: "ann", repo, number: 1, login: "relay" });
  mock.act({ do: "push", as: "ann", repo, branch: "fix/1-x" });
  const { number = 0 } = mock.act({ do: "open_pull", as: "ann", repo, title: "Fix", head: "fix/1-x" });
  requests();
  const next = process();
  await next.compare(id);
  expect(next.found.map(({ events }) => events[0].kind)).toEqual(["assigned"]);
  expect(next.changed.flat()).toMatchObject([{ number, state: "open" }]);
  expect(next.looked).toEqual([]);
  mock.act({ do: "merge", as: "ann", repo, number });
  const last = process();
  await last.compare(id);
  expect(last.changed.flat()).toMatchObject([{ number, state: "closed" }]);
  expect(last.looked).toEqual([id]);
});

test("with 200 requests left for 50 minutes, background leaves them to people", async () => {
  const { mock, process, used, requests } = await stage(5);
  const owner = `user ID ${mock.world.account("relay").id}`;
  for (let n = 0; n < 4_800; n += 1) mock.world.limits.count(owner, "core", 1);
  const one = process();
  const tracker = await one.connection.tracker();
  requests();
  const before = { ...used };
  await expect(one.compareAll()).rejects.toMatchObject({ code: "rate_limited" });
  await expect(
    withPriority("background", async () => await findNew(one.connection, "start", one.given)),
  ).rejects.toMatchObject({ code: "rate_limited" });
  expect([requests(), used.background - before.background]).toEqual([[], 0]);
  const address = { provider: "github" as const, externalProjectId: "acme/shop-0", externalIssueId: "1" };
  await withPriority("direct", async () => await tracker.createComment(address, "Here.", null));
  expect(used.direct - before.direct).toBe(1);
});

test("each repository has its own moment of the hour, the same in all processes", () => {
  const now = new Date("2026-01-01T10:17:00Z");
  const waits = Array.from({ length: 600 }, (_, n) => untilOwnMoment(String(n), now));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(30 * 60_000);
  expect(Math.max(...waits)).toBeLessThan(90 * 60_000);
  const perTenMinutes = Map.groupBy(waits, (ms) => Math.floor(ms / 600_000));
  for (const some of perTenMinutes.values()) expect(some.length).toBeGreaterThan(60);
  const own = untilOwnMoment("7", now);
  // An hour lies between two of its moments.
  expect(untilOwnMoment("7", new Date(now.getTime() + own))).toBe(60 * 60_000);
});

import { expect, test } from "vitest";
import { openViewers } from "../../src/app/people/viewers.ts";
import type { Permission } from "../../src/adapters/trackers/tracker.ts";
import { RelayError } from "../../src/lib/errors.ts";
import { silentLog } from "../../src/lib/log.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { connectRepository } from "../../src/storage/repositories.ts";
import { freshDatabase } from "../support/database.ts";

const ANN = { provider: "gitlab", accountId: "7", login: "ann" } as const;
const MINUTE = 60_000;

/** A tracker whose answers the test sets, with these repositories: private ones where the name says so. */
async function open(names: readonly string[]) {
  const { db } = await freshDatabase();
  const world = {
    now: Date.now(),
    permissions: new Map<string, Permission>(),
    owner: "7",
    isDown: false,
    asked: 0,
  };
  const clock = { now: () => new Date(world.now) };
  const ids = snowflakes();
  const connected: Record<string, string> = {};
  for (const name of names) {
    const place = { workspace: "default", provider: "gitlab", baseUrl: "https://gitlab.example" } as const;
    const about = { externalProjectId: name, isPrivate: name.includes("private"), botUsername: "relay" };
    const { id } = await connectRepository(db, { ...place, ...about, cloneSource: null }, { clock, ids });
    connected[name] = id;
  }
  const answer = async <T>(value: T): Promise<T> => {
    if (world.isDown) throw new RelayError("unavailable", "it is down");
    return await Promise.resolve(value);
  };
  const tracker = {
    permissionOf: async (project: string) => {
      world.asked += 1;
      return await answer(world.permissions.get(project) ?? "none");
    },
    accountIdOf: async () => await answer(world.owner),
  };
  const trackerOf = async () => await Promise.resolve(tracker);
  const viewers = openViewers({ db: () => db, clock, log: silentLog, trackerOf });
  const seen = async (atLogin?: "atLogin") => {
    const viewer = await viewers.viewerOf(ANN, atLogin);
    const named = (listed: readonly string[] | null) => names.filter((name) => listed?.includes(connected[name] ?? ""));
    return viewer && { sees: named(viewer.repositories), triages: named(viewer.triages) };
  };
  return { world, viewers, seen };
}

test("people see what they may read, and private code only with a permission that reads code", async () => {
  const { world, seen } = await open(["a/open", "a/private", "b/private", "c/none"]);
  world.permissions.set("a/open", "read").set("a/private", "read").set("b/private", "triage");
  expect(await seen("atLogin")).toEqual({ sees: ["a/open", "b/private"], triages: ["b/private"] });
});

test("the tracker is asked again after a quarter of an hour, not at each page, and takes a permission away by that", async () => {
  const { world, seen } = await open(["a/open", "b/open"]);
  world.permissions.set("a/open", "read").set("b/open", "write");
  await seen("atLogin");
  expect(world.asked).toBe(2);
  world.permissions.delete("b/open");
  world.now += 14 * MINUTE;
  expect(await seen()).toMatchObject({ sees: ["a/open", "b/open"] });
  expect(world.asked).toBe(2);
  world.now += 2 * MINUTE;
  expect(await seen()).toEqual({ sees: ["a/open"], triages: [] });
  await seen();
  expect(world.asked).toBe(4);
  world.permissions.clear();
  world.now += 16 * MINUTE;
  expect(await seen()).toBeNull();
});

test("while the tracker does not answer, what it said counts for an hour", async () => {
  const { world, seen } = await open(["a/open"]);
  world.permissions.set("a/open", "read");
  await seen("atLogin");
  world.isDown = true;
  world.now += 50 * MINUTE;
  expect(await seen()).toMatchObject({ sees: ["a/open"] });
  world.now += 11 * MINUTE;
  expect(await seen()).toMatchObject({ sees: [] });
  world.isDown = false;
  world.now += 16 * MINUTE;
  expect(await seen()).toMatchObject({ sees: ["a/open"] });
});

test("a login that is another account's now ends what its first owner had", async () => {
  const { world, viewers, seen } = await open(["a/open"]);
  world.permissions.set("a/open", "write");
  await seen("atLogin");
  expect(await viewers.permissionNow(ANN, "a/open")).toBe("write");
  world.owner = "8";
  expect(await viewers.permissionNow(ANN, "a/open")).toBe("none");
  world.now += 16 * MINUTE;
  expect(await seen()).toBeNull();
});

test("of very many repositories some are asked about at a time, those with a permission before all others", async () => {
  const names = Array.from({ length: 130 }, (_, n) => `a/${n}`);
  const { world, seen } = await open(names);
  world.permissions.set("a/0", "read");
  await seen("atLogin");
  expect(world.asked).toBe(100);
  world.asked = 0;
  world.permissions.set("a/129", "read");
  world.now += 16 * MINUTE;
  await seen();
  expect(world.asked).toBe(100);
  expect(await seen()).toMatchObject({ sees: ["a/0", "a/129"] });
});

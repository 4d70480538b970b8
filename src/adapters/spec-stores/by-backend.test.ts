import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeSpecStore } from "../../../test/contracts/spec-store.ts";
import { systemClock } from "../../lib/clock.ts";
import { specsByBackend } from "./by-backend.ts";
import { localSpecStore } from "./local.ts";
import type { SpecOwner, SpecStore } from "./spec-store.ts";

const owner: SpecOwner = { issueId: "1", provider: "gitlab", externalIssueId: "7", title: "Broken" };
let folder: string;
let local: SpecStore;
let shared: SpecStore;
let confidential: boolean;

/** Stands for a store that more people can read. */
function sharedStore(): SpecStore {
  const files = localSpecStore({ root: join(folder, "shared"), clock: systemClock });
  return {
    ...files,
    backend: "git",
    read: async (ref) => await files.read({ ...ref, backend: "local" }),
    exists: async (ref) => await files.exists({ ...ref, backend: "local" }),
    remove: async (ref) => await files.remove({ ...ref, backend: "local" }),
    write: async (by, content, previous) => {
      const result = await files.write(by, content, previous && { ...previous, backend: "local" });
      return result.kind === "conflict"
        ? { ...result, current: { ...result.current, backend: "git" } }
        : { ...result, ref: { ...result.ref, backend: "git" } };
    },
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-specs-"));
  confidential = false;
  local = localSpecStore({ root: join(folder, "local"), clock: systemClock });
  shared = sharedStore();
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const openShared = (backend: string) => (backend === shared.backend ? shared : null);
const open = (chosen: SpecStore) =>
  specsByBackend({
    chosenFor: () => chosen,
    local,
    open: openShared,
    mayShow: async () => await Promise.resolve(!confidential),
  });

async function written(store: SpecStore, content: string, previous: Parameters<SpecStore["write"]>[2] = null) {
  const result = await store.write(owner, content, previous);
  if (result.kind === "conflict") throw new Error("conflict");
  return result.ref;
}

describeSpecStore("the chosen store", async () => await Promise.resolve(open(shared)));

test("R-SAFE-11: the spec of a confidential issue is kept in local files, also if it was not confidential before", async () => {
  const store = open(shared);
  const first = await written(store, "one");
  confidential = true;
  const second = await written(store, "two", first);
  expect([first.backend, second.backend]).toEqual(["git", "local"]);
  expect(await store.read(first)).toBe("one");
  expect(await store.read(second)).toBe("two");
  const third = await written(store, "three", second);
  expect(third.backend).toBe("local");
  const other = await store.write({ ...owner, issueId: "2" }, "new", null);
  expect(other).toMatchObject({ kind: "written", ref: { backend: "local" } });
});

test("a spec stays in its store when another one is configured, and can be read", async () => {
  const before = await written(open(local), "one");
  const store = open(shared);
  expect(await store.read(before)).toBe("one");
  expect((await written(store, "two", before)).backend).toBe("local");
});

test("a spec is erased from the local files as well", async () => {
  const before = await written(open(local), "one");
  const store = open(shared);
  const moved = await written(shared, "one", { ...before, backend: "git" });
  await store.remove(moved);
  expect([await store.exists(before), await store.exists(moved)]).toEqual([false, false]);
});

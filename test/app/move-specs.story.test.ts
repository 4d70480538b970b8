import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBucket } from "../../src/adapters/spec-stores/bucket.ts";
import { specsByBackend } from "../../src/adapters/spec-stores/by-backend.ts";
import { recoveredSpecs } from "../../src/adapters/spec-stores/recovered.ts";
import { gitSpecStore } from "../../src/adapters/spec-stores/git.ts";
import { s3SpecStore } from "../../src/adapters/spec-stores/s3.ts";
import type { SpecStore } from "../../src/adapters/spec-stores/spec-store.ts";
import { eraseSpecs, moveSpecs } from "../../src/app/specs/move-specs.ts";
import { localBranch } from "../../src/code/mirror/branch-files.ts";
import { type SpecRef, readsOf } from "../../src/domain/spec.ts";
import { setSpecRef } from "../../src/storage/issues.ts";
import { addSpecVersion, keptSpecText, listSpecVersions } from "../../src/storage/specs.ts";
import { serveBucket } from "../support/bucket-server.ts";
import { BOT, openLife, report } from "../support/relay.ts";
import { gitOutput } from "../support/branch-repository.ts";

const TEXTS = ["one", "two", "one", "three"];
const BUCKET = "s3://shop/specs";
const OTHER = "s3://shop/other";

/** An issue with a spec of several versions in one store, and all stores, which break off after so many writes. */
async function issueWithSpecs(from = "local") {
  const life = await openLife();
  const { db, clock, ids } = life;
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  const issue = await life.settled(address);
  const branch = localBranch(join(life.folder, "shop"), {
    name: "relay/specs",
    author: async () => await Promise.resolve({ name: "relay", email: "relay@example.org" }),
    addressOf: async () => await Promise.resolve(null),
  });
  const { access, objects } = await serveBucket("shop");
  const bucket = (name: string) =>
    s3SpecStore({ name, bucket: () => openBucket({ name, access, sleep: async () => {} }), clock });
  let writesLeft = Infinity;
  const failing = (store: SpecStore): SpecStore => ({
    ...store,
    write: async (...wanted) => {
      writesLeft -= 1;
      if (writesLeft < 0) throw new Error("the network is gone");
      return await store.write(...wanted);
    },
  });
  const local = failing(life.specStore);
  const others = [
    gitSpecStore({ branch: "relay/specs", branchOf: async () => await Promise.resolve(branch), clock }),
    bucket(BUCKET),
    bucket(OTHER),
  ].map(failing);
  const open = (backend: string) => others.find((one) => one.backend === backend) ?? null;
  const first = open(from) ?? local;
  const store = specsByBackend({
    chosenFor: () => first,
    local,
    open,
    mayShow: async () => await Promise.resolve(true),
  });
  let previous: SpecRef | null = null;
  for (const text of TEXTS) {
    const owner = { issueId: issue.id, provider: issue.provider, externalIssueId: "1", title: "Broken" };
    const result = await store.write(owner, text, previous);
    if (result.kind === "conflict") throw new Error("conflict");
    previous = result.ref;
    await addSpecVersion(
      db,
      issue.id,
      {
        ref: result.ref,
        content: text,
        complexity: "L0",
        complexityReason: "",
        validationStatus: "valid",
        summary: [],
        changelog: "",
        metadata: {},
        commit: null,
        read: readsOf(issue, []),
      },
      { clock, ids },
    );
    await setSpecRef(db, issue.id, result.ref, clock);
  }
  const move = async (to = "git", mayShow = true) =>
    await moveSpecs(to, {
      db,
      clock,
      ids,
      operator: "ann",
      specStore: recoveredSpecs(store, async ({ sha256 }) => await keptSpecText(db, issue.id, sha256)),
      stores: store,
      mayShow: async () => await Promise.resolve(mayShow),
    });
  const texts = async () => {
    const versions = await listSpecVersions(db, issue.id);
    return await Promise.all(versions.map(async ({ ref }) => `${ref.backend}: ${await store.read(ref)}`));
  };
  const commits = async () =>
    (await gitOutput(join(life.folder, "shop"), "rev-list", "relay/specs")).trim().split("\n");
  const current = async () => (await life.existing(address)).spec;
  const breakAfter = (writes: number) => (writesLeft = writes);
  const shop = join(life.folder, "shop");
  const erase = async () => await eraseSpecs(await life.existing(address), { db, specStore: store });
  return { erase, folder: life.folder, store, move, texts, commits, current, breakAfter, objects, shop };
}

const kept = (store: string) => TEXTS.map((text) => `${store}: ${text}`);
const STORES = ["local", "git", BUCKET];
const PAIRS = [...STORES.flatMap((from) => STORES.map((to) => ({ from, to }))), { from: BUCKET, to: OTHER }].filter(
  ({ from, to }) => from !== to,
);

test.each(PAIRS)("all versions move from $from to $to and back, however often it breaks off", async ({ from, to }) => {
  const { store, move, texts, current, breakAfter } = await issueWithSpecs(from);
  for (const n of [0, 1, 2]) {
    breakAfter(n);
    expect(await move(to)).toMatchObject([{ outcome: "failed", error: "the network is gone" }]);
    expect((await texts()).map((text) => text.replace(/^.*: /, ""))).toEqual(TEXTS);
  }
  breakAfter(Infinity);
  expect(await move(to)).toMatchObject([{ outcome: "moved", lost: [], error: null }]);
  expect(await texts()).toEqual(kept(to));
  expect(await move(to)).toMatchObject([{ outcome: "moved", versions: 0 }]);
  expect(await move(from)).toMatchObject([{ outcome: "moved", lost: [], error: null }]);
  expect(await texts()).toEqual(kept(from));
  const spec = await current();
  expect(spec && (await store.read(spec))).toBe("three");
});

test("in a bucket, the history is objects, and a later version follows it", async () => {
  const { store, move, current, objects } = await issueWithSpecs();
  expect(await move(BUCKET)).toMatchObject([{ outcome: "moved", versions: 4 }]);
  const spec = await current();
  const owner = { issueId: "1", provider: "local", externalIssueId: "1", title: "Renamed" } as const;
  await store.write(owner, "four", spec);
  const told = [...objects].filter(([key]) => key.includes("/spec.v")).map(([, { bytes }]) => bytes.toString());
  expect(told).toEqual(["one", "two", "three", "four"]);
  expect(spec && store.where(spec)).toMatch(/^s3:\/\/shop\/specs\/issue_\d+_local_1_[\w-]+\/spec\.v3\.md$/);
});

test("all versions move in order, the issue refers to the newest, and a second move changes nothing", async () => {
  const { store, move, texts, commits, current } = await issueWithSpecs();
  expect(await move()).toMatchObject([{ outcome: "moved", versions: TEXTS.length, lost: [], error: null }]);
  expect(await texts()).toEqual(kept("git"));
  const spec = await current();
  expect(spec).toMatchObject({ backend: "git", revision: (await commits())[0] });
  expect(spec && (await store.read(spec))).toBe("three");
  expect(await move()).toMatchObject([{ outcome: "moved", versions: 0 }]);
  expect(await commits()).toHaveLength(new Set(TEXTS).size);
});

test.each([0, 1, 2, 3])(
  "a move that breaks off after %i writes leaves all readable, and the next one continues it",
  async (n) => {
    const { move, texts, commits, current, breakAfter } = await issueWithSpecs();
    breakAfter(n);
    const [broken] = await move();
    expect(broken).toMatchObject({ outcome: "failed", error: "the network is gone" });
    expect(await current()).toMatchObject({ backend: "local" });
    expect((await texts()).map((text) => text.replace(/^\w+: /, ""))).toEqual(TEXTS);
    breakAfter(Infinity);
    expect(await move()).toMatchObject([{ outcome: "moved", error: null }]);
    expect(await texts()).toEqual(kept("git"));
    expect((await commits()).length).toBeLessThanOrEqual(TEXTS.length);
  },
);

test("R-SAFE-11: a spec that more people could read there stays", async () => {
  const { move, texts } = await issueWithSpecs();
  expect(await move("git", false)).toMatchObject([{ outcome: "stayed", versions: 0 }]);
  expect(await texts()).toEqual(kept("local"));
});

test.each([
  ["deleted", async (shop: string) => await gitOutput(shop, "update-ref", "-d", "refs/heads/relay/specs")],
  ["set back", async (shop: string) => await gitOutput(shop, "update-ref", "refs/heads/relay/specs", "relay/specs~2")],
])("what a branch that was %s has lost is moved all the same, and moved there again", async (_, lose) => {
  const { move, texts, shop, current, store } = await issueWithSpecs("git");
  await lose(shop);
  await gitOutput(shop, "reflog", "expire", "--expire=now", "--all");
  await gitOutput(shop, "gc", "--quiet", "--prune=now");
  expect(await move("git")).toMatchObject([{ outcome: "moved", lost: [], error: null }]);
  expect(await texts()).toEqual(kept("git"));
  const spec = await current();
  expect(await gitOutput(shop, "show", `relay/specs:${spec?.path}`)).toBe("three");
  expect(spec && (await store.read(spec))).toBe("three");
  expect(await move("git")).toMatchObject([{ outcome: "moved", versions: 0 }]);
  await lose(shop);
  expect(await move("local")).toMatchObject([{ outcome: "moved", lost: [], error: null }]);
  expect(await texts()).toEqual(kept("local"));
});

test("an issue that is forgotten leaves no spec in any store that its specs have been in", async () => {
  const { move, erase, objects, shop, folder } = await issueWithSpecs();
  for (const to of ["git", BUCKET, OTHER]) await move(to);
  expect([...objects.keys()].filter((key) => key.includes("/spec.v"))).toHaveLength(6);
  await erase();
  expect([...objects.keys()].filter((key) => key.includes("/spec.v"))).toEqual([]);
  expect(await gitOutput(shop, "ls-tree", "-r", "--name-only", "relay/specs")).toBe("");
  expect((await readdir(join(folder, "relay_specs"))).filter((name) => name.startsWith("issue_"))).toEqual([]);
});

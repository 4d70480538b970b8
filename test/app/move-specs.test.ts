import { join } from "node:path";
import { expect, test } from "vitest";
import { specsByBackend } from "../../src/adapters/spec-stores/by-backend.ts";
import { gitSpecStore } from "../../src/adapters/spec-stores/git.ts";
import type { SpecStore } from "../../src/adapters/spec-stores/spec-store.ts";
import { moveSpecs } from "../../src/app/move-specs.ts";
import { localBranch } from "../../src/code/mirror/branch-files.ts";
import { type SpecRef, readsOf } from "../../src/domain/spec.ts";
import { setSpecRef } from "../../src/storage/issues.ts";
import { addSpecVersion, listSpecVersions } from "../../src/storage/specs.ts";
import { BOT, openLife, report } from "../support/relay.ts";
import { gitOutput } from "../support/branch-repository.ts";

const TEXTS = ["one", "two", "one", "three"];

/** An issue with a spec of several versions in local files, and both stores. */
async function issueWithSpecs() {
  const life = await openLife();
  const { db, clock, ids } = life;
  const address = await report(life);
  await life.deliver(await life.people.assign(address, "mia", BOT));
  const issue = await life.settled(address);
  const branch = localBranch(join(life.folder, "shop"), {
    name: "relay/specs",
    author: { name: "relay", email: "relay@example.org" },
    addressOf: async () => await Promise.resolve(null),
  });
  const git = gitSpecStore({ branch: "relay/specs", branchOf: async () => await Promise.resolve(branch), clock });
  let writesLeft = Infinity;
  const failing: SpecStore = {
    ...git,
    write: async (...wanted) => {
      writesLeft -= 1;
      if (writesLeft < 0) throw new Error("the network is gone");
      return await git.write(...wanted);
    },
  };
  const store = specsByBackend({
    chosen: git,
    stores: [life.specStore, failing],
    mayShow: async () => await Promise.resolve(true),
  });
  let previous: SpecRef | null = null;
  for (const text of TEXTS) {
    const owner = { issueId: issue.id, provider: issue.provider, externalIssueId: "1", title: "Broken" };
    const result = await life.specStore.write(owner, text, previous);
    if (result.kind === "conflict") throw new Error("conflict");
    previous = result.ref;
    await addSpecVersion(
      db,
      issue.id,
      {
        ref: result.ref,
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
  const move = async (mayShow = true) =>
    await moveSpecs("git", {
      db,
      clock,
      ids,
      operator: "ann",
      store,
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
  return { store, move, texts, commits, current, breakAfter };
}

test("all versions move in order, the issue refers to the newest, and a second move changes nothing", async () => {
  const { store, move, texts, commits, current } = await issueWithSpecs();
  expect(await move()).toMatchObject([{ outcome: "moved", versions: TEXTS.length, lost: [], error: null }]);
  expect(await texts()).toEqual(TEXTS.map((text) => `git: ${text}`));
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
    expect(await texts()).toEqual(TEXTS.map((text) => `git: ${text}`));
    expect((await commits()).length).toBeLessThanOrEqual(TEXTS.length);
  },
);

test("R-SAFE-11: a spec that more people could read there stays", async () => {
  const { move, texts } = await issueWithSpecs();
  expect(await move(false)).toMatchObject([{ outcome: "stayed", versions: 0 }]);
  expect(await texts()).toEqual(TEXTS.map((text) => `local: ${text}`));
});

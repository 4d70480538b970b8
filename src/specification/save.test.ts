import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SpecRef } from "../domain/spec.ts";
import { systemClock } from "../lib/clock.ts";
import { type Log, silentLog } from "../lib/log.ts";
import { localSpecStore } from "../adapters/spec-stores/local.ts";
import type { SpecOwner, SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { keepSpec } from "./save.ts";

const owner: SpecOwner = { issueId: "1", provider: "local", externalIssueId: "7", title: "Broken" };
let folder: string;
let store: SpecStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-keep-"));
  store = localSpecStore({ root: join(folder, "relay_specs"), clock: systemClock });
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function keep(markdown: string, base: SpecRef | null, log: Log = silentLog) {
  return await keepSpec(owner, base, async () => await Promise.resolve({ markdown }), { store, log });
}

test("the same text again is not written, and the log says why", async () => {
  const { ref } = await keep("one", null);
  const lines: Record<string, unknown>[] = [];
  const log: Log = { ...silentLog, info: (fields, text) => lines.push({ ...fields, text }) };
  expect(await keep("one", ref, log)).toMatchObject({ kind: "unchanged", ref });
  expect(lines).toEqual([
    {
      issue_id: "1",
      path: ref.path,
      sha256: ref.sha256,
      reason: "same sha256",
      text: "spec unchanged; neither written nor announced",
    },
  ]);
});

test("where somebody else wrote first, the spec is made again on what they wrote", async () => {
  const first = await keep("one", null);
  const theirs = await keep("theirs", first.ref);
  const bases: (SpecRef | null)[] = [];
  const mine = await keepSpec(
    owner,
    first.ref,
    async (base) => {
      bases.push(base);
      return { markdown: `${base === null ? "" : await store.read(base).catch(() => "one")} and mine` };
    },
    { store, log: silentLog },
  );
  expect(bases.map((base) => base?.sha256)).toEqual([first.ref.sha256, theirs.ref.sha256]);
  expect(await store.read(mine.ref)).toBe("theirs and mine");
});

test("it gives up, for a later try, when others never stop writing", async () => {
  const first = await keep("one", null);
  let n = 0;
  let newest = first.ref;
  const busy = keepSpec(
    owner,
    first.ref,
    async () => {
      n += 1;
      newest = (await keep(`theirs ${n}`, newest)).ref;
      return { markdown: "mine" };
    },
    { store, log: silentLog },
  );
  await expect(busy).rejects.toMatchObject({ code: "conflict", retryable: true });
  expect(await store.read(newest)).toBe("theirs 3");
});

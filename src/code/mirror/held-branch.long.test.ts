import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { gitOutput, newBranchRepository } from "../../../test/support/branch-repository.ts";
import { sleep } from "../../lib/clock.ts";
import { Postponed } from "../../lib/errors.ts";
import { type HoldOptions, holdBranch } from "./held-branch.ts";

let folder: string;
let repository: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-held-"));
  repository = await newBranchRepository(folder);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Holds it until the test is over, unless it is released before; `silent` as if it were killed. */
async function hold(holder: string, changes: Partial<HoldOptions> = {}) {
  const held = await holdBranch(
    { url: `file://${repository}` },
    {
      branch: "relay/state",
      file: "state",
      readme: "What Relay knows.\n",
      author: { name: "relay", email: "relay@example.org" },
      holder,
      leaseMs: 60_000,
      patienceMs: 0,
      signal: new AbortController().signal,
      sleep,
      ...changes,
    },
  );
  onTestFinished(async () => await held?.release(null).catch(() => {}));
  return held;
}

const branch = async (...command: string[]) => (await gitOutput(repository, ...command)).trim();
const state = async () => await branch("show", "relay/state:state");

test("the branch is made, kept as one commit whatever happens, and says that it starts no job", async () => {
  const held = await hold("ann");
  expect(held?.content).toBeNull();
  await held?.keep(Buffer.from("one"));
  await held?.keep(Buffer.from("two"));
  expect(await state()).toBe("two");
  await held?.release(Buffer.from("three"));
  expect(await state()).toBe("three");
  expect(await branch("rev-list", "--count", "relay/state")).toBe("1");
  expect(await branch("log", "-1", "--format=%B", "relay/state")).toBe("State of Relay [skip ci]");
  expect(await branch("ls-tree", "--name-only", "relay/state")).toBe("README.md\nstate");
  expect((await hold("ben"))?.content?.toString()).toBe("three");
});

test("one process holds it at a time; of two that take it at once, one gets it", async () => {
  const both = await Promise.all([hold("ann"), hold("ben")]);
  expect(both.filter((one) => one === null)).toHaveLength(1);
  const held = both.find((one) => one !== null);
  await held?.release(Buffer.from("done"));
  expect((await hold("eve"))?.content?.toString()).toBe("done");
});

test("who waits gets it when the other is done", async () => {
  const ann = await hold("ann");
  const ben = hold("ben", { patienceMs: 60_000, sleep: async () => await ann?.release(Buffer.from("by ann")) });
  expect((await ben)?.content?.toString()).toBe("by ann");
});

test("a holder that gives no sign of life loses it, and replaces nothing any more", async () => {
  // Its signs come every third of a lease.
  const dead = await hold("dead", { leaseMs: 60_000 });
  await dead?.keep(Buffer.from("known"));
  const next = await hold("next", { leaseMs: 200, patienceMs: 60_000 });
  expect(next?.content?.toString()).toBe("known");
  await next?.keep(Buffer.from("newer"));
  await expect(dead?.keep(Buffer.from("late"))).rejects.toBeInstanceOf(Postponed);
  expect(dead?.isLost()).toBe(true);
  await expect(dead?.release(Buffer.from("late"))).rejects.toBeInstanceOf(Postponed);
  expect(await state()).toBe("newer");
});

test("a holder that lives keeps it, however long it works", async () => {
  const ann = await hold("ann", { leaseMs: 1_500 });
  await ann?.keep(Buffer.from("by ann"));
  expect(await hold("ben", { leaseMs: 3_000, patienceMs: 4_000 })).toBeNull();
  await ann?.keep(Buffer.from("still by ann"));
  expect(await state()).toBe("still by ann");
});

test("what was kept is not pushed again while nothing changed", async () => {
  const held = await hold("ann");
  await held?.keep(Buffer.from("same"));
  const tip = await branch("rev-parse", "relay/state");
  await held?.keep(Buffer.from("same"));
  expect(await branch("rev-parse", "relay/state")).toBe(tip);
});

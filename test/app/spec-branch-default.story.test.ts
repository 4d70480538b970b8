import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { silentLog } from "../../src/lib/log.ts";
import { keptSpecText } from "../../src/storage/specs.ts";
import { gitOutput } from "../support/branch-repository.ts";
import { startGitServer } from "../support/git-server.ts";
import { PROJECT, openHosted } from "../support/hosted-relay.ts";

const REFUSING = { receives: "false", hook: null };
const RULED = {
  receives: "true",
  hook: '#!/bin/sh\nwhile read _ _ ref; do test "$ref" != refs/heads/relay/specs || exit 1; done\n',
};
const TAKING = { receives: "true", hook: null };

/** A Relay whose GitHub has the code in a repository that git reaches over HTTP. */
async function openServed({ receives, hook }: { receives: string; hook: string | null }, settings = {}) {
  const warn = vi.fn<typeof silentLog.warn>();
  const life = await openHosted({ BOT_IDLE_MINUTES: "0", ...settings }, { ...silentLog, warn });
  const bare = join(life.folder, "served", "shop.git");
  await gitOutput(life.folder, "clone", "--quiet", "--bare", join(life.folder, "shop"), bare);
  await gitOutput(bare, "config", "http.receivepack", receives);
  if (hook !== null) {
    await writeFile(join(bare, "hooks", "pre-receive"), hook);
    await chmod(join(bare, "hooks", "pre-receive"), 0o755);
  }
  const server = await startGitServer(join(life.folder, "served"));
  onTestFinished(async () => await server.close());
  life.mock.world.repository(PROJECT).cloneUrl = `${server.origin}/shop.git`;
  const specified = async () => {
    const number = life.open("ann", "Wrong total in the cart", "The total is wrong.");
    life.mock.act({ do: "assign", as: "mia", repo: PROJECT, number, login: "relay" });
    await life.reaches(number, "clarifying");
    life.say("ann", number, "1. `total([])` in src/cart.ts throws.\n2. It should be 0.");
    await life.reaches(number, "awaiting_proceed");
    life.say("mia", number, "go ahead");
    await life.reaches(number, "waiting_confirmation");
    const spec = (await life.stored(number))?.spec;
    if (!spec) throw new Error("there is no spec");
    return { number, spec, text: await life.specStore.read(spec) };
  };
  const pushes = () => server.seen.filter(({ path }) => path.includes("git-receive-pack")).length;
  const told = () => warn.mock.calls.filter(([, message]) => message === "specs are kept in local files");
  return { ...life, bare, specified, pushes, told };
}

test("R-SPEC-9: without a setting, specs of a hosted repository that takes them are on its branch", async () => {
  const { bare, specified, told } = await openServed(TAKING);
  const { spec, text } = await specified();
  expect(spec).toMatchObject({ backend: "git", revision: (await gitOutput(bare, "rev-parse", "relay/specs")).trim() });
  expect(await gitOutput(bare, "show", `relay/specs:${spec.path}`)).toBe(text);
  expect(told()).toEqual([]);
});

test.each([
  ["a token that may not push", REFUSING],
  ["a rule that protects the branch", RULED],
])("R-SPEC-9: %s keeps specs in local files, is told once, and not tried with each issue", async (_, repository) => {
  const { specified, pushes, told } = await openServed(repository);
  const first = await specified();
  expect(first.spec.backend).toBe("local");
  expect(first.text).toMatch(/^# Spec: /);
  const tried = pushes();
  expect(tried).toBeGreaterThan(0);
  expect((await specified()).spec.backend).toBe("local");
  expect(pushes()).toBe(tried);
  expect(told()).toHaveLength(1);
});

test("a setting wins over what may be pushed", async () => {
  const { specified, pushes } = await openServed(TAKING, { RELAY_SPEC_STORE: "local" });
  expect((await specified()).spec.backend).toBe("local");
  expect(pushes()).toBe(0);
});

test("a branch that somebody deletes takes no spec with it: it is read, carried on and forgotten as before", async () => {
  const relay = await openServed(TAKING);
  const { bare, specified, specStore, stored, db } = relay;
  const { number, spec, text } = await specified();
  await gitOutput(bare, "update-ref", "-d", "refs/heads/relay/specs");
  // As after garbage collection, in which the old commits go.
  const gone = { ...spec, revision: "1".repeat(40) };
  expect(await specStore.exists(gone)).toBe(true);
  expect(await specStore.read(gone)).toBe(text);
  const issue = await stored(number);
  if (issue === null) throw new Error("the issue is gone");
  const next = await specStore.write({ ...issue, issueId: issue.id }, `${text}\nMore.\n`, gone);
  expect(next).toMatchObject({ kind: "written", ref: { backend: "git", path: spec.path } });
  expect(await gitOutput(bare, "show", `relay/specs:${spec.path}`)).toBe(`${text}\nMore.\n`);
  await relay.forget(issue);
  expect(await gitOutput(bare, "ls-tree", "-r", "--name-only", "relay/specs")).toBe("");
  expect(await keptSpecText(db, issue.id, spec.sha256)).toBeNull();
});

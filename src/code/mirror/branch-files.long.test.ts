import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeSpecStore } from "../../../test/contracts/spec-store.ts";
import { gitOutput, newBranchRepository } from "../../../test/support/branch-repository.ts";
import { TRIES_ALL } from "../../../test/support/tries.ts";
import { gitSpecStore } from "../../adapters/spec-stores/git.ts";
import type { SpecOwner } from "../../adapters/spec-stores/spec-store.ts";
import { systemClock } from "../../lib/clock.ts";
import { localBranch, remoteBranch } from "./branch-files.ts";

const options = {
  name: "relay/specs",
  author: async () => await Promise.resolve({ name: "relay[bot]", email: "relay@example.org" }),
  addressOf: async (commit: string, path: string) => await Promise.resolve(`https://git.example/${commit}/${path}`),
};
const owner: SpecOwner = { issueId: "1", provider: "github", externalIssueId: "7", title: "Broken" };
let folder: string;
let repository: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-branch-"));
  repository = await newBranchRepository(folder);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const storeOn = (branch: ReturnType<typeof localBranch>) =>
  gitSpecStore({ branch: "relay/specs", branchOf: async () => await Promise.resolve(branch), clock: systemClock });
const local = () => storeOn(localBranch(repository, options));
const remote = (machine = "home") =>
  storeOn(remoteBranch({ url: `file://${repository}` }, { home: join(folder, machine), clock: systemClock }, options));

describeSpecStore("a branch of a local repository", async () => await Promise.resolve(local()));
// The tests below are of a remote one, too.
if (TRIES_ALL) describeSpecStore("a branch of a remote repository", async () => await Promise.resolve(remote()));

async function written(content: string, previous: Parameters<ReturnType<typeof local>["write"]>[2] = null) {
  const result = await remote().write(owner, content, previous);
  if (result.kind === "conflict") throw new Error("conflict");
  return result.ref;
}

test("each version is one commit by Relay that names issue and version, and leaves the code's branch alone", async () => {
  const main = await gitOutput(repository, "rev-parse", "main");
  const second = await written("two", await written("one"));
  expect(await gitOutput(repository, "log", "--format=%an <%ae> %cn: %s", "relay/specs")).toBe(
    [
      "relay[bot] <relay@example.org> relay[bot]: Spec of issue 7, version 2",
      "relay[bot] <relay@example.org> relay[bot]: Spec of issue 7, version 1",
      "",
    ].join("\n"),
  );
  expect(await gitOutput(repository, "rev-parse", "main")).toBe(main);
  const files = (await gitOutput(repository, "ls-tree", "-r", "--name-only", "relay/specs")).trim().split("\n");
  expect(files).toEqual([
    expect.stringMatching(/^issue_1_github_7_broken\/history\/\d{4}-.*_spec\.md$/),
    "issue_1_github_7_broken/spec.md",
  ]);
  expect(second.revision).toBe((await gitOutput(repository, "rev-parse", "relay/specs")).trim());
});

test("R-SPEC-18: a version has an address with its very commit", async () => {
  const first = await written("one");
  await written("two", first);
  expect(await remote().address(first)).toBe(`https://git.example/${first.revision}/${first.path}`);
  expect(await gitOutput(repository, "show", `${first.revision}:${first.path}`)).toBe("one");
});

test("another machine reads what this one wrote, and builds on it", async () => {
  const first = await written("one");
  const elsewhere = remote("another");
  expect(await elsewhere.read(first)).toBe("one");
  expect(await elsewhere.write(owner, "two", first)).toMatchObject({ kind: "written" });
  expect(await remote().write(owner, "three", first)).toMatchObject({ kind: "conflict" });
});

test("a version is found by its hash where its commit is gone", async () => {
  const first = await written("one");
  const second = await written("two", first);
  const gone = "0123456789".repeat(4);
  expect(await remote().read({ ...first, revision: gone })).toBe("one");
  expect(await remote().read({ ...second, revision: gone })).toBe("two");
});

test("a spec that was changed by hand on the branch is told, not trusted, and not overwritten", async () => {
  const first = await written("one");
  await local().write(owner, "by hand", first);
  expect(await remote().write(owner, "two", first)).toMatchObject({ kind: "conflict" });
  expect(await remote().read(first)).toBe("one");
});

test("a link in the place of a spec is refused", async () => {
  const { path } = await written("one");
  const target = (await gitOutput(repository, "rev-parse", `relay/specs:${path}`)).trim();
  const person = ["-c", "user.name=mia", "-c", "user.email=mia@example.org"];
  await gitOutput(
    repository,
    "--work-tree",
    folder,
    "update-index",
    "--add",
    "--cacheinfo",
    `120000,${target},${path}`,
  );
  const linked = (await gitOutput(repository, "write-tree")).trim();
  const commit = (
    await gitOutput(repository, ...person, "commit-tree", "-m", "link", "-p", "relay/specs", linked)
  ).trim();
  await gitOutput(repository, "update-ref", "refs/heads/relay/specs", commit);
  await expect(local().write(owner, "two", null)).rejects.toMatchObject({ code: "forbidden" });
});

test("a branch that people have checked out is told, not moved under them", async () => {
  await local().write(owner, "one", null);
  await gitOutput(repository, "worktree", "add", "--quiet", join(folder, "tree"), "relay/specs");
  await expect(local().write({ ...owner, issueId: "2" }, "two", null)).rejects.toThrow(/has it checked out/);
});

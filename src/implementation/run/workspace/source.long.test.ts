import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BOT, NO_RULES, runGit } from "../../../../test/support/workspace-fixture.ts";
import { pushLocal } from "../../../code/mirror/push.ts";
import { systemClock } from "../../../lib/clock.ts";
import { openWorkspace } from "./open.ts";

const base = mkdtempSync(join(tmpdir(), "relay-sources-"));

beforeAll(() => {
  for (const [name, format] of [
    ["plain", "sha1"],
    ["sha256", "sha256"],
  ] as const) {
    mkdirSync(join(base, name));
    runGit(join(base, name), "init", "--quiet", "--initial-branch=main", `--object-format=${format}`);
    for (const text of ["one", "two", "three"]) {
      writeFileSync(join(base, name, "a"), `${text}\n`);
      runGit(join(base, name), "add", ".");
      runGit(join(base, name), "commit", "--quiet", "-m", text);
    }
  }
  runGit(base, "clone", "--quiet", "--depth=2", `file://${base}/plain`, "shallow");
  runGit(base, "clone", "--quiet", "--shared", "plain", "borrowing");
  runGit(join(base, "borrowing"), "worktree", "add", "--quiet", "-b", "side", "../linked");
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

function stateOf(repository: string): string {
  const status = runGit(repository, "status", "--porcelain");
  return `${status}\n${runGit(repository, "for-each-ref")}\n${runGit(repository, "config", "--local", "--list")}`;
}

test.each(["plain", "sha256", "shallow", "borrowing", "linked"])(
  "somebody's own repository (%s) gets a branch, and is otherwise as it was",
  async (name) => {
    const source = join(base, name);
    const before = stateOf(source);
    const workspace = await openWorkspace(
      { home: join(base, "home"), run: name, source, commit: runGit(source, "rev-parse", "HEAD"), cacheKey: name },
      { clock: systemClock },
    );
    writeFileSync(join(workspace.directory, "b"), "new\n");
    expect((await workspace.validate(NO_RULES)).changed).toHaveLength(1);
    const commit = String(await workspace.commit("feat: b", BOT));
    await workspace.renew();
    expect(runGit(workspace.directory, "log", "-1", "--format=%s")).toBe("feat: b");
    const directory = join(base, "home", "work", name, "repository.git");
    const pushed = await pushLocal(source, { directory, commit, branch: "relay/1-b", expected: null });
    expect(pushed).toEqual({ kind: "pushed" });
    await workspace.close();
    expect(runGit(source, "show", "relay/1-b:b")).toBe("new");
    runGit(source, "branch", "--quiet", "-D", "relay/1-b");
    expect(stateOf(source)).toBe(before);
  },
);

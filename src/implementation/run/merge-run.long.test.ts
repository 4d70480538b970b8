import { afterAll, beforeAll, expect, test } from "vitest";
import { actor, openRun, orderOf, play } from "../../../test/support/run-fixture.ts";
import { BOT, NO_RULES, workspaceStage, type WorkspaceStage } from "../../../test/support/workspace-fixture.ts";

let stage: WorkspaceStage;

beforeAll(() => {
  stage = workspaceStage({ "total.txt": "old\n", "tax.txt": "old\n", "deps.txt": "ok\n", ".gitignore": "log\n" });
});
afterAll(() => stage.close());

test("a run resolves a conflict step by step; commands are run when it is merged, on what the merge depends on", async () => {
  const { workspace } = await openRun(stage);
  const act = actor(async ({ run, write }) => {
    await write(run === 1 ? "total.txt" : "tax.txt", "both\n");
    if (run === 1) await write("deps.txt", "ok\n");
  });
  for (const path of ["total.txt", "tax.txt", "deps.txt"]) {
    const one = actor(async ({ write }) => await write(path, "mine\n"));
    await play(orderOf({ plan: { ...orderOf().plan, file_changes: [] } }), workspace, one);
  }
  const base = stage.commit({ "total.txt": "theirs\n", "tax.txt": "theirs\n", "deps.txt": "theirs\n" });
  const merge = { rules: NO_RULES, message: "Merge", author: BOT };
  expect(await workspace.mergeIn(base, merge)).toMatchObject({ kind: "conflict" });
  const commands = {
    setup: ["sed s/^/set-up:/ deps.txt >> log; grep -qx ok deps.txt"],
    checks: [],
    tests: ["echo tested >> log; sort -u log; ! grep -q '<<<<' *.txt"],
  };
  const order = orderOf({ reason: "conflict", commands, merge: { base: "main" } });
  const { result, facts } = await play(order, workspace, act);
  expect(result).toMatchObject({ kind: "done" });
  expect(act.tasks).toEqual([
    expect.stringMatching(/# Conflicts to resolve[\s\S]*main\n\ndeps\.txt\ntax\.txt\ntotal\.txt/),
    expect.stringMatching(/# Conflicts to resolve[\s\S]*main\n\ntax\.txt\n[\s\S]*`git merge main` failed/),
  ]);
  expect(facts.map(({ commit, checks }) => [commit !== null, checks.map(({ command }) => command)])).toEqual([
    [false, []],
    [false, ["git merge main"]],
    [true, commands.tests],
  ]);
  expect(stage.git("log", "-1", "--format=%P %s", workspace.head())).toMatch(
    new RegExp(`^[0-9a-f]{40} ${base} Merge branch 'main' \\(#12\\)$`),
  );
});

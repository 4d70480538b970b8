import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BOT,
  NO_RULES,
  runGit,
  workspaceStage,
  type WorkspaceStage,
} from "../../../../test/support/workspace-fixture.ts";
import { conflictBetween } from "./merge.ts";
import { findRunHead } from "./source.ts";
import type { Workspace } from "./workspace.ts";

const CART = "// cart\nexport const total = 1;\n\n// of the state\nexport const tax = 2;\n";
const TEST = 'test("adds up", () => {\n  expect(total).toBe(1);\n  expect(tax).toBe(2);\n  expect(1).toBe(1);\n});\n';
const MERGE = { rules: NO_RULES, message: "Merge main", author: BOT };

function read(workspace: Workspace, path: string): string {
  return readFileSync(join(workspace.directory, path), "utf8");
}

function write(workspace: Workspace, path: string, text: string): void {
  writeFileSync(join(workspace.directory, path), text);
}

async function commit(workspace: Workspace, files: Record<string, string | null>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    if (text === null) rmSync(join(workspace.directory, path));
    else write(workspace, path, text);
  }
  await workspace.validate(NO_RULES);
  const made = await workspace.commit("feat: work", BOT);
  if (made === null) throw new Error("nothing was committed");
  return made;
}

describe("a branch whose base moved", () => {
  let stage: WorkspaceStage;
  let base: string;
  let runs = 0;
  const begin = async () => await stage.open(`run${(runs += 1)}`, { commit: base });
  /** The base as it is after others changed it. */
  const others = (files: Record<string, string | Buffer | null>) => stage.commit(files);

  beforeAll(() => {
    stage = workspaceStage({ "cart.ts": CART, "old.ts": "old\n", "cart.test.ts": TEST, "logo.bin": Buffer.of(0, 1) });
    base = stage.git("rev-parse", "main");
  });
  afterAll(() => stage.close());

  test("takes in what does not conflict as a merge of its own, and no file of the base counts as changed by the run", async () => {
    const workspace = await begin();
    const own = await commit(workspace, { "cart.ts": CART.replace("1", "10") });
    const newer = others({ "cart.ts": CART.replace("2", "20"), "ci.yml": "jobs: {}\n" });
    expect(await conflictBetween(stage.source, own, newer)).toBe(null);
    expect(await workspace.mergeIn(newer, MERGE)).toEqual({ kind: "merged" });
    expect(read(workspace, "cart.ts")).toBe(CART.replace("1", "10").replace("2", "20"));
    expect(await workspace.validate(NO_RULES)).toEqual({ changed: [], reverted: [] });
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(["cart.ts"]);
    expect(workspace.base).toBe(newer);
    expect(stage.git("log", "-1", "--format=%P %an %s", workspace.head())).toBe(
      `${own} ${newer} relay[bot] Merge main`,
    );
    expect(runGit(workspace.directory, "status", "--porcelain")).toBe("");
    others({ "cart.ts": CART, "ci.yml": null });
  });

  test("shows conflicts as marks, also where one side deleted the file; it is merged once none is left", async () => {
    const workspace = await begin();
    const own = await commit(workspace, { "cart.ts": CART.replace("1", "10"), "old.ts": "mended\n" });
    const newer = others({ "cart.ts": CART.replace("1", "11"), "old.ts": null, ".gitlab-ci.yml": "jobs: {}\n" });
    const conflict = await conflictBetween(stage.source, own, newer);
    expect(conflict?.files).toEqual(["cart.ts", "old.ts"]);
    expect(await workspace.mergeIn(newer, MERGE)).toEqual({ kind: "conflict", files: ["cart.ts", "old.ts"] });
    expect(read(workspace, "cart.ts")).toMatch(/<<<<<<<.*\n.*10;\n=======\n.*11;\n>>>>>>>/);
    expect(read(workspace, "old.ts")).toBe("<<<<<<< the branch\nmended\n=======\n>>>>>>> the base\n");
    expect(read(workspace, ".gitlab-ci.yml")).toBe("jobs: {}\n");
    expect(runGit(workspace.directory, "status", "--porcelain")).toBe("");

    write(workspace, "cart.ts", CART.replace("1", "12"));
    await workspace.validate(NO_RULES);
    expect(workspace.unresolved()).toEqual(["old.ts"]);
    expect(await workspace.commit("Merge main", BOT)).toBe(null);
    expect([workspace.head(), workspace.base]).toEqual([own, base]);

    rmSync(join(workspace.directory, "old.ts"));
    expect((await workspace.validate(NO_RULES)).reverted).toEqual([]);
    expect(workspace.unresolved()).toEqual([]);
    const merged = await workspace.commit("Merge main", BOT);
    expect(stage.git("log", "-1", "--format=%P", String(merged))).toBe(`${own} ${newer}`);
    expect(stage.git("show", `${merged}:.gitlab-ci.yml`)).toBe("jobs: {}");
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(["cart.ts"]);
    others({ "cart.ts": CART, "old.ts": "old\n", ".gitlab-ci.yml": null });
  });

  test("begins the merge anew where it was not committed before the end", async () => {
    const workspace = await begin();
    const own = await commit(workspace, { "cart.ts": CART.replace("1", "10") });
    const newer = others({ "cart.ts": CART.replace("1", "11") });
    await workspace.mergeIn(newer, MERGE);
    write(workspace, "cart.ts", CART.replace("1", "12"));
    await workspace.close({ keepCommits: true });
    const run = `run${runs}`;
    expect(await findRunHead(stage.source, run)).toBe(own);
    const again = await stage.open(run, { commit: base, resumeFrom: own });
    expect(await again.mergeIn(newer, MERGE)).toEqual({ kind: "conflict", files: ["cart.ts"] });
    expect(read(again, "cart.ts")).toContain("<<<<<<<");
    others({ "cart.ts": CART });
  });

  test("is left to people where files cannot be marked, or may not be changed; the tree stays as it is", async () => {
    const workspace = await begin();
    const own = await commit(workspace, { "logo.bin": "\0mine", "cart.ts": CART.replace("1", "10") });
    const newer = others({ "logo.bin": Buffer.of(0, 3), "cart.ts": CART.replace("1", "11") });
    expect(await workspace.mergeIn(newer, MERGE)).toEqual({ kind: "unmergeable", files: ["logo.bin"] });
    expect([workspace.head(), read(workspace, "logo.bin")]).toEqual([own, "\0mine"]);
    const rules = { ...NO_RULES, blocked: ["cart.*"] };
    expect(await workspace.mergeIn(newer, { ...MERGE, rules })).toEqual({
      kind: "unmergeable",
      files: ["cart.ts", "logo.bin"],
    });
    expect(existsSync(join(workspace.directory, ".git"))).toBe(true);
    others({ "logo.bin": Buffer.of(0, 1), "cart.ts": CART });
  });

  test("may take either side of a test that conflicts, and lose neither to an agent", async () => {
    const workspace = await begin();
    await commit(workspace, { "cart.test.ts": TEST.replaceAll("expect", "assert") });
    const theirs = TEST.replaceAll("expect", "verify");
    await workspace.mergeIn(others({ "cart.test.ts": theirs }), MERGE);
    write(workspace, "cart.test.ts", "// nothing\n");
    expect((await workspace.validate(NO_RULES)).reverted).toMatchObject([
      { path: "cart.test.ts", why: "test removed" },
    ]);
    expect(workspace.unresolved()).toEqual(["cart.test.ts"]);
    write(workspace, "cart.test.ts", theirs);
    expect((await workspace.validate(NO_RULES)).reverted).toEqual([]);
    expect(workspace.unresolved()).toEqual([]);
    others({ "cart.test.ts": TEST });
  });

  test("has a conflict with a name that stays while its files do, and leaves nothing in the source", async () => {
    const workspace = await begin();
    const own = await commit(workspace, { "cart.ts": CART.replace("1", "10") });
    const one = others({ "cart.ts": CART.replace("1", "11") });
    const two = others({ "elsewhere.txt": "more\n" });
    const objects = () => stage.git("count-objects");
    const before = objects();
    const name = (await conflictBetween(stage.source, own, one))?.name;
    expect((await conflictBetween(stage.source, own, two))?.name).toBe(name);
    expect(objects()).toBe(before);
    const three = others({ "cart.ts": CART.replace("1", "13") });
    expect((await conflictBetween(stage.source, own, three))?.name).not.toBe(name);
    expect(await conflictBetween(stage.source, own, base)).toBe(null);
    others({ "cart.ts": CART });
  });
});

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  BOT,
  NO_RULES,
  runGit,
  workspaceStage,
  type WorkspaceStage,
} from "../../../../test/support/workspace-fixture.ts";
import { silentLog } from "../../../lib/log.ts";
import { changesBetween } from "./differences.ts";
import { sweepWorkspaces } from "./run-paths.ts";
import { prepareTree } from "./prepared-trees.ts";
import { findRunHead } from "./source.ts";
import type { Workspace } from "./workspace.ts";

const CART = "export const total = 0;\nexport const tax = 0;\n";
const TEST = 'test("adds", () => {\n  expect(1 + 1).toBe(2);\n  expect(2 + 2).toBe(4);\n});\n';
let stage: WorkspaceStage;

beforeEach(() => {
  stage = workspaceStage({ "src/cart.ts": CART, "src/cart.test.ts": TEST, ".gitignore": "build/\n*.log\n" });
});

afterEach(() => stage.close());

function write(workspace: Workspace, path: string, content: string | Buffer): void {
  const file = join(workspace.directory, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
}

function read(workspace: Workspace, path: string): string {
  return readFileSync(join(workspace.directory, path), "utf8");
}

describe("a working tree of a run", () => {
  test("has the files of the commit, with a git of its own", async () => {
    const workspace = await stage.open();
    expect(read(workspace, "src/cart.ts")).toBe(CART);
    expect(runGit(workspace.directory, "status", "--porcelain")).toBe("");
    expect(runGit(workspace.directory, "log", "--format=%H")).toBe(workspace.head());
    expect(runGit(workspace.directory, "remote")).toBe("");
    write(workspace, "src/cart.ts", "mine\n");
    runGit(workspace.directory, "commit", "-qam", "Mine");
    expect((await workspace.validate(NO_RULES)).changed.map(({ path }) => path)).toEqual(["src/cart.ts"]);
    await workspace.close();
    expect(existsSync(join(stage.home, "work", "r1"))).toBe(false);
    expect(stage.git("for-each-ref", "refs/relay")).toBe("");
  });

  test("keeps what set-up installs, also where no rule ignores it, and never commits it (R-WORK-16)", async () => {
    stage.commit({ "vendor/node_modules/ours.js": "ours\n" });
    const workspace = await stage.open();
    const installed = [
      ".venv/bin/pytest",
      "py/env/bin/python",
      "node_modules/a/index.js",
      "src/cart.egg-info/PKG-INFO",
    ];
    for (const path of [...installed, ".venv/pyvenv.cfg", "py/env/pyvenv.cfg"]) write(workspace, path, "x\n");
    write(workspace, "vendor/node_modules/ours.js", "changed\n");
    write(workspace, "node_modules.md", "a file\n");
    expect(runGit(workspace.directory, "status", "--porcelain", "--", ".venv", "node_modules")).toBe("");
    const { changed, reverted } = await workspace.validate(NO_RULES);
    expect(changed.map(({ path }) => path).toSorted()).toEqual(["node_modules.md", "vendor/node_modules/ours.js"]);
    expect(reverted).toEqual([]);
    // Settings that steer an agent do not hide there.
    write(workspace, ".claude/pyvenv.cfg", "x\n");
    write(workspace, ".claude/settings.json", "{}\n");
    expect((await workspace.validate(NO_RULES)).reverted.map(({ path }) => path)).toContain(".claude/settings.json");
    await workspace.tidy();
    expect(installed.map((path) => read(workspace, path))).toEqual(installed.map(() => "x\n"));
    // A clean checkout has nothing of it: its own set-up makes it.
    const clean = await workspace.checkOutClean();
    expect(existsSync(join(clean.directory, ".venv"))).toBe(false);
    await clean.close();
  });

  test("never commits what patch leaves beside a file", async () => {
    const workspace = await stage.open();
    for (const path of ["src/cart.ts.rej", "src/cart.ts.orig", "src/alone.orig"]) write(workspace, path, "x\n");
    const { changed, reverted } = await workspace.validate(NO_RULES);
    expect(changed.map(({ path }) => path)).toEqual(["src/alone.orig"]);
    expect(reverted).toEqual([]);
    await workspace.close();
  });

  test("commits files as git would store them, by the attributes of the commit", async () => {
    const attributes = "* text=auto\n*.bat text eol=crlf\n*.raw -text\n*.psd filter=lfs diff=lfs merge=lfs -text\n";
    const pointer = "version https://git-lfs.github.com/spec/v1\n";
    stage.commit({ ".gitattributes": attributes, "old.txt": "a\nb\n", "logo.psd": pointer, "gone.psd": pointer });
    const workspace = await stage.open();
    write(workspace, "new.txt", "a\r\nb\r\n");
    write(workspace, "old.txt", "a\r\nb\r\n");
    write(workspace, "run.bat", "echo\r\n");
    write(workspace, "kept.raw", "a\r\n");
    write(workspace, "binary", "a\r\n\0");
    write(workspace, "logo.psd", "a picture");
    write(workspace, "new.psd", "a picture");
    rmSync(join(workspace.directory, "gone.psd"));
    const { changed, reverted } = await workspace.validate(NO_RULES);
    const left = ["binary", "gone.psd", "kept.raw", "new.txt", "run.bat"];
    expect(changed.map(({ path }) => path).toSorted()).toEqual(left);
    expect(reverted.map(({ path, why }) => `${path}: ${why}`).toSorted()).toEqual([
      "logo.psd: blocked path",
      "new.psd: blocked path",
    ]);
    expect(reverted[0]?.detail).toContain("“lfs”");
    await workspace.commit("feat: it", BOT);
    const stored = ["new.txt", "run.bat", "kept.raw", "binary"].map(async (path) => await workspace.read(path, "head"));
    expect(await Promise.all(stored)).toEqual(["a\nb\n", "echo\n", "a\r\n", "a\r\n\0"]);
    expect(await workspace.read("old.txt", "head")).toBe("a\nb\n");
    await workspace.tidy();
    expect(read(workspace, "old.txt")).toBe("a\nb\n");
  });

  test("leaves line ends alone where the repository stores them so", async () => {
    stage.commit({ "old.txt": "a\r\n" });
    stage.commit({ ".gitattributes": "* text=auto\n" });
    const workspace = await stage.open();
    write(workspace, "old.txt", "a\r\nb\r\n");
    await workspace.validate(NO_RULES);
    await workspace.commit("feat: it", BOT);
    expect(await workspace.read("old.txt", "head")).toBe("a\r\nb\r\n");
  });

  test("reads files at base, at head and in the tree, and nothing that is no file there", async () => {
    const workspace = await stage.open();
    write(workspace, "src/a b.ts", "new\n");
    await workspace.validate(NO_RULES);
    await workspace.commit("feat: it", BOT);
    write(workspace, "src/a b.ts", "newer\n");
    const at = ["base", "head", "tree"] as const;
    expect(await Promise.all(at.map((where) => workspace.read("src/a b.ts", where)))).toEqual([
      null,
      "new\n",
      "newer\n",
    ]);
    const none = ["src", "none.ts", "none.ts\nsrc/cart.ts", "./src/cart.ts", "..", "", "/etc/passwd"];
    expect(await Promise.all(none.map((path) => workspace.read(path, "head")))).toEqual(none.map(() => null));
    expect(await workspace.read("src/cart.ts", "base")).toBe(CART);
    await workspace.close();
  });

  test("gives what was changed, added and deleted, and commits it as the bot", async () => {
    const workspace = await stage.open();
    const base = workspace.head();
    write(workspace, "src/cart.ts", `${CART}export const sum = 1;\n`);
    write(workspace, "src/new ü.ts", "a\nb\n");
    write(workspace, "build/out.js", "ignored\n");
    write(workspace, ".relay-task/notes.md", "mine\n");
    const validated = await workspace.validate(NO_RULES);
    expect(validated.reverted).toEqual([]);
    expect(validated.changed).toEqual([
      { path: "src/cart.ts", change: "modified", addedLines: 1, removedLines: 0 },
      { path: "src/new ü.ts", change: "added", addedLines: 2, removedLines: 0 },
    ]);
    const commit = await workspace.commit("feat: sum\n\nBody\n", BOT);
    expect(workspace.head()).toBe(commit);
    expect(stage.git("log", "-1", "--format=%an %ae %cn %P %s", String(commit))).toBe(
      `relay[bot] relay@example.org relay[bot] ${base} feat: sum`,
    );
    expect(stage.git("ls-tree", "-r", "--name-only", "-z", String(commit)).split("\0")).toEqual([
      ".gitignore",
      "src/cart.test.ts",
      "src/cart.ts",
      "src/new ü.ts",
      "",
    ]);
    expect(await workspace.changes()).toEqual(validated.changed);
    expect(await workspace.patch(10_000)).toContain("+export const sum = 1;");
    expect(await workspace.patch(30)).not.toContain("sum");
    expect(await workspace.validate(NO_RULES)).toEqual({ changed: [], reverted: [] });
    expect(await workspace.commit("nothing", BOT)).toBe(null);
    await workspace.renew();
    expect(runGit(workspace.directory, "status", "--porcelain")).toBe("");
    rmSync(join(workspace.directory, "src/cart.ts"));
    expect((await workspace.validate(NO_RULES)).changed).toMatchObject([{ path: "src/cart.ts", change: "deleted" }]);
    await workspace.commit("feat: less", BOT);
    stage.git("fsck", "--strict");
  });

  test("tells what a diff hardly shows: programs, links, binaries", async () => {
    const workspace = await stage.open();
    write(workspace, "run.sh", "exit 0\n");
    chmodSync(join(workspace.directory, "run.sh"), 0o755);
    chmodSync(join(workspace.directory, "src/cart.ts"), 0o755);
    symlinkSync("cart.ts", join(workspace.directory, "src/link.ts"));
    write(workspace, "logo.bin", Buffer.from([0, 1, 2]));
    write(workspace, "plain.txt", "x\n");
    await workspace.validate(NO_RULES);
    const odd = await workspace.commit("feat: odd\n", BOT);
    const marks = (await workspace.changes()).map(({ path, mark }) => [path, mark]);
    expect(Object.fromEntries(marks)).toEqual({
      "logo.bin": "binary",
      "plain.txt": undefined,
      "run.sh": "executable",
      "src/cart.ts": "executable",
      "src/link.ts": "link",
    });
    chmodSync(join(workspace.directory, "run.sh"), 0o644);
    await workspace.validate(NO_RULES);
    const plain = await workspace.commit("feat: plain\n", BOT);
    expect(await changesBetween(stage.source, odd ?? "", plain ?? "")).toMatchObject([
      { path: "run.sh", change: "modified", mark: "not executable" },
    ]);
  });

  test("commits what was validated, whatever the tree became since", async () => {
    const workspace = await stage.open();
    write(workspace, "src/cart.ts", "validated\n");
    await workspace.validate(NO_RULES);
    write(workspace, "src/cart.ts", "AKIAABCDEFGHIJKLMNOP\n");
    const commit = await workspace.commit("fix: it", BOT);
    expect(stage.git("show", `${commit}:src/cart.ts`)).toBe("validated");
  });

  test("goes on after a crash from the newest commit, with nothing that was not committed", async () => {
    const crashed = await stage.open();
    write(crashed, "src/cart.ts", "first\n");
    await crashed.validate(NO_RULES);
    const commit = await crashed.commit("feat: first", BOT);
    write(crashed, "src/cart.ts", "half\n");
    rmSync(join(stage.home, "work"), { recursive: true });
    stage.git("gc", "--prune=now", "--quiet");
    const resumeFrom = await findRunHead(stage.source, "r1");
    expect(resumeFrom).toBe(commit);
    const workspace = await stage.open("r1", { resumeFrom: String(resumeFrom) });
    expect(read(workspace, "src/cart.ts")).toBe("first\n");
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(["src/cart.ts"]);
    expect(await findRunHead(stage.source, "r2")).toBe(null);
    await workspace.close({ keepCommits: true });
    expect(await findRunHead(stage.source, "r1")).toBe(commit);
  });

  test("is tidied of what checks leave, but for what git ignores", async () => {
    const workspace = await stage.open();
    write(workspace, "build/cache.bin", "kept");
    write(workspace, "report/out.xml", "left");
    write(workspace, "src/cart.ts", "formatted\n");
    rmSync(join(workspace.directory, "src/cart.test.ts"));
    await workspace.tidy();
    expect(read(workspace, "src/cart.ts")).toBe(CART);
    expect(read(workspace, "src/cart.test.ts")).toBe(TEST);
    expect(existsSync(join(workspace.directory, "report"))).toBe(false);
    expect(read(workspace, "build/cache.bin")).toBe("kept");
  });

  test("moves to a newer base, or tells which files do not fit there", async () => {
    const workspace = await stage.open();
    const base = workspace.base;
    write(workspace, "src/cart.ts", `${CART}export const sum = 1;\n`);
    await workspace.validate(NO_RULES);
    await workspace.commit("feat: sum", BOT);
    write(workspace, "src/other.ts", "other\n");
    await workspace.validate(NO_RULES);
    await workspace.commit("feat: other", BOT);
    const newer = stage.commit({ "README.md": "hello\n", "src/cart.ts": `// shop\n${CART}` });
    expect(await workspace.rebaseOnto(newer)).toEqual({ kind: "rebased" });
    expect(workspace.base).toBe(newer);
    expect(read(workspace, "src/cart.ts")).toBe(`// shop\n${CART}export const sum = 1;\n`);
    expect(read(workspace, "README.md")).toBe("hello\n");
    expect(await workspace.validate(NO_RULES)).toEqual({ changed: [], reverted: [] });
    expect(stage.git("log", "--format=%an %s", `${newer}..${workspace.head()}`).split("\n")).toEqual([
      "relay[bot] feat: other",
      "relay[bot] feat: sum",
    ]);
    expect(runGit(workspace.directory, "status", "--porcelain")).toBe("");
    expect(base).not.toBe(newer);
    const head = workspace.head();
    const against = stage.commit({ "src/cart.ts": "all new\n" });
    expect(await workspace.rebaseOnto(against)).toEqual({ kind: "conflict", files: ["src/cart.ts"] });
    expect([workspace.head(), workspace.base]).toEqual([head, newer]);
  });

  test("is taken from one that was prepared, at whatever commit, by one run alone", async () => {
    const older = stage.git("rev-parse", "main");
    await prepareTree(stage.home, stage.source, older);
    const newer = stage.commit({ "src/cart.ts": "newer\n", "src/more.ts": "more\n", "src/cart.test.ts": null });
    await prepareTree(stage.home, stage.source, newer);
    const [first, second] = [await stage.open("first", { commit: older }), await stage.open("second")];
    expect(read(first, "src/cart.ts")).toBe(CART);
    expect(existsSync(join(first.directory, "src/more.ts"))).toBe(false);
    expect(read(second, "src/cart.ts")).toBe("newer\n");
    for (const workspace of [first, second]) {
      expect(runGit(workspace.directory, "status", "--porcelain")).toBe("");
      expect(await workspace.validate(NO_RULES)).toEqual({ changed: [], reverted: [] });
      write(workspace, "src/cart.ts", "changed\n");
      expect((await workspace.validate(NO_RULES)).changed).toHaveLength(1);
    }
    const trees = join(stage.home, "cache", "trees");
    expect(readdirSync(trees, { recursive: true }).filter((name) => String(name).includes("/"))).toEqual([]);
  });

  test("is not opened at a commit that is not there, nor under a name that leads elsewhere", async () => {
    const gone = stage.open("r1", { commit: "1".repeat(40) });
    await expect(gone).rejects.toMatchObject({ code: "not_found" });
    await expect(stage.open("../r1")).rejects.toMatchObject({ code: "internal" });
    await expect(stage.open("r1", { source: stage.folder })).rejects.toMatchObject({ code: "usage" });
    expect(await sweepWorkspaces(stage.home, async () => await Promise.resolve([]), silentLog)).toBe(1);
    expect(stage.git("for-each-ref", "refs/relay")).toBe("");
  });

  test("of a run that is dead is swept away, those of others stay", async () => {
    await stage.open("dead");
    const alive = await stage.open("alive");
    mkdirSync(join(stage.home, "work", "dead", "tree", "shut"), { mode: 0o000 });
    expect(await sweepWorkspaces(stage.home, async () => await Promise.resolve(["alive"]), silentLog)).toBe(1);
    expect(readdirSync(join(stage.home, "work"))).toEqual(["alive"]);
    expect(stage.git("for-each-ref", "--format=%(refname)", "refs/relay")).toBe("refs/relay/runs/alive");
    expect(read(alive, "src/cart.ts")).toBe(CART);
  });

  test("allowed again after everything in it was thrown away", async () => {
    const workspace = await stage.open();
    rmSync(workspace.directory, { recursive: true });
    symlinkSync(stage.folder, workspace.directory);
    await workspace.tidy();
    await workspace.renew();
    expect(readdirSync(workspace.directory).toSorted()).toEqual([".git", ".gitignore", ".relay-task", "src"]);
    expect(existsSync(stage.source)).toBe(true);
  });
});

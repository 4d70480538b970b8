import { chmod, cp, mkdir, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openRepository } from "../../src/code/git/repository.ts";
import { commitTo, gitAt, looseObjects, plant } from "../support/fast-import.ts";
import { NEEDLE, ground } from "./odd-repository-fixture.ts";

const { folder, explored, found } = ground();
const OTHER = { path: "src/other.ts", content: "export const other = 1; // findNeedle\n" };
const BOTH = ["src/needle.ts", "src/other.ts"];
const at = (...parts: string[]) => join(folder, ...parts);
const origin = at("origin");

/** Anything with this in it that appears was run. */
const TRAP = at("trap");

beforeAll(async () => {
  await plant(origin, [NEEDLE]);
  await commitTo(origin, "refs/heads/main", [OTHER]);
  await gitAt(origin, "config", "uploadpack.allowFilter", "true");
});

describe("clones of other forms", () => {
  test.each([
    ["shallow", ["clone", "--depth=1"]],
    ["bare", ["clone", "--bare"]],
    ["mirror", ["clone", "--mirror"]],
    ["sharing the objects of another", ["clone", "--shared"]],
    ["with a sparse checkout", ["clone", "--sparse"]],
    ["with nothing checked out", ["clone", "--no-checkout"]],
    ["with its git directory elsewhere", ["clone", `--separate-git-dir=${at("elsewhere.git")}`]],
  ])("%s are read like any other", async (name, [command = "", ...args]) => {
    const clone = at(name.replaceAll(" ", "-"));
    const source = args.includes("--shared") ? origin : `file://${origin}`;
    await gitAt(folder, command, "--quiet", ...args, source, clone);
    expect(await found(clone)).toEqual(BOTH);
  });

  test("of SHA-256, and one with other work trees", async () => {
    await plant(at("sha256"), [NEEDLE, OTHER], { objects: "sha256" });
    const { answer } = await explored(at("sha256"));
    expect(answer?.files.map(({ path }) => path)).toEqual(BOTH);
    expect(answer?.commit).toMatch(/^[0-9a-f]{64}$/);
    await gitAt(at("sha256"), "worktree", "add", "--quiet", "--no-checkout", at("second"));
    expect(await found(at("second"))).toEqual(BOTH);
  });

  test("from a folder in it, from its git directory, and through a link", async () => {
    await cp(origin, at("within"), { recursive: true });
    await mkdir(at("within/a/b"), { recursive: true });
    await symlink(at("within/a"), at("link"));
    for (const place of ["within/a/b", "within/.git", "within/.git/objects", "link"]) {
      expect(await found(at(place))).toEqual(BOTH);
    }
  });

  test("in a folder whose name has spaces, quotes and line breaks", async () => {
    const odd = at("odd \"name'\n of a -- folder");
    await plant(odd, [NEEDLE]);
    expect(await found(odd)).toEqual(["src/needle.ts"]);
    const repository = await openRepository(odd);
    expect(repository.root).toBe(odd);
    await repository.close();
  });

  test("with a detached head, a tag of a tag, or 20,000 tags", async () => {
    const clone = at("tagged");
    await gitAt(folder, "clone", "--quiet", origin, clone);
    const head = await gitAt(clone, "rev-parse", "HEAD");
    await gitAt(clone, "checkout", "--quiet", "--detach", "HEAD~1");
    expect(await found(clone)).toEqual(["src/needle.ts"]);
    const tags = Array.from({ length: 20_000 }, (_, n) => `${head} refs/tags/t${String(n).padStart(5, "0")}\n`);
    const packed = join(clone, ".git/packed-refs");
    await writeFile(packed, `${await readFile(packed, "utf8")}${tags.join("")}`);
    await gitAt(clone, "tag", "-a", "-m", "one", "one", "main");
    await gitAt(clone, "tag", "-a", "-m", "two", "two", "one");
    for (const ref of ["t19999", "two", "main", head, head.slice(0, 12), "HEAD@{0}~0^0"]) {
      const paths = await found(clone, "findNeedle", "--ref", ref);
      expect(paths).toEqual(ref.startsWith("HEAD") ? ["src/needle.ts"] : BOTH);
    }
    for (const ref of ["main^{tree}", "main:src/needle.ts", "-h", "..", "HEAD@{5}", "\u0000"]) {
      const { code, err } = await explored(clone, "findNeedle", `--ref=${ref}`);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^relay: [^\n]*commit[^\n]*\n$/) });
    }
  });
});

describe("clones that lack something", () => {
  test("a partial clone is read without fetching, and says what it lacks", async () => {
    const clone = at("partial");
    await gitAt(folder, "clone", "--quiet", "--filter=blob:none", "--no-checkout", `file://${origin}`, clone);
    await rename(origin, at("unreachable"));
    const objects = await gitAt(clone, "count-objects", "-v");
    const repository = await openRepository(clone);
    expect((await repository.files()).map(({ path, size }) => ({ path, size }))).toEqual(
      BOTH.map((path) => ({ path, size: null })),
    );
    await expect(repository.readFile("src/needle.ts")).rejects.toMatchObject({ code: "not_found" });
    await repository.close();
    expect(await gitAt(clone, "count-objects", "-v")).toBe(objects);
    await rename(at("unreachable"), origin);
  });

  // Until the index asks only for blobs whose size the listing tells: `cat-file` ends at the first that is missing.
  test("a partial clone is searched by its names", async () => {
    const clone = at("partial-named");
    await gitAt(folder, "clone", "--quiet", "--filter=blob:none", "--no-checkout", `file://${origin}`, clone);
    const { answer } = await explored(clone, "needle");
    expect(answer?.files.map(({ path }) => path)).toEqual(["src/needle.ts"]);
    expect(answer?.skipped).toEqual([{ reason: "missing", files: 2, examples: BOTH }]);
  });

  test("a clone without its trees is refused with the mend", async () => {
    const clone = at("treeless.git");
    await gitAt(folder, "clone", "--quiet", "--bare", "--filter=tree:0", `file://${origin}`, clone);
    const { code, err } = await explored(clone);
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringMatching(/^relay: cannot list the files of [^\n]*; fetch or clone it whole\n$/),
    });
  });

  test.each([
    ["missing", async (file: string) => await rm(file)],
    ["corrupt", async (file: string) => await writeFile(file, "no object")],
    ["cut short", async (file: string) => await writeFile(file, (await readFile(file)).subarray(0, 10))],
    ["empty", async (file: string) => await writeFile(file, "")],
  ])("a content that is %s leaves the others", async (name, damage) => {
    const clone = at(`content-${name.replaceAll(" ", "-")}`);
    await plant(clone, [NEEDLE, OTHER]);
    const blob = await gitAt(clone, "rev-parse", "main:src/other.ts");
    await looseObjects(clone);
    const file = join(clone, ".git/objects", blob.slice(0, 2), blob.slice(2));
    await chmod(file, 0o644);
    await damage(file);
    const { answer } = await explored(clone);
    expect(answer?.files.map(({ path }) => path)).toContain("src/needle.ts");
    expect(answer?.skipped).toEqual([{ reason: "missing", files: 1, examples: ["src/other.ts"] }]);
    const repository = await openRepository(clone);
    await expect(repository.readFile("src/other.ts")).rejects.toMatchObject({ code: "not_found" });
    expect(await repository.readFile("src/needle.ts")).toContain("findNeedle");
    await repository.close();
  });

  test("a pack with a flipped bit leaves what it did not hit, or is refused in one sentence", async () => {
    const clone = at("flipped");
    await plant(clone, [NEEDLE, OTHER]);
    const packs = join(clone, ".git/objects/pack");
    const pack = join(packs, (await readdir(packs)).find((name) => name.endsWith(".pack")) ?? "");
    const whole = await readFile(pack);
    await chmod(pack, 0o644);
    for (let byte = 12; byte < whole.length - 20; byte += 7) {
      const bytes = Buffer.from(whole);
      bytes[byte] = (bytes[byte] ?? 0) ^ 0x10;
      await writeFile(pack, bytes);
      const { code, err } = await explored(clone);
      expect(`${code} ${err}`).toMatch(/^(?:0 |[23] relay: (?!something unexpected)[^\n]+\n)$/);
    }
  });

  test("a lost commit is told from a repository without commits", async () => {
    const lost = at("lost");
    await gitAt(folder, "clone", "--quiet", "--shared", origin, lost);
    await writeFile(join(lost, ".git/objects/info/alternates"), "/nowhere/objects\n");
    expect((await explored(lost)).err).toMatch(/has lost the commit [0-9a-f]{40} .*fetch or clone it again/);
    await gitAt(".", "init", "--quiet", at("unborn"));
    expect(await explored(at("unborn"))).toMatchObject({ code: 2, err: expect.stringContaining("has no commit yet") });
  });
});

describe("configurations", () => {
  test.each([
    ["unreadable", "[broken\n", /bad config/],
    ["of a later git", "[core]\n\trepositoryformatversion = 99\n", /repo version/],
    ["with an unknown extension", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tweird = 1\n", /extension/],
  ])("%s are refused with git's reason", async (name, text, reason) => {
    const clone = at(`config-${name.replaceAll(" ", "-")}`);
    await plant(clone, [NEEDLE]);
    await writeFile(join(clone, ".git/config"), text);
    expect(await explored(clone)).toMatchObject({ code: 2, err: expect.stringMatching(reason) });
  });

  test("another work tree changes nothing of what is read", async () => {
    const clone = at("core-worktree");
    await plant(clone, [NEEDLE]);
    await mkdir(at("other-tree"));
    await writeFile(at("other-tree/secret.ts"), "findNeedle\n");
    await gitAt(clone, "config", "core.worktree", at("other-tree"));
    expect(await found(clone)).toEqual(["src/needle.ts"]);
  });

  test("no program that a repository names is run", async () => {
    const clone = at("hostile");
    await gitAt(folder, "clone", "--quiet", origin, clone);
    const script = at("trap.sh");
    await writeFile(script, `#!/bin/sh\necho "$0 $*" >> '${TRAP}'\ncat\n`);
    await chmod(script, 0o755);
    const values = [
      ...["core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.gitProxy"],
      ...["core.alternateRefsCommand", "pager.grep", "pager.log", "pager.show", "diff.external", "diff.odd.command"],
      ...["diff.odd.textconv", "filter.odd.smudge", "filter.odd.clean", "filter.odd.process", "gpg.program"],
      ...["gpg.ssh.program", "merge.odd.driver", "credential.helper", "uploadpack.packObjectsHook", "sequence.editor"],
      ...["interactive.diffFilter", "remote.origin.uploadpack", "trailer.odd.command", "browser.odd.cmd"],
    ];
    for (const name of values) await gitAt(clone, "config", name, script);
    for (const name of ["grep", "log", "ls-tree", "cat-file", "rev-parse", "config", "diff-tree"]) {
      await gitAt(clone, "config", `alias.${name}`, `!${script}`);
    }
    await gitAt(clone, "config", "log.showSignature", "true");
    await gitAt(clone, "config", "grep.fallbackToNoIndex", "true");
    await gitAt(clone, "config", "core.hooksPath", at("hooks"));
    await gitAt(clone, "config", "remote.origin.url", `ext::${script}`);
    await gitAt(clone, "config", "remote.origin.promisor", "true");
    await gitAt(clone, "config", "protocol.ext.allow", "always");
    await mkdir(at("hooks"));
    const hooks = ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"];
    for (const where of [at("hooks"), join(clone, ".git/hooks")]) {
      await mkdir(where, { recursive: true });
      for (const hook of hooks) await cp(script, join(where, hook));
    }
    await mkdir(join(clone, ".git/info"), { recursive: true });
    await writeFile(join(clone, ".git/info/attributes"), "* diff=odd filter=odd merge=odd\n");
    await commitTo(clone, "refs/heads/main", [{ path: ".gitattributes", content: "* diff=odd filter=odd\n" }]);
    await rm(TRAP, { force: true });

    expect(await found(clone)).toEqual(BOTH);
    expect(await found(clone, "findNeedle", "--ref", "main~1")).toEqual(BOTH);
    const repository = await openRepository(clone);
    await repository.files();
    const lines = [];
    for await (const line of repository.search("findNeedle")) lines.push(line);
    expect(lines.map(({ path }) => path)).toEqual(BOTH);
    await repository.log("src/needle.ts");
    await repository.readFile("src/needle.ts");
    await repository.close();
    expect(await readFile(TRAP, "utf8").catch(() => "nothing ran")).toBe("nothing ran");
  });
});

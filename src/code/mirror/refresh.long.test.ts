import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { startGitServer, type GitServer } from "../../../test/support/git-server.ts";
import { incompressible, makeOrigin } from "../../../test/support/git-origin.ts";
import { some } from "../../../test/support/tries.ts";
import { RelayError } from "../../lib/errors.ts";
import { systemClock } from "../../lib/clock.ts";
import { openRepository } from "../git/repository.ts";
import { mirrorPath, removeMirror } from "./mirror-directory.ts";
import { refreshMirror } from "./refresh.ts";

const base = mkdtempSync(join(tmpdir(), "relay-mirror-"));
const served = join(base, "served");
const home = join(base, "home");
let server: GitServer;

function refresh(name: string, refs: readonly string[] = []) {
  return refreshMirror({ url: urlOf(name), refs }, { home, clock: systemClock });
}

function urlOf(name: string): string {
  return `${server.origin}/${name}.git`;
}

function inMirror(name: string, ...args: string[]): string {
  const directory = mirrorPath(home, urlOf(name));
  return execFileSync("git", ["--git-dir", directory, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
}

function refsOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

async function failure(promise: Promise<unknown>): Promise<RelayError> {
  const error: unknown = await promise.then(
    () => new Error("no error"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof RelayError) return error;
  throw error;
}

beforeAll(async () => {
  execFileSync("mkdir", ["-p", served]);
  server = await startGitServer(served);
});

afterEach(() => {
  server.release();
  server.instead = undefined;
});

afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

describe("a mirror follows its remote", () => {
  test("the first refresh clones branches, tags and the default branch, readable by the explorer", async () => {
    const origin = makeOrigin(served, "first");
    origin.git("tag", "-m", "One", "v1");
    origin.git("push", "-q", "origin", "v1", "HEAD:refs/heads/other", "HEAD:refs/pull/1/head");
    const mirror = await refresh("first");
    expect(mirror).toMatchObject({ defaultBranch: "main", changed: true, directory: mirrorPath(home, urlOf("first")) });
    expect(refsOf(inMirror("first", "for-each-ref", "--format=%(refname)"))).toEqual([
      "refs/heads/main",
      "refs/heads/other",
      "refs/tags/v1",
    ]);
    const repository = await openRepository(mirror.directory);
    expect(repository).toMatchObject({ branch: "main" });
    expect(await repository.readFile("src/cart.ts")).toBe("export const total = 0;\n");
    await repository.close();
    expect(readdirSync(mirror.directory)).not.toContain("hooks");
  });

  test("nothing new is told as unchanged and asks for no pack", async () => {
    makeOrigin(served, "still");
    await refresh("still");
    server.seen.length = 0;
    expect(await refresh("still")).toMatchObject({ changed: false });
    // ls-remote is a GET and one POST of protocol 2.
    expect(server.seen.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });

  test("a later refresh transfers only what is new", async () => {
    const origin = makeOrigin(served, "grown");
    origin.commit("big.bin", incompressible(500_000));
    await refresh("grown");
    const commit = origin.commit("small.txt", "small\n");
    server.sent = 0;
    expect(await refresh("grown")).toMatchObject({ changed: true });
    expect(server.sent).toBeLessThan(10_000);
    expect(inMirror("grown", "rev-parse", "HEAD")).toBe(commit);
  });

  test("a deleted branch goes, also where a new one needs its name as a folder", async () => {
    const origin = makeOrigin(served, "pruned");
    origin.git("push", "-q", "origin", "HEAD:refs/heads/fix", "HEAD:refs/tags/t");
    await refresh("pruned");
    origin.git("push", "-q", "origin", ":fix", ":refs/tags/t");
    origin.git("push", "-q", "origin", "HEAD:refs/heads/fix/cart");
    expect(await refresh("pruned")).toMatchObject({ changed: true });
    expect(refsOf(inMirror("pruned", "for-each-ref", "--format=%(refname)"))).toEqual([
      "refs/heads/fix/cart",
      "refs/heads/main",
    ]);
  });

  test("a force push replaces the branch, and a moved tag the tag", async () => {
    const origin = makeOrigin(served, "forced");
    origin.git("tag", "nightly");
    origin.git("push", "-q", "origin", "nightly");
    await refresh("forced");
    origin.git("commit", "-q", "--amend", "-m", "Another first");
    origin.git("tag", "-f", "nightly");
    origin.git("push", "-q", "--force", "origin", "main", "nightly");
    await refresh("forced");
    expect(inMirror("forced", "rev-parse", "main", "nightly").split("\n")).toEqual([
      origin.git("rev-parse", "HEAD"),
      origin.git("rev-parse", "HEAD"),
    ]);
  });

  test.each([
    ["renamed", "trunk"],
    ["renamed-below", "main/next"],
  ])("a renamed default branch is followed (%s)", async (name, branch) => {
    const origin = makeOrigin(served, name);
    await refresh(name);
    origin.bare("branch", "-m", "main", "moving");
    origin.bare("branch", "-m", "moving", branch);
    origin.bare("symbolic-ref", "HEAD", `refs/heads/${branch}`);
    expect(await refresh(name)).toMatchObject({ defaultBranch: branch, changed: true });
    expect(inMirror(name, "symbolic-ref", "HEAD")).toBe(`refs/heads/${branch}`);
    expect(inMirror(name, "for-each-ref", "--format=%(refname)")).toBe(`refs/heads/${branch}`);
  });

  test("another default branch is a change, though no branch moved", async () => {
    const origin = makeOrigin(served, "switched");
    origin.git("push", "-q", "origin", "HEAD:refs/heads/next");
    await refresh("switched");
    origin.bare("symbolic-ref", "HEAD", "refs/heads/next");
    expect(await refresh("switched")).toMatchObject({ defaultBranch: "next", changed: true });
  });

  test("a HEAD that names no branch falls back to one that is there", async () => {
    const origin = makeOrigin(served, "headless");
    origin.bare("symbolic-ref", "HEAD", "refs/heads/gone");
    expect(await refresh("headless")).toMatchObject({ defaultBranch: "main" });
    origin.bare("update-ref", "--no-deref", "HEAD", origin.git("rev-parse", "HEAD"));
    expect(await refresh("headless")).toMatchObject({ defaultBranch: "main" });
  });

  test("the head of a pull request comes when it is asked for by name, and stays", async () => {
    const origin = makeOrigin(served, "pulled");
    origin.git("push", "-q", "origin", "HEAD:refs/pull/7/head", "HEAD:refs/pull/8/head");
    await refresh("pulled", ["refs/pull/7/head"]);
    await refresh("pulled");
    expect(inMirror("pulled", "for-each-ref", "--format=%(refname)", "refs/pull")).toBe("refs/pull/7/head");
    const error = await failure(refresh("pulled", ["refs/pull/9/head"]));
    expect(error).toMatchObject({ code: "not_found", message: expect.stringContaining("refs/pull/9/head") });
  });

  test("a repository without a commit is told as such, and cloned once it has one", async () => {
    const origin = makeOrigin(served, "empty", { empty: true });
    const error = await failure(refresh("empty"));
    expect(error).toMatchObject({ code: "not_found", message: expect.stringContaining("no branch yet") });
    expect(existsSync(mirrorPath(home, urlOf("empty")))).toBe(false);
    origin.commit("a.txt", "a\n");
    expect(await refresh("empty")).toMatchObject({ changed: true });
  });

  test("a repository with SHA-256 names is mirrored as one", async () => {
    const work = join(base, "sha256-work");
    execFileSync("git", ["init", "-q", "--object-format=sha256", "-b", "main", work]);
    const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    execFileSync("git", [...identity, "commit", "-q", "--allow-empty", "-m", "First"], { cwd: work });
    execFileSync("git", ["clone", "-q", "--bare", work, join(served, "sha256.git")]);
    await refresh("sha256");
    expect(inMirror("sha256", "rev-parse", "HEAD")).toMatch(/^[0-9a-f]{64}$/);
    expect(await refresh("sha256")).toMatchObject({ changed: false });
  });

  test("a home that is given relative to the current folder will do", async () => {
    const origin = makeOrigin(served, "relative");
    const options = { home: relative(process.cwd(), join(base, "other-home")), clock: systemClock };
    const { directory } = await refreshMirror({ url: urlOf("relative") }, options);
    expect(directory).toBe(mirrorPath(join(base, "other-home"), urlOf("relative")));
    expect((await openRepository(directory)).commit).toBe(origin.git("rev-parse", "HEAD"));
  });

  test("a home that cannot be written is told as such", async () => {
    writeFileSync(join(base, "a-file"), "");
    const options = { home: join(base, "a-file"), clock: systemClock };
    const error = await failure(refreshMirror({ url: urlOf("any") }, options));
    expect(error).toMatchObject({ code: "io", message: expect.stringContaining("RELAY_HOME") });
  });

  test("a file URL is mirrored too", async () => {
    const origin = makeOrigin(served, "filed");
    const mirror = await refreshMirror({ url: `file://${served}/filed.git` }, { home, clock: systemClock });
    expect((await openRepository(mirror.directory)).commit).toBe(origin.git("rev-parse", "HEAD"));
    const error = await failure(refreshMirror({ url: `file://${served}/none.git` }, { home, clock: systemClock }));
    expect(error.code).toBe("not_found");
  });
});

describe("a broken mirror is cloned again", () => {
  const damages: [string, (directory: string) => void][] = [
    ["deleted objects", (directory) => rmSync(join(directory, "objects"), { recursive: true })],
    [
      "a pack that was cut",
      (directory) => {
        const packs = join(directory, "objects", "pack");
        for (const name of readdirSync(packs).filter((file) => file.endsWith(".pack"))) {
          const content = readFileSync(join(packs, name));
          rmSync(join(packs, name));
          writeFileSync(join(packs, name), content.subarray(0, content.length / 2));
        }
      },
    ],
    [
      "an old pack that is gone, while HEAD can be read",
      (directory) => {
        const packs = join(directory, "objects", "pack");
        const newest = execFileSync("git", ["--git-dir", directory, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
        for (const name of readdirSync(packs).filter((file) => file.endsWith(".idx"))) {
          const index = readFileSync(join(packs, name));
          const held = execFileSync("git", ["show-index"], { input: index, encoding: "utf8" });
          if (held.includes(newest)) continue;
          rmSync(join(packs, name));
          rmSync(join(packs, name.replace(/idx$/, "pack")));
        }
      },
    ],
    ["broken packed-refs", (directory) => writeFileSync(join(directory, "packed-refs"), "nonsense\n")],
    ["a broken branch", (directory) => writeFileSync(join(directory, "refs/heads/main"), "nonsense\n")],
    ["an empty HEAD", (directory) => writeFileSync(join(directory, "HEAD"), "")],
    ["a broken configuration", (directory) => appendFileSync(join(directory, "config"), "[core\n")],
  ];

  test.each(some(damages))("%s", async (what, damage) => {
    const name = `broken-${what.replaceAll(/[^a-z]+/gi, "-")}`;
    const origin = makeOrigin(served, name);
    origin.commit("a.txt", "a\n");
    const { directory } = await refresh(name);
    // A second pack, which holds all that HEAD's files need but for the history.
    origin.git("rm", "-rq", ".");
    origin.commit("b.txt", "b\n");
    await refresh(name);
    damage(directory);
    expect(await refresh(name)).toMatchObject({ directory, defaultBranch: "main" });
    inMirror(name, "fsck", "--full", "--strict");
    expect(inMirror(name, "rev-parse", "main")).toBe(origin.git("rev-parse", "HEAD"));
    expect(await refresh(name)).toMatchObject({ changed: false });
    expect(readdirSync(join(home, "mirrors")).filter((entry) => entry.startsWith("."))).toEqual([]);
  });

  test("lock files of a killed git are taken away", async () => {
    const origin = makeOrigin(served, "locked");
    const { directory } = await refresh("locked");
    for (const lock of ["HEAD.lock", "packed-refs.lock", "refs/heads/main.lock"])
      writeFileSync(join(directory, lock), "");
    writeFileSync(join(directory, "objects/pack/tmp_pack_x1"), "half");
    const commit = origin.commit("a.txt", "a\n");
    await refresh("locked");
    expect(inMirror("locked", "rev-parse", "HEAD")).toBe(commit);
    expect(readdirSync(join(directory, "objects/pack")).filter((name) => name.startsWith("tmp_"))).toEqual([]);
  });

  test("what git writes to the error stream for other reasons is no damage", async () => {
    makeOrigin(served, "chatty");
    await refresh("chatty");
    vi.stubEnv("GIT_TRACE", "1");
    try {
      expect(await refresh("chatty")).toMatchObject({ changed: false });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("packs put together by somebody else are no damage", async () => {
    const origin = makeOrigin(served, "repacked");
    await refresh("repacked");
    origin.commit("a.txt", "a\n");
    await refresh("repacked");
    inMirror("repacked", "repack", "-adq");
    server.sent = 0;
    expect(await refresh("repacked")).toMatchObject({ changed: false });
  });
});

describe("remote content and other settings run nothing", () => {
  test("what somebody put into the mirror's configuration or hooks is gone or switched off", async () => {
    const origin = makeOrigin(served, "tampered");
    const { directory } = await refresh("tampered");
    const trap = join(base, "trap");
    const script = `#!/bin/sh\ntouch ${trap}\n`;
    appendFileSync(
      join(directory, "config"),
      `[core]\n\tfsmonitor = touch ${trap}\n\tsshCommand = touch ${trap}\n[credential]\n\thelper = "!touch ${trap}"\n[url "file:///elsewhere/"]\n\tinsteadOf = "${server.origin}/"\n`,
    );
    execFileSync("mkdir", ["-p", join(directory, "hooks")]);
    for (const hook of ["reference-transaction", "post-checkout", "pre-auto-gc"]) {
      writeFileSync(join(directory, "hooks", hook), script, { mode: 0o755 });
    }
    const commit = origin.commit("a.txt", "a\n");
    await refresh("tampered");
    expect(inMirror("tampered", "rev-parse", "HEAD")).toBe(commit);
    expect(existsSync(trap)).toBe(false);
  });
});

describe("objects that git checks", () => {
  function withTree(name: string, tree: Buffer): void {
    const origin = makeOrigin(served, name);
    const bare = join(served, `${name}.git`);
    const made = execFileSync("git", ["hash-object", "-t", "tree", "--literally", "-w", "--stdin"], {
      cwd: bare,
      input: tree,
      encoding: "utf8",
    }).trim();
    const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    const commit = execFileSync("git", [...identity, "commit-tree", "-m", "Odd", made], {
      cwd: bare,
      encoding: "utf8",
    });
    origin.bare("update-ref", "refs/heads/main", commit.trim());
  }

  test("a tree that would write into .git refuses the repository", async () => {
    const origin = makeOrigin(served, "blob-holder");
    const blob = Buffer.from(origin.git("rev-parse", "HEAD:src/cart.ts"), "hex");
    withTree("hostile", Buffer.concat([Buffer.from("100644 .git\0"), blob]));
    const error = await failure(refresh("hostile"));
    expect(error).toMatchObject({ code: "invalid", retryable: false });
    expect(existsSync(mirrorPath(home, urlOf("hostile")))).toBe(false);
  });

  test("file modes as old tools wrote them do not", async () => {
    const origin = makeOrigin(served, "tree-holder");
    const tree = Buffer.from(origin.git("rev-parse", "HEAD:src"), "hex");
    withTree("zero-padded", Buffer.concat([Buffer.from("040000 src\0"), tree]));
    const { directory } = await refresh("zero-padded");
    const repository = await openRepository(directory);
    expect(await repository.exists("src/cart.ts")).toBe(true);
    await repository.close();
  });
});

describe("removing a mirror", () => {
  test("takes everything of it away, and tells whether there was one", async () => {
    makeOrigin(served, "removed");
    const { directory } = await refresh("removed");
    expect(await removeMirror(mirrorPath(home, urlOf("removed")))).toBe(true);
    expect(existsSync(directory)).toBe(false);
    expect(readdirSync(join(home, "mirrors")).filter((name) => name.includes("removed"))).toEqual([]);
    expect(await removeMirror(mirrorPath(home, urlOf("removed")))).toBe(false);
    expect(await refresh("removed")).toMatchObject({ changed: true });
  });

  test("a reader at work gets the right text or an error, never another text", async () => {
    makeOrigin(served, "read");
    const { directory } = await refresh("read");
    const repository = await openRepository(directory);
    await repository.readFile("src/cart.ts");
    await removeMirror(directory);
    const text = await repository
      .readFile("src/cart.ts")
      .catch((error: unknown) => (error instanceof RelayError ? "an error" : String(error)));
    expect(["export const total = 0;\n", "an error"]).toContain(text);
    await repository.close();
  });
});

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { array, assert, constantFrom, property } from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RelayError } from "../../lib/errors.ts";
import { openRepository, type Repository } from "./repository.ts";
import { publicRemoteUrl } from "./remote-url.ts";
import { treePath } from "./tree-path.ts";

const base = mkdtempSync(join(tmpdir(), "relay-explore-"));
const work = join(base, "work");
let repository: Repository;

function git(...args: string[]): string {
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], {
    cwd: work,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), content);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "no error";
  } catch (error) {
    return error instanceof RelayError ? error.code : String(error);
  }
}

async function listed<Each>(each: AsyncIterable<Each>): Promise<Each[]> {
  const all: Each[] = [];
  for await (const one of each) all.push(one);
  return all;
}

beforeAll(async () => {
  mkdirSync(work);
  git("init", "-q", "-b", "main");
  put("src/cart.ts", "export function total() {\n  return 0;\n}\n");
  put("src/привет мир.ts", "export const greeting = 'a.b';\n");
  put("empty.txt", "");
  put("no-end.txt", "one\ntwo");
  put("logo.bin", Buffer.from([1, 0, 2, 0]));
  put("latin1.txt", Buffer.from([0x63, 0xe9, 0x0a]));
  put("big.txt", `${"x".repeat(79)}\n`.repeat(40_000));
  put("sub/folder/deep.ts", "// a.b\n// axb\n");
  symlinkSync("/etc/passwd", join(work, "link.txt"));
  git("add", "-A");
  git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},module`);
  git("commit", "-q", "-m", "First");
  git("tag", "v1");
  put("src/cart.ts", "export function total() {\n  return 1;\n}\n");
  git("add", "src/cart.ts");
  git("commit", "-q", "-m", "Count the cart");
  git("remote", "add", "origin", "https://ann:secret@git.example.org/shop/shop.git?private_token=secret");
  put("src/cart.ts", "not committed");
  repository = await openRepository(work);
});

afterAll(async () => {
  await repository.close();
  rmSync(base, { recursive: true, force: true });
});

describe("opening a repository", () => {
  test("tells the commit and the branch", () => {
    expect(repository.commit).toBe(git("rev-parse", "HEAD").trim());
    expect(repository.branch).toBe("main");
    expect(repository.root.endsWith("/work")).toBe(true);
  });

  test("a folder of the work tree and a ref give the whole tree at that ref", async () => {
    const old = await openRepository(join(work, "sub"), { ref: "v1" });
    expect(await old.readFile("src/cart.ts")).toContain("return 0");
    expect(await listed(old.search("return"))).toHaveLength(1);
    expect(await old.log("src/cart.ts")).toHaveLength(1);
    expect(old.branch).toBeUndefined();
    await old.close();
  });

  test("a bare repository reads the same", async () => {
    const bare = join(base, "bare.git");
    git("clone", "-q", "--bare", work, bare);
    const opened = await openRepository(bare);
    expect(opened.root).toBe(bare);
    expect(await opened.files()).toEqual(await repository.files());
    expect(await opened.readFile("no-end.txt")).toBe("one\ntwo");
    await opened.close();
  });

  test("a place that is no repository, an empty one and a missing ref are usage errors", async () => {
    const empty = join(base, "empty");
    execFileSync("git", ["init", "-q", empty]);
    expect(await codeOf(openRepository(join(base, "nowhere")))).toBe("usage");
    expect(await codeOf(openRepository(base))).toBe("usage");
    expect(await codeOf(openRepository(empty))).toBe("usage");
    expect(await codeOf(openRepository(work, { ref: "nope" }))).toBe("usage");
    expect(await codeOf(openRepository(work, { ref: "--all" }))).toBe("usage");
  });

  test("programs that the repository's own configuration names are not run", async () => {
    const trap = join(base, "trap");
    const script = join(base, "trap.sh");
    writeFileSync(script, `#!/bin/sh\ntouch ${trap}\n`);
    chmodSync(script, 0o755);
    const hostile = join(base, "hostile.git");
    git("clone", "-q", "--bare", work, hostile);
    const names = ["core.fsmonitor", "core.pager", "pager.log", "pager.grep", "diff.external", "gpg.program"];
    for (const name of names) execFileSync("git", ["-C", hostile, "config", name, script]);
    execFileSync("git", ["-C", hostile, "config", "log.showSignature", "true"]);
    const opened = await openRepository(hostile);
    await opened.files();
    await listed(opened.search("total"));
    await opened.log("src/cart.ts");
    await opened.readFile("src/cart.ts");
    await opened.close();
    expect(readdirSync(base)).not.toContain("trap");
  });
});

describe("reading at a commit", () => {
  test("the working tree is not looked at", async () => {
    expect(await repository.readFile("src/cart.ts")).toContain("return 1");
  });

  test("names in any script, empty files and files of other encodings can be read", async () => {
    expect(await repository.readFile("src/привет мир.ts")).toContain("greeting");
    expect(await repository.readFile("./empty.txt")).toBe("");
    expect(await repository.readFile("latin1.txt")).toBe("c\ufffd\n");
    expect(await repository.readFile("src/none.ts")).toBeNull();
  });

  test("many reads at once give each its own file", async () => {
    const paths = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? "src/cart.ts" : "no-end.txt"));
    const texts = await Promise.all(paths.map((path) => repository.readFile(path)));
    expect(texts.every((text, index) => text?.startsWith(index % 2 === 0 ? "export" : "one"))).toBe(true);
  });

  test("binary and large files, links, submodules and paths outside are refused", async () => {
    expect(await codeOf(repository.readFile("logo.bin"))).toBe("invalid");
    expect(await codeOf(repository.readFile("big.txt"))).toBe("too_large");
    expect(await codeOf(repository.readFile("link.txt"))).toBe("forbidden");
    expect(await codeOf(repository.readFile("module"))).toBe("forbidden");
    for (const path of [
      "../work/src/cart.ts",
      "/etc/passwd",
      ".git/config",
      "src/../.git/config",
      "a\0b",
      ".GIT/HEAD",
    ]) {
      expect(await codeOf(repository.readFile(path))).toBe("forbidden");
      expect(await repository.exists(path)).toBe(false);
    }
  });

  test("lines are counted as an editor counts them", async () => {
    expect(await repository.lines("src/cart.ts")).toBe(3);
    expect(await repository.lines("no-end.txt")).toBe(2);
    expect(await repository.lines("empty.txt")).toBe(0);
    expect(await repository.lines("logo.bin")).toBeNull();
    expect(await repository.lines("link.txt")).toBeNull();
    expect(await repository.lines("none")).toBeNull();
  });

  test("only regular files exist", async () => {
    expect(await repository.exists("src/cart.ts")).toBe(true);
    expect(await repository.exists("link.txt")).toBe(false);
    expect(await repository.exists("module")).toBe(false);
    expect(await repository.exists("src")).toBe(false);
  });

  test("a search by expression gives lines as they are found, and can be left or stopped at any time", async () => {
    const all = await listed(repository.search("[ab]\\.b|greet", { under: ["src", "sub"] }));
    expect(all).toMatchObject([
      { path: "src/привет мир.ts", line: 1, at: 13, cutBefore: false, cutAfter: false },
      { path: "sub/folder/deep.ts", line: 1, text: "// a.b", at: 3 },
    ]);
    for await (const found of repository.search("x")) {
      expect(found).toMatchObject({ path: "big.txt", line: 1 });
      break;
    }
    expect(await listed(repository.search("nowhere"))).toEqual([]);
    expect(await codeOf(listed(repository.search("a(")))).toBe("invalid");
    expect(await codeOf(listed(repository.search("a\nb")))).toBe("invalid");
    const signal = AbortSignal.abort();
    expect(await codeOf(listed(repository.search("x", { signal })))).toBe("timeout");
    expect(await codeOf(repository.history("src", { signal }))).toBe("timeout");
    expect(await codeOf(repository.history("../x"))).toBe("forbidden");
  });

  test("the history of a folder names all that its commits changed", async () => {
    const [newest, first] = await repository.history("src");
    expect(newest).toMatchObject({ author: "Ann", subject: "Count the cart", paths: ["src/cart.ts"], changed: 1 });
    expect(first?.paths).toContain("sub/folder/deep.ts");
    expect(await repository.history("", { limit: 1 })).toHaveLength(1);
  });

  test("the history of a file is newest first", async () => {
    const changes = await repository.log("src/cart.ts");
    expect(changes.map((change) => change.subject)).toEqual(["Count the cart", "First"]);
    expect(await repository.log("../x")).toEqual([]);
  });
});

describe("paths and addresses", () => {
  test("no path that is let through can leave the tree", () => {
    const part = constantFrom("..", ".", "", "a", ".git", ".Git", "git~1", ".git ", ".gi\u200ct", "b.ts", "C:", "\0");
    assert(
      property(array(part, { maxLength: 6 }), constantFrom("/", "\\"), (parts, separator) => {
        const path = treePath(parts.join(separator));
        if (path === null) return;
        expect(path.split("/").every((each) => each !== ".." && each !== "" && !/^\.git$/i.test(each))).toBe(true);
        expect(path.startsWith("/")).toBe(false);
      }),
    );
  });

  test.each([
    ["https://x-access-token:abc@github.com/acme/shop.git", "https://github.com/acme/shop.git"],
    ["git@github.com:acme/shop.git", "ssh://github.com/acme/shop.git"],
    ["ssh://git:pw@git.example.org:2222/acme/shop", "ssh://git.example.org:2222/acme/shop"],
    ["/srv/git/shop.git", undefined],
    ["file:///srv/git/shop.git", undefined],
    ["", undefined],
  ])("%s is shown as %s", (remote, shown) => {
    expect(publicRemoteUrl(remote)).toBe(shown);
  });
});

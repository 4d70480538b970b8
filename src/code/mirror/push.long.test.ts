import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startGitServer, type GitServer } from "../../../test/support/git-server.ts";
import { makeOrigin, type Origin } from "../../../test/support/git-origin.ts";
import { RelayError } from "../../lib/errors.ts";
import { pushBranch, pushLocal } from "./push.ts";

const base = mkdtempSync(join(tmpdir(), "relay-push-"));
const credential = { username: "relay", password: "right-horse-battery" };
let server: GitServer;
let origin: Origin;
let name = "";
let count = 0;

beforeAll(async () => {
  server = await startGitServer(base);
});

beforeEach(() => {
  server.login = undefined;
  server.instead = undefined;
  count += 1;
  name = `shop${count}`;
  origin = makeOrigin(base, name);
  origin.bare("config", "http.receivepack", "true");
});

afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

/** A commit on top of another in a git directory that the remote does not know of yet. */
function work(parent: string, text: string): string {
  const blob = origin.git("hash-object", "-w", file(text));
  return origin.git("commit-tree", "-p", parent, "-m", text, tree(blob));
}

function file(text: string): string {
  const path = join(base, `${name}-work`, "content");
  writeFileSync(path, text);
  return path;
}

function tree(blob: string): string {
  return execFileSync("git", ["mktree"], {
    cwd: join(base, `${name}-work`),
    input: `100644 blob ${blob}\tcart.ts\n`,
    encoding: "utf8",
  }).trim();
}

function push(commit: string, expected: string | null, branch = "relay/7-cart") {
  const directory = join(base, `${name}-work`, ".git");
  return pushBranch(
    { url: `${server.origin}/${name}.git`, ...(server.login === undefined ? {} : { credential: server.login }) },
    { directory, commit, branch, expected },
  );
}

function branchAt(branch = "relay/7-cart"): string {
  return origin.bare("rev-parse", "--verify", `refs/heads/${branch}`);
}

async function failure(promise: Promise<unknown>): Promise<RelayError> {
  const error: unknown = await promise.then(
    () => new Error("no error"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof RelayError) return error;
  throw error;
}

describe("a branch pushed over HTTP", () => {
  test("is made once, with the credential, and moved on from where it was", async () => {
    server.login = credential;
    const main = origin.bare("rev-parse", "main");
    const first = work(main, "first");
    expect(await push(first, null)).toEqual({ kind: "pushed" });
    expect(branchAt()).toBe(first);
    expect(await push(first, null)).toEqual({ kind: "already there" });
    const second = work(first, "second");
    expect(await push(second, first)).toEqual({ kind: "pushed" });
    const rebased = work(main, "rebased");
    expect(await push(rebased, second)).toEqual({ kind: "pushed" });
    expect(branchAt()).toBe(rebased);
    expect(origin.bare("rev-parse", "main")).toBe(main);
  });

  test("never replaces what somebody else pushed", async () => {
    const main = origin.bare("rev-parse", "main");
    const theirs = work(main, "theirs");
    await push(theirs, null);
    const ours = work(main, "ours");
    expect(await push(ours, null)).toMatchObject({ kind: "rejected", why: "moved", found: theirs });
    expect(await push(ours, main)).toMatchObject({ kind: "rejected", why: "moved", found: theirs });
    expect(branchAt()).toBe(theirs);
    expect(await push(work(ours, "gone"), ours, "relay/none")).toMatchObject({ kind: "rejected", found: null });
  });

  test("that the server's rules refuse is told, and left", async () => {
    const hook = join(base, `${name}.git`, "hooks", "update");
    mkdirSync(join(hook, ".."), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\necho no >&2\nexit 1\n");
    chmodSync(hook, 0o755);
    const main = origin.bare("rev-parse", "main");
    const refused = await push(work(main, "first"), null);
    expect(refused).toMatchObject({ kind: "rejected", why: "refused", found: null });
    expect(refused).toHaveProperty("detail", expect.stringMatching(/did not take relay\/7-cart: .*hook declined/));
  });

  test("needs a credential that may write, and says so without telling it", async () => {
    const main = origin.bare("rev-parse", "main");
    const commit = work(main, "first");
    server.instead = (request, response) => {
      if (!(request.url ?? "").includes("receive-pack")) return false;
      response.writeHead(403).end();
      return true;
    };
    const error = await failure(push(commit, null));
    expect(error).toMatchObject({ code: "forbidden", status: 403 });
    expect(error.message).toMatch(/configure a token that may write to the repository/);
    server.instead = undefined;
    server.login = { username: "relay", password: "another" };
    const url = `${server.origin}/${name}.git`;
    const directory = join(base, `${name}-work`, ".git");
    const told = await failure(pushBranch({ url, credential }, { directory, commit, branch: "x", expected: null }));
    expect(told.code).toBe("forbidden");
    expect(told.message).not.toContain(credential.password);
  });

  test("runs no hook of the repository that it comes from, and takes no odd name", async () => {
    const directory = join(base, `${name}-work`, ".git");
    const mark = join(base, `${name}-mark`);
    mkdirSync(join(directory, "hooks"), { recursive: true });
    writeFileSync(join(directory, "hooks", "pre-push"), `#!/bin/sh\ntouch ${mark}\nexit 1\n`);
    chmodSync(join(directory, "hooks", "pre-push"), 0o755);
    const commit = work(origin.bare("rev-parse", "main"), "first");
    expect(await push(commit, null)).toEqual({ kind: "pushed" });
    expect(existsSync(mark)).toBe(false);
    for (const odd of ["", "a..b", "-x", "a b", "x:refs/heads/main", "a\nb"]) {
      expect((await failure(push(commit, null, odd))).code).toBe("usage");
    }
  });
});

describe("a branch pushed into a repository on this machine", () => {
  test("is made without hooks and without touching its files, and never twice", async () => {
    const local = join(base, `${name}-local`);
    origin.bare("clone", "--quiet", join(base, `${name}.git`), local);
    const mark = join(base, `${name}-mark`);
    mkdirSync(join(local, ".git", "hooks"), { recursive: true });
    writeFileSync(join(local, ".git", "hooks", "reference-transaction"), `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(join(local, ".git", "hooks", "reference-transaction"), 0o755);
    const main = origin.bare("rev-parse", "main");
    const commit = work(main, "first");
    const directory = join(base, `${name}-work`, ".git");
    const asked = { directory, commit, branch: "relay/7-cart", expected: null };
    expect(await pushLocal(join(local, ".git"), asked)).toEqual({ kind: "pushed" });
    expect(await pushLocal(join(local, ".git"), asked)).toEqual({ kind: "already there" });
    expect(existsSync(mark)).toBe(false);
    const inLocal = (...args: string[]) => execFileSync("git", args, { cwd: local, encoding: "utf8" }).trim();
    expect(inLocal("show", "relay/7-cart:cart.ts")).toBe("first");
    expect(inLocal("status", "--porcelain")).toBe("");
    const other = work(main, "other");
    expect(await pushLocal(join(local, ".git"), { ...asked, commit: other })).toMatchObject({
      kind: "rejected",
      why: "moved",
      found: commit,
    });
    inLocal("checkout", "--quiet", "relay/7-cart");
    expect(await pushLocal(join(local, ".git"), { ...asked, commit: other, expected: commit })).toMatchObject({
      kind: "rejected",
      why: "checked out",
    });
    inLocal("checkout", "--quiet", "main");
    expect(await pushLocal(join(local, ".git"), { ...asked, commit: other, expected: commit })).toEqual({
      kind: "pushed",
    });
  });
});

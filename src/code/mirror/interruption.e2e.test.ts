import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startGitServer, type GitServer } from "../../../test/support/git-server.ts";
import { incompressible, makeOrigin } from "../../../test/support/git-origin.ts";
import { RelayError } from "../../lib/errors.ts";
import { systemClock } from "../../lib/clock.ts";
import { silentLog } from "../../lib/log.ts";
import { mirrorPath } from "./mirror-directory.ts";
import { refreshMirror, type RefreshOptions } from "./refresh.ts";

const PACK_BYTES = 300_000;
const CHILD = resolve(import.meta.dirname, "../../../test/children/refresh-mirror.ts");
const hasProc = existsSync("/proc/self/cmdline");
const base = mkdtempSync(join(tmpdir(), "relay-mirror-broken-"));
const served = join(base, "served");
const home = join(base, "home");
let server: GitServer;

function urlOf(name: string): string {
  return `${server.origin}/${name}.git`;
}

function refresh(name: string, options: Partial<RefreshOptions> = {}) {
  return refreshMirror({ url: urlOf(name) }, { home, clock: systemClock, ...options });
}

function startProcess(name: string) {
  return spawn(process.execPath, [CHILD, home, urlOf(name)], { stdio: ["ignore", "pipe", "inherit"] });
}

async function outputOf(child: ReturnType<typeof startProcess>): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout) text += String(chunk);
  return text;
}

async function failure(promise: Promise<unknown>): Promise<RelayError> {
  const error: unknown = await promise.then(
    () => new Error("no error"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof RelayError) return error;
  throw error;
}

function headOf(name: string): string {
  const directory = mirrorPath(home, urlOf(name));
  execFileSync("git", ["--git-dir", directory, "fsck", "--full", "--strict"], { stdio: "pipe" });
  return execFileSync("git", ["--git-dir", directory, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
}

/** What is in the folder of mirrors beside mirrors, locks and states. */
function leftovers(): string[] {
  return readdirSync(join(home, "mirrors")).filter((name) => !/^[^.].*\.(?:git|lock|json)$/.test(name));
}

/** The processes of git that work for this file's mirrors. */
function gitProcesses(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return line.startsWith("git\0") && line.includes(`--git-dir=${home}`) && line.includes("\0fetch\0");
      } catch {
        return false;
      }
    })
    .map(Number);
}

beforeAll(async () => {
  mkdirSync(served, { recursive: true });
  server = await startGitServer(served);
});

afterEach(() => {
  server.release();
  server.instead = undefined;
  server.seen.length = 0;
});

afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

describe("a server that fails in the middle", () => {
  test("one that never answers is given up after the time of silence, and after the whole time", async () => {
    makeOrigin(served, "hanging");
    server.instead = () => true;
    const silent = await failure(refresh("hanging", { limits: { silentSeconds: 1 } }));
    expect(silent).toMatchObject({ code: "timeout", retryable: true });
    expect(silent.message).toContain("sent nothing for 1 s");
    const overtime = await failure(refresh("hanging", { limits: { overallMs: 500 } }));
    expect(overtime).toMatchObject({ code: "timeout", retryable: true });
    expect(overtime.message).toContain("0.5 s");
  });

  test("one that stops in the middle of a pack is given up after the time of silence", async () => {
    makeOrigin(served, "stopping").commit("big.bin", incompressible(PACK_BYTES));
    server.trouble = { afterBytes: 50_000, act: "wait" };
    const error = await failure(refresh("stopping", { limits: { silentSeconds: 1 } }));
    expect(error).toMatchObject({ code: "timeout", retryable: true });
    expect(error.message).toContain("sent nothing for 1 s");
  });

  test("a connection that is cut leaves nothing of a clone, and the old state of a mirror", async () => {
    const origin = makeOrigin(served, "cut");
    origin.commit("big.bin", incompressible(PACK_BYTES));
    server.trouble = { afterBytes: 50_000, act: "cut" };
    expect(await failure(refresh("cut"))).toMatchObject({ code: "unavailable", retryable: true });
    expect(existsSync(mirrorPath(home, urlOf("cut")))).toBe(false);
    expect(leftovers()).toEqual([]);
    server.release();
    await refresh("cut");
    const before = headOf("cut");
    const after = origin.commit("big.bin", incompressible(PACK_BYTES));
    server.trouble = { afterBytes: 50_000, act: "cut" };
    expect(await failure(refresh("cut"))).toMatchObject({ code: "unavailable", retryable: true });
    expect(headOf("cut")).toBe(before);
    const packs = readdirSync(join(mirrorPath(home, urlOf("cut")), "objects/pack"));
    expect(packs.filter((file) => !file.startsWith("pack-"))).toEqual([]);
    server.release();
    expect(await refresh("cut")).toMatchObject({ changed: true });
    expect(headOf("cut")).toBe(after);
  });

  test("an abort ends git and what it started", async () => {
    makeOrigin(served, "aborted").commit("big.bin", incompressible(PACK_BYTES));
    server.trouble = { afterBytes: 50_000, act: "wait" };
    const abort = new AbortController();
    const running = failure(refresh("aborted", { signal: abort.signal }));
    await server.reached();
    abort.abort();
    expect(await running).toMatchObject({ code: "unavailable" });
    expect(hasProc ? gitProcesses() : []).toEqual([]);
    expect(leftovers()).toEqual([]);
    expect(await failure(refresh("aborted", { signal: abort.signal }))).toMatchObject({ code: "unavailable" });
  });

  test("an abort ends the waiting for somebody else's fetch", async () => {
    makeOrigin(served, "waiting").commit("big.bin", incompressible(PACK_BYTES));
    server.trouble = { afterBytes: 50_000, act: "wait" };
    const running = refresh("waiting");
    await server.reached();
    const abort = new AbortController();
    const log = { ...silentLog, debug: () => abort.abort() };
    expect(await failure(refresh("waiting", { signal: abort.signal, log }))).toMatchObject({ code: "unavailable" });
    server.release();
    expect(await running).toMatchObject({ changed: true });
  });
});

describe("several at once", () => {
  test("one fetches, and who asked meanwhile shares one look at the remote", async () => {
    makeOrigin(served, "shared").commit("big.bin", incompressible(PACK_BYTES));
    server.trouble = { afterBytes: 50_000, act: "wait" };
    const first = refresh("shared");
    await server.reached();
    let asked = 0;
    const log = { ...silentLog, debug: () => void (asked += 1) };
    const others = Promise.all([refresh("shared", { log }), refresh("shared", { log }), refresh("shared", { log })]);
    await expect.poll(() => asked).toBe(3);
    server.release();
    expect(await first).toMatchObject({ changed: true });
    expect((await others).map(({ changed }) => changed)).toEqual([false, false, false]);
    // A listing and a pack for the first; for the others one listing, since the first had begun before they asked.
    expect(server.seen.filter(({ method }) => method === "GET")).toHaveLength(3);
  });

  test("processes take turns, and the pack comes once", async () => {
    const origin = makeOrigin(served, "processes");
    const commit = origin.commit("big.bin", incompressible(PACK_BYTES));
    server.sent = 0;
    server.trouble = { afterBytes: 50_000, act: "trickle" };
    const outputs = [startProcess("processes"), startProcess("processes")].map((child) => outputOf(child));
    await server.reached();
    outputs.push(outputOf(startProcess("processes")));
    server.release();
    const directory = mirrorPath(home, urlOf("processes"));
    expect(await Promise.all(outputs)).toEqual(outputs.map(() => `refreshed ${directory}\n`));
    expect(server.sent).toBeLessThan(2 * PACK_BYTES);
    expect(headOf("processes")).toBe(commit);
  });
});

describe("a process that is killed in the middle", () => {
  test.each([1_000, 50_000, 299_000])("of a clone, after %i bytes, leaves nothing that hurts", async (afterBytes) => {
    const name = `killed-clone-${afterBytes}`;
    const commit = makeOrigin(served, name).commit("big.bin", incompressible(PACK_BYTES));
    server.trouble = { afterBytes, act: "wait" };
    await killedAtTrouble(name);
    expect(existsSync(mirrorPath(home, urlOf(name)))).toBe(false);
    server.release();
    expect(await refresh(name)).toMatchObject({ changed: true });
    expect(headOf(name)).toBe(commit);
    expect(leftovers()).toEqual([]);
  });

  test.each([1_000, 50_000, 299_000])("of a fetch, after %i bytes, leaves a usable mirror", async (afterBytes) => {
    const name = `killed-fetch-${afterBytes}`;
    const origin = makeOrigin(served, name);
    await refresh(name);
    const before = headOf(name);
    const commit = origin.commit("big.bin", incompressible(PACK_BYTES));
    server.trouble = { afterBytes, act: "wait" };
    await killedAtTrouble(name);
    expect(headOf(name)).toBe(before);
    server.release();
    await refresh(name);
    expect(headOf(name)).toBe(commit);
    expect(leftovers()).toEqual([]);
  });

  test.runIf(hasProc)("a git that is killed is told as broken off, and the next one succeeds", async () => {
    const origin = makeOrigin(served, "killed-git");
    await refresh("killed-git");
    const commit = origin.commit("big.bin", incompressible(PACK_BYTES));
    server.trouble = { afterBytes: 50_000, act: "wait" };
    const running = failure(refresh("killed-git"));
    await server.reached();
    for (const pid of gitProcesses()) process.kill(pid, "SIGKILL");
    server.release();
    expect(await running).toMatchObject({ code: "unavailable", retryable: true });
    expect(await refresh("killed-git")).toMatchObject({ changed: true });
    expect(headOf("killed-git")).toBe(commit);
  });

  test.runIf(hasProc)("is followed by its git, though the server goes on slowly", async () => {
    const origin = makeOrigin(served, "orphan");
    await refresh("orphan");
    // At this pace the rest would take many minutes.
    origin.commit("big.bin", incompressible(10 * PACK_BYTES));
    server.trouble = { afterBytes: 50_000, act: "trickle" };
    await killedAtTrouble("orphan");
    await expect.poll(() => gitProcesses()).toEqual([]);
    server.release();
    expect(await refresh("orphan")).toMatchObject({ changed: true });
  });

  async function killedAtTrouble(name: string): Promise<void> {
    const child = startProcess(name);
    const ended = once(child, "exit");
    await server.reached();
    child.kill("SIGKILL");
    await ended;
  }
});

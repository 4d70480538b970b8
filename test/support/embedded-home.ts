import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sleep } from "../../src/lib/clock.ts";

/** A data directory of this test's own, and everything that was made for it, gone when the test is over. */
export async function newHome(parent = tmpdir()): Promise<string> {
  const home = await mkdtemp(join(parent, "relay-embedded-"));
  onTestFinished(async () => {
    const elsewhere = await databaseFolder(home);
    const pid = await serverPid(home);
    if (pid !== null) {
      process.kill(pid, "SIGINT");
      while (await isAlive(pid)) await sleep(20);
    }
    // What outlives a killed server for a moment may still write.
    for (const folder of [elsewhere, home]) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  return home;
}

/** Below the home, or where the pointer in it says. */
export async function databaseFolder(home: string): Promise<string> {
  const pointer = await readFile(join(home, "postgres-is-at"), "utf8").catch(() => null);
  return pointer?.trim() ?? join(home, "postgres");
}

/** Of the server that runs, or null. */
export async function serverPid(home: string): Promise<number | null> {
  const file = join(await databaseFolder(home), "data", "postmaster.pid");
  const pid = Number((await readFile(file, "utf8").catch(() => "")).split("\n")[0]);
  return pid > 1 && (await isAlive(pid)) ? pid : null;
}

/** One that has ended and was not collected yet, which may take long, is not alive. */
export async function isAlive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return process.platform !== "linux" || (state !== "" && !/\) [ZX] /.test(state));
}

export interface User {
  /** What it said so far, line by line. */
  text: string;
  child: ChildProcess;
  ended: Promise<void>;
  /** Resolves when it has said so many lines. */
  said(lines: number): Promise<void>;
  leave(): Promise<void>;
}

/** Another process that uses the home. */
export function startUser(
  home: string,
  what = "",
  options: { transport?: string; uid?: number; program?: string; lookEveryS?: number } = {},
): User {
  const program = options.program ?? join(import.meta.dirname, "../children/embedded-user.ts");
  const looks = options.lookEveryS === undefined ? [] : [String(options.lookEveryS)];
  const child = spawn(process.execPath, [program, home, what, options.transport ?? "socket", ...looks], {
    stdio: ["pipe", "pipe", "inherit"],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const user: User = {
    text: "",
    child,
    ended,
    said: async (lines) => {
      while (user.text.split("\n").length <= lines) {
        if (child.exitCode !== null) throw new Error(`the user ended: ${user.text}`);
        await sleep(10);
      }
    },
    leave: async () => {
      child.stdin.write("leave\n");
      await ended;
    },
  };
  child.stdout.on("data", (chunk: Buffer) => (user.text += chunk.toString("utf8")));
  return user;
}

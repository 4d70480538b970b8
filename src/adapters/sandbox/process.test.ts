import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { outcome, request } from "../../../test/support/sandboxed.ts";
import type { Launch, LaunchRequest } from "../../lib/launch.ts";
import { processState, signal } from "./process-group.ts";
import { start } from "./process.ts";

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "relay-process-"));
});

const launch: Launch = async (asked) =>
  await start({ ...asked, environment: { PATH: "/usr/bin:/bin", ...asked.environment } });

const shell = (script: string, rest: Partial<LaunchRequest> = {}) => request("sh", ["-c", script], { cwd, ...rest });

/** The process number that a script has written to a file. */
async function pidIn(name: string): Promise<number> {
  await expect.poll(() => existsSync(join(cwd, name)) && readFileSync(join(cwd, name), "utf8")).toMatch(/\n/);
  return Number(readFileSync(join(cwd, name), "utf8"));
}

test("a program tells its outputs and its exit code, and sees no environment but its own", async () => {
  const told = await outcome(
    launch,
    shell("echo out; echo $OPTIONS_FD >&2; env; exit 3", { environment: { OPTIONS_FD: "yes" } }),
  );
  expect(told).toMatchObject({ ending: "exit", code: 3, stderr: "yes\n" });
  expect(
    told.stdout
      .replaceAll(/^(?:PWD|_|OLDPWD|SHLVL)=.*\n/gm, "")
      .split("\n")
      .toSorted(),
  ).toEqual(["", "OPTIONS_FD=yes", "PATH=/usr/bin:/bin", "out"]);
});

test("a script may open its outputs by their names", async () => {
  const told = await outcome(
    launch,
    shell("echo out > /dev/stdout; echo error > /dev/stderr; echo both | tee /dev/stderr"),
  );
  expect(told).toMatchObject({ code: 0, stdout: "out\nboth\n", stderr: "error\nboth\n" });
});

test("what is written to an open input is read, and a closed one is at its end", async () => {
  const program = await launch(shell("cat", { stdin: "open" }));
  program.stdin?.end("hello");
  expect(await program.stdout.toArray().then((chunks) => chunks.join(""))).toBe("hello");
  expect(await outcome(launch, shell("cat"))).toMatchObject({ ending: "exit", code: 0, stdout: "" });
});

test("input for a program that is gone is no error", async () => {
  const program = await launch(shell("exec 0<&-; exit 0", { stdin: "open" }));
  await program.exit;
  program.stdin?.write("x".repeat(100_000));
  expect(await program.exit).toEqual({ ending: "exit", code: 0 });
});

test("a program that is not there is told as such", async () => {
  await expect(launch(request("no-such-program", [], { cwd }))).rejects.toMatchObject({ code: "config" });
  await expect(launch(shell("true", { cwd: join(cwd, "gone") }))).rejects.toThrow(/the folder .* is gone/);
});

test("a program that prints without end is ended, and no more than its bound is passed on", async () => {
  const told = await outcome(launch, shell("yes", { mostOutputBytes: 100_000 }));
  expect(told.ending).toBe("flooded");
  expect(told.stdout.length).toBe(100_000);
});

test("both outputs share one bound", async () => {
  const told = await outcome(launch, shell("yes & yes >&2", { mostOutputBytes: 50_000 }));
  expect(told.ending).toBe("flooded");
  expect(told.stdout.length + told.stderr.length).toBe(50_000);
});

test("output that nobody reads waits in the program", async () => {
  const before = process.memoryUsage.rss();
  const program = await launch(shell("yes", { mostOutputBytes: 1e12, timeoutMs: 1_000 }));
  expect(await program.exit).toMatchObject({ ending: "timeout" });
  expect(process.memoryUsage.rss() - before).toBeLessThan(100e6);
});

test("a program that takes too long is ended with its children, also where they ignore being asked", async () => {
  const program = await launch(
    shell(`trap "" TERM; (trap "" TERM; sleep 1000) & echo $! > child; wait; sleep 1000`, {
      timeoutMs: 700,
    }),
  );
  const child = await pidIn("child");
  expect(await program.exit).toEqual({ ending: "timeout", code: null });
  expect(processState(child)?.dead ?? true).toBe(true);
});

test("children that a program leaves behind end with it", async () => {
  const program = await launch(shell("sleep 1000 & echo $! > child; exit 0"));
  expect(await program.exit).toEqual({ ending: "exit", code: 0 });
  const child = await pidIn("child");
  expect(processState(child)?.dead ?? true).toBe(true);
});

test("a process that escaped the group and holds the pipes open hangs neither the exit nor the outputs", async () => {
  const told = await outcome(launch, shell("echo said; setsid sleep 1000 & echo $! > escaped; exit 0"));
  expect(told).toMatchObject({ ending: "exit", code: 0, stdout: "said\n" });
  signal(await pidIn("escaped"), "SIGKILL");
});

test("a reader who comes late gets all that was written", async () => {
  const program = await launch(shell("head -c 60000 /dev/zero; exit 0"));
  await program.exit;
  await pause(10);
  const chunks = await program.stdout.toArray();
  expect(chunks.reduce((sum: number, chunk: Buffer) => sum + chunk.length, 0)).toBe(60_000);
});

test("a signal, or its owner, stops a program", async () => {
  const stopper = new AbortController();
  const first = await launch(shell("sleep 1000", { signal: stopper.signal }));
  stopper.abort();
  expect(await first.exit).toEqual({ ending: "stopped", code: null });

  const second = await launch(shell("sleep 1000"));
  second.end();
  second.end();
  expect(await second.exit).toEqual({ ending: "stopped", code: null });

  const third = await launch(shell("sleep 1000", { signal: stopper.signal }));
  expect(await third.exit).toEqual({ ending: "stopped", code: null });
});

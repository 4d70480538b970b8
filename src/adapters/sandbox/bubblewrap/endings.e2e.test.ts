import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { bubblewrapStage, HAS_BUBBLEWRAP } from "../../../../test/support/bubblewrap-fixture.ts";
import { request } from "../../../../test/support/sandboxed.ts";

/** Programs of this machine whose command line has the mark. */
function alive(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((name) => commandLine(name).includes(mark));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

/** A number of seconds that no other program sleeps for. */
const mark = (): string => `1${Math.random().toString().slice(2, 12)}`;

describe.skipIf(!HAS_BUBBLEWRAP)("the end of a program in bubblewrap", () => {
  test("nothing of it stays: no child in the background, no process of another session, none that ignores being asked", async () => {
    const { sh } = await bubblewrapStage();
    const left = mark();
    const told = await sh(
      `sleep ${left} & setsid sleep ${left} & setsid sh -c 'trap "" TERM HUP; (trap "" TERM; sleep ${left}) & sleep ${left}' &
       sleep 0.2; echo done`,
    );
    expect(told).toMatchObject({ ending: "exit", code: 0, stdout: "done\n" });
    expect(alive(left)).toEqual([]);
  });

  test("what never ends, and ignores being asked to, is killed with all it started", async () => {
    const { sh } = await bubblewrapStage();
    const left = mark();
    const told = await sh(`trap "" TERM; setsid sleep ${left} & echo on; while :; do sleep ${left}; done`, {
      timeoutMs: 1_000,
    });
    expect(told).toMatchObject({ ending: "timeout", stdout: "on\n" });
    expect(alive(left)).toEqual([]);
  });

  test("a gigabyte of output ends at the bound", async () => {
    const { sh } = await bubblewrapStage();
    const told = await sh("head -c 1000000000 /dev/zero | tr '\\\\0' x", { mostOutputBytes: 200_000 });
    expect(told.ending).toBe("flooded");
    expect(told.stdout.length).toBe(200_000);
  });

  test("a fork bomb is ended, and told of", async () => {
    const { sh } = await bubblewrapStage({ processes: 60 });
    const left = mark();
    const told = await sh(`i=0; while [ $i -lt 400 ]; do sleep ${left} & i=$((i+1)); done; wait`);
    expect(told.ending).toBe("exit");
    expect(told.code).not.toBe(0);
    expect(told.stderr).toMatch(/was ended: it ran more than 60 processes at a time\n$/);
    expect(alive(left)).toEqual([]);
  });

  test("a program that takes more memory than it may is ended, and told of", async () => {
    const { place, tree } = await bubblewrapStage({ memoryMb: 150 });
    const eats = "const kept = []; setInterval(() => kept.push(Buffer.alloc(5e6, 1)), 5)";
    const program = await place.launch(request("node", ["-e", eats], { cwd: tree }));
    // Ended by Relay where it looks, by the kernel elsewhere.
    expect([null, 137]).toContain((await program.exit).code);
    expect((await program.stderr.toArray()).join("")).toMatch(/it took more than 150 MB of memory\n$/);
  });

  test("a program that writes more than it may is ended, and told of; once that is gone the next one runs", async () => {
    const { sh, tree } = await bubblewrapStage({ diskMb: 60 });
    const left = mark();
    const told = await sh(`head -c 30000000 /dev/zero > a; head -c 90000000 /dev/zero > b; sleep ${left}`);
    expect(told.stderr).toMatch(/was ended: it wrote more than 60 MB to the disk\n$/);
    expect(alive(left)).toEqual([]);
    rmSync(join(tree, "b"));
    expect(await sh("sleep 0.6; echo went on")).toMatchObject({ code: 0, stdout: "went on\n", stderr: "" });
  });

  test("a program that creates more files than it may is ended, and told of, though they are empty", async () => {
    const { sh } = await bubblewrapStage({ files: 2_000 });
    const left = mark();
    const told = await sh(`mkdir crowd; cd crowd; seq 5000 | xargs touch; sleep ${left}`);
    expect(told.stderr).toMatch(/was ended: it created more than 2000 files and folders\n$/);
    expect(alive(left)).toEqual([]);
  });

  test("closing the place ends what runs in it", async () => {
    const { place, tree } = await bubblewrapStage();
    const left = mark();
    const program = await place.launch(request("sh", ["-c", `echo on; exec sleep ${left}`], { cwd: tree }));
    await once(program.stdout, "data");
    await place.close();
    expect(await program.exit).toMatchObject({ ending: "stopped" });
    expect(alive(left)).toEqual([]);
  });

  test("where Relay itself is killed, nothing goes on", async () => {
    const { root, tree } = await bubblewrapStage();
    const left = mark();
    const script = `setsid sleep ${left} & touch started; exec sleep ${left}`;
    const relay = spawn(process.execPath, [resolve("test/children/sandbox.ts"), tree, join(root, "other"), script], {
      stdio: "inherit",
    });
    await expect.poll(() => existsSync(join(tree, "started"))).toBe(true);
    relay.kill("SIGKILL");
    await once(relay, "exit");
    await expect.poll(() => alive(left)).toEqual([]);
  });
});

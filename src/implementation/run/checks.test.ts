import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { launchPlainly } from "../../../test/support/run-fixture.ts";
import { systemClock } from "../../lib/clock.ts";
import { runCheck } from "./checks.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "relay-check-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function check(command: string, timeoutMs = 60_000, signal?: AbortSignal) {
  const deps = { launch: launchPlainly, directory, environment: { GREETING: "hello" }, clock: systemClock };
  return await runCheck({ kind: "check", command, timeoutMs }, signal ? { ...deps, signal } : deps);
}

test("a command that passes says nothing", async () => {
  expect(await check('test "$CI $GREETING" = "true hello" && echo fine')).toMatchObject({
    outcome: "passed",
    code: 0,
    output: "",
  });
});

test("a command that fails tells its code and what it said on both ways out", async () => {
  expect(await check("echo one; echo two >&2; exit 3")).toMatchObject({
    outcome: "failed",
    code: 3,
    output: expect.stringMatching(/one|two/),
  });
});

test("a command that never ends is ended", async () => {
  expect(await check("echo begun; sleep 600 & sleep 600", 300)).toMatchObject({ outcome: "timeout", code: null });
});

test("a command that prints without end is ended, and both its ends are kept small", async () => {
  const result = await check("yes 'error: again'");
  expect(result).toMatchObject({ outcome: "failed", code: null });
  expect(result.output).toContain("[ended: more than 64 MB of output]");
  expect(result.output.length).toBeLessThanOrEqual(8_000);
});

test("without time, or after the stop, a command is not run", async () => {
  expect(await check("touch ran", 0)).toMatchObject({ outcome: "not run" });
  expect(await check("touch ran", 1_000, AbortSignal.abort())).toMatchObject({ outcome: "not run" });
  expect(await check("test ! -e ran")).toMatchObject({ outcome: "passed" });
});

test("text in other alphabets comes whole, however it is cut on its way", async () => {
  const { output } = await check("printf 'Fehler: \\303'; sleep 0.05; printf '\\244h\\n'; exit 1");
  expect(output).toBe("Fehler: äh");
});

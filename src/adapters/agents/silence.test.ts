import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { start } from "../sandbox/process.ts";
import { codingAgent } from "./coding-agent.ts";

/** Runs Claude Code's preset with a program of that name which does this, and prints `version` for `--version`. */
async function run(body: string, version = "1.0.3 (Claude Code)") {
  const folder = mkdtempSync(join(tmpdir(), "relay-silent-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [programs, home] = [join(folder, "programs"), join(folder, "home")];
  for (const each of [programs, home]) mkdirSync(each);
  const script = `#!/bin/sh\nif [ "$1" = --version ]; then echo '${version}'; exit 0; fi\n${body}\n`;
  writeFileSync(join(programs, "claude"), script, { mode: 0o755 });
  const agent = await codingAgent({ name: "claude", sandboxed: true });
  const { ending } = await agent.run({
    prompt: "Mend it.",
    directory: folder,
    home,
    environment: {},
    model: null,
    timeoutMs: 1_500,
    mostOutputBytes: 1_000_000,
    maxTurns: null,
    maxUsd: null,
    launch: async (request) =>
      await start({ ...request, environment: { PATH: `${programs}:/usr/bin:/bin`, ...request.environment } }),
    onEntry: () => {},
  });
  return ending;
}

test("an agent that does not know an option is told to be too old, with its version and the oldest supported", async () => {
  expect(await run("cat >/dev/null; echo \"error: unknown option '--permission-mode=x'\" >&2; exit 1")).toEqual({
    kind: "failed",
    usable: false,
    detail:
      "claude does not know an option that Relay uses: error: unknown option '--permission-mode=x'; it may be too old, so update it (found is 1.0.3 (Claude Code), the oldest supported version is 2.0.30)",
  });
});

test("garbage in place of a report is told, with its beginning", async () => {
  expect(await run("cat >/dev/null; echo 'Welcome to Claude!'; echo '%%%'")).toMatchObject({
    kind: "failed",
    detail: expect.stringMatching(
      /^claude ended without a report that Relay understands: Welcome to Claude! %%% \(found is 1/,
    ),
  });
  expect(await run("cat >/dev/null")).toMatchObject({
    detail: expect.stringMatching(/^claude ended without a report that Relay understands \(found is/),
  });
});

test("an agent that asks and waits until its time is over is told to wait for input", async () => {
  expect(await run("echo 'Do you trust this folder? [y/n]'; sleep 30", "")).toEqual({
    kind: "timeout",
    detail:
      "claude reported nothing in all its time, as if it waited for input: Do you trust this folder? [y/n] (its version is unknown, the oldest supported version is 2.0.30)",
  });
});

test("an agent that reported before it failed speaks for itself", async () => {
  const event = '{"type":"result","subtype":"success","is_error":true,"result":"unknown option in the task"}';
  expect(await run(`cat >/dev/null; echo '${event}'; exit 1`)).toMatchObject({
    kind: "failed",
    detail: "claude ended with code 1: unknown option in the task",
  });
});

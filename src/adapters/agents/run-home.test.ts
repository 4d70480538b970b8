import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { leftLines } from "./run-home.ts";

test("what an agent left is read from plain files of its home alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "relay-left-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, "home");
  mkdirSync(join(home, "runs"), { recursive: true });
  writeFileSync(join(folder, "secret"), '{"secret":1}\n');
  writeFileSync(join(home, "runs/a"), '{"a":1}\nbroken {\n{"a":2}');
  symlinkSync("../../secret", join(home, "runs/link"));
  symlinkSync("..", join(home, "out"));
  execFileSync("sh", ["-c", 'mkfifo "$0"', join(home, "runs/pipe")]);
  expect(await leftLines(home, "runs/a")).toEqual([{ a: 1 }, { a: 2 }]);
  for (const path of ["runs/link", "out/secret", "runs/pipe", "runs", "runs/none"]) {
    expect(await leftLines(home, path)).toEqual([]);
  }
});

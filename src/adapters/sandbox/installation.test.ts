import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installationOf } from "./installation.ts";

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "relay-installation-")));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function program(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
  return path;
}

function link(path: string, to: string): string {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(to, path);
  return path;
}

test("a program of npm's is shown with the packages beside it", async () => {
  const root = folder();
  const real = program(join(root, "lib/node_modules/@maker/agent/node_modules/deep/cli.js"));
  expect(await installationOf(link(join(root, "bin/agent"), real))).toEqual([join(root, "lib/node_modules")]);
});

test("of a folder of programs only the one is shown; of an installation that a link leads to, its folder", async () => {
  const root = folder();
  const alone = program(join(root, "bin/agent"));
  expect(await installationOf(alone)).toEqual([alone]);
  expect(await installationOf(link(join(root, "other/agent"), alone))).toEqual([alone]);
  const versioned = program(join(root, "share/agent/1.2/agent"));
  expect(await installationOf(link(join(root, "bin/versioned"), versioned))).toEqual([dirname(versioned)]);
});

test("a program of Python's is shown with its environment, and the Python that this was made from", async () => {
  const root = folder();
  const real = program(join(root, "tools/aider/bin/aider"));
  writeFileSync(join(root, "tools/aider/pyvenv.cfg"), `home = ${root}/python/bin\nversion = 3.12\n`);
  expect(await installationOf(link(join(root, "bin/aider"), real))).toEqual([
    join(root, "tools/aider"),
    join(root, "python"),
  ]);
});

test("a program of the system's, and one that is not there, need nothing", async () => {
  expect(await installationOf("sh")).toEqual([]);
  expect(await installationOf("no-such-program-anywhere")).toEqual([]);
});

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exec } from "../src/lib/exec.ts";

const root = resolve(import.meta.dirname, "..");

test("the example of docs/plan.md prints what the page shows", async () => {
  const folder = await mkdtemp(join(tmpdir(), "relay-docs-plan-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const page = await readFile(join(root, "docs/plan.md"), "utf8");
  const [, issue = "", shown = ""] = /\$ relay plan (\S+) --repo \S+\n([^]*?)\n {4}…/.exec(page) ?? [];
  await exec("git", ["clone", "--quiet", join(root, "examples/sample.bundle"), join(folder, "sample")]);

  const args = [join(root, "bin/relay.js"), "plan", join(root, issue), "--repo", join(folder, "sample")];
  const { code, stdout } = await exec(process.execPath, args, { env: { ...process.env, RELAY_HOME: folder } });
  expect(code).toBe(0);
  expect(shown).toContain("Steps");
  expect(stdout.toString("utf8")).toContain(shown.replaceAll(/^ {4}/gm, ""));
});

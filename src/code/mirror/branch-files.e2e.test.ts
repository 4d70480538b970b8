import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gitOutput, newBranchRepository } from "../../../test/support/branch-repository.ts";
import { type SpecRef, specRefSchema } from "../../domain/spec.ts";

const CHILD = join(import.meta.dirname, "../../../test/children/write-specs-to-branch.ts");
let folder: string;
let repository: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-branch-"));
  repository = await newBranchRepository(folder);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A process with its own mirror writes versions; killed after it told `killAfter` of them. */
async function writer(name: string, count: number, killAfter = Infinity): Promise<SpecRef[]> {
  const args = [CHILD, `file://${repository}`, join(folder, name), name, String(count)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const told: SpecRef[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(specRefSchema.parse(JSON.parse(line)));
    if (told.length === killAfter) setTimeout(() => child.kill("SIGKILL"), 20 * killAfter);
  }
  return told;
}

/** The hash of each version on the branch by its commit; throws for a torn one. */
async function versions(path: string): Promise<Map<string, string>> {
  const commits = (await gitOutput(repository, "rev-list", "relay/specs")).trim().split("\n");
  const found = new Map<string, string>();
  for (const commit of commits) {
    const text = await gitOutput(repository, "show", `${commit}:${path}`);
    if (!/^# Spec: .*\nend\n$/s.test(text)) throw new Error(`torn: ${text.slice(0, 100)}`);
    found.set(commit, createHash("sha256").update(text).digest("hex"));
  }
  return found;
}

test("R-SPEC-11: two processes that write 20 versions each of one spec lose none, and tear none", async () => {
  const told = (await Promise.all([writer("ann", 20), writer("ben", 20)])).flat();
  const path = told[0]?.path ?? "";
  const kept = await versions(path);
  expect(told).toHaveLength(40);
  expect(kept.size).toBe(40);
  for (const { revision = "", sha256 } of told) expect(kept.get(revision)).toBe(sha256);
  const history = await gitOutput(
    repository,
    "ls-tree",
    "-r",
    "--name-only",
    "relay/specs",
    `${path.split("/")[0]}/history/`,
  );
  expect(history.trim().split("\n")).toHaveLength(39);
}, 300_000);

test("a writer that is killed in the midst of writing leaves whole versions, and hinders nobody", async () => {
  const told: SpecRef[] = [];
  for (const rounds of [1, 2, 3]) told.push(...(await writer("ann", 50, rounds)));
  told.push(...(await writer("ben", 1)));
  const kept = await versions(told[0]?.path ?? "");
  for (const { revision = "", sha256 } of told) expect(kept.get(revision)).toBe(sha256);
}, 300_000);

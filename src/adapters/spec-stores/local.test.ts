import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeSpecStore } from "../../../test/contracts/spec-store.ts";
import { triesOf } from "../../../test/support/tries.ts";
import { type SpecRef, specRefSchema } from "../../domain/spec.ts";
import { systemClock } from "../../lib/clock.ts";
import { localSpecStore, refusedByDisk } from "./local.ts";
import type { SpecOwner } from "./spec-store.ts";

const owner: SpecOwner = { issueId: "1", provider: "local", externalIssueId: "7", title: "Broken" };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-specs-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const open = () => localSpecStore({ root: join(folder, "relay_specs"), clock: systemClock });

async function written(content: string) {
  const result = await open().write(owner, content, null);
  if (result.kind !== "written") throw new Error(result.kind);
  return { ref: result.ref, file: join(folder, "relay_specs", result.ref.path) };
}

describeSpecStore("the local folder", () => Promise.resolve(open()));

test("files are for the own account alone (R-SAFE-10), and earlier versions are in history", async () => {
  const { ref, file } = await written("one");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await open().write(owner, "two", ref);
  const [earlier = ""] = await readdir(join(dirname(file), "history"));
  expect(await readFile(join(dirname(file), "history", earlier), "utf8")).toBe("one");
  expect((await readdir(dirname(file))).toSorted()).toEqual(["history", "spec.md"]);
});

test("a spec that was changed by hand is told, not trusted", async () => {
  const { ref, file } = await written("one");
  await writeFile(file, "uno");
  await expect(open().read(ref)).rejects.toThrow(/was changed outside of Relay/);
});

test("links are not followed, neither folders nor the file itself", async () => {
  const { ref, file } = await written("one");
  await mkdir(join(folder, "outside"));
  await writeFile(join(folder, "outside", "spec.md"), "one");
  await rm(file);
  await symlink(join(folder, "outside", "spec.md"), file);
  await expect(open().read(ref)).rejects.toMatchObject({ code: "forbidden" });
  await rm(dirname(file), { recursive: true });
  await symlink(join(folder, "outside"), dirname(file), "dir");
  await expect(open().read(ref)).rejects.toMatchObject({ code: "forbidden" });
  await expect(open().write(owner, "two", ref)).rejects.toMatchObject({ code: "forbidden" });
  expect(await readFile(join(folder, "outside", "spec.md"), "utf8")).toBe("one");
});

test("a link in the place of the history leads nowhere", async () => {
  const { ref, file } = await written("one");
  await mkdir(join(folder, "outside"));
  await symlink(join(folder, "outside"), join(dirname(file), "history"));
  await expect(open().write(owner, "two", ref)).rejects.toMatchObject({ code: "forbidden" });
  expect(await readdir(join(folder, "outside"))).toEqual([]);
  expect(await readFile(file, "utf8")).toBe("one");
});

test("a pipe in the place of the spec is refused, not waited for", async () => {
  const { ref, file } = await written("one");
  await rm(file);
  await promisify(execFile)("mkfifo", [file]);
  await expect(open().read(ref)).rejects.toMatchObject({ code: "forbidden" });
});

test("a root that is itself a link is its owner's choice", async () => {
  await mkdir(join(folder, "elsewhere"));
  await symlink(join(folder, "elsewhere"), join(folder, "relay_specs"));
  const { ref } = await written("one");
  expect(await open().read(ref)).toBe("one");
  expect(ref.path).toMatch(/^issue_/);
});

test("a root that was moved and renamed still knows its specs, also those stored with its name", async () => {
  const { ref } = await written("one");
  await mkdir(join(folder, "other"));
  await rename(join(folder, "relay_specs"), join(folder, "other", "specs"));
  const moved = localSpecStore({ root: join(folder, "other", "specs"), clock: systemClock });
  const before = { ...ref, path: `relay_specs/${ref.path}` };
  expect(await moved.read(ref)).toBe("one");
  expect(await moved.read(before)).toBe("one");
  expect(await moved.write(owner, "two", before)).toMatchObject({ kind: "written", ref: { path: ref.path } });
  expect(await open().exists(ref)).toBe(false);
});

test("the place that is told opens from where one stands", async () => {
  const { ref, file } = await written("one");
  expect(await readFile(open().where(ref), "utf8")).toBe("one");
  expect(open().where(ref)).toBe(file);
  const below = localSpecStore({ root: "var/specs", clock: systemClock });
  expect(below.where(ref)).toBe(`var/specs/${ref.path}`);
});

test("what a crash left is cleaned by the next write", async () => {
  const { ref, file } = await written("one");
  await mkdir(join(dirname(file), "history"));
  await writeFile(join(dirname(file), "spec.md.99-1.tmp"), "half");
  await writeFile(join(dirname(file), "history", "2026-01-01T00-00-00.000_spec.md.99-2.tmp"), "half");
  expect(await open().write(owner, "two", ref)).toMatchObject({ kind: "written" });
  expect((await readdir(dirname(file))).toSorted()).toEqual(["history", "spec.md"]);
  expect(await readdir(join(dirname(file), "history"))).toHaveLength(1);
});

test("versions of the same moment are all kept, in order", async () => {
  const at = new Date("2026-11-20T10:00:00Z");
  const store = localSpecStore({ root: join(folder, "relay_specs"), clock: { now: () => at } });
  let ref: SpecRef | null = null;
  for (const content of ["one", "two", "three", "one", "four"]) {
    const result = await store.write(owner, content, ref);
    if (result.kind !== "written") throw new Error(result.kind);
    ref = result.ref;
  }
  const history = join(folder, "relay_specs", dirname(ref?.path ?? ""), "history");
  const names = (await readdir(history)).toSorted();
  expect(names[0]).toBe("2026-11-20T10-00-00.000_spec.md");
  expect(await Promise.all(names.map(async (name) => await readFile(join(history, name), "utf8")))).toEqual([
    "one",
    "two",
    "three",
  ]);
});

test("a folder that cannot be made is told in one sentence", async () => {
  await writeFile(join(folder, "relay_specs"), "a file");
  await expect(open().write(owner, "one", null)).rejects.toThrow(/^cannot write the spec below .*RELAY_SPEC_ROOT/);
});

test("a full disk is told as what it is", () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  expect(refusedByDisk("write", "/specs", error)).toMatchObject({
    code: "io",
    retryable: true,
    message:
      "cannot write the spec below /specs (ENOSPC: no space left on device, write); the disk is full: free some room",
  });
});

test("a writer that is killed again and again leaves a whole version each time, and hinders nobody", async () => {
  const child = join(import.meta.dirname, "../../../test/children/write-specs.ts");
  let last = 0;
  for (let round = 0; round < triesOf(20); round += 1) {
    const told = await runUntilKilled(child, [join(folder, "relay_specs"), String(last + 1)], 2 + (round % 4));
    const ref = told.at(-1);
    if (!ref) throw new Error("the child wrote nothing");
    const file = join(folder, "relay_specs", ref.path);
    const content = await readFile(file, "utf8");
    const version = Number(/^# Spec: version (\d+)\n/.exec(content)?.[1]);
    expect(content.endsWith(`\nend of ${version}\n`)).toBe(true);
    const current = { ...ref, sha256: sha256Of(content) };
    expect(await open().read(current)).toBe(content);
    // What was told as written is there, under the version after it at most, whose writer could not tell any more.
    expect([content, ...(await historyOf(file))].map(sha256Of)).toContain(ref.sha256);
    last = version;
  }
  const [ref] = await runUntilKilled(child, [join(folder, "relay_specs"), String(last + 1)], 1);
  const names = await readdir(dirname(join(folder, "relay_specs", ref?.path ?? "")));
  expect(names.filter((name) => name.endsWith(".tmp")).length).toBeLessThanOrEqual(1);
});

async function historyOf(file: string): Promise<string[]> {
  const history = join(dirname(file), "history");
  const names = (await readdir(history)).filter((name) => name.endsWith("_spec.md")).toSorted();
  return await Promise.all(names.slice(-3).map(async (name) => await readFile(join(history, name), "utf8")));
}

function sha256Of(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Kills a child right after it has told `lines` references, in the midst of the next write. */
async function runUntilKilled(script: string, args: string[], lines: number): Promise<SpecRef[]> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const told: SpecRef[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(specRefSchema.parse(JSON.parse(line)));
    if (told.length === lines) setTimeout(() => child.kill("SIGKILL"), lines);
  }
  return told;
}

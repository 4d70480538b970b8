import { mkdir, readFile, readdir, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exec } from "../../src/lib/exec.ts";
import { commitTo, gitAt, looseObjects, plant, rawBlob, rawCommit, rawTree } from "../support/fast-import.ts";
import { NEEDLE, ground } from "./odd-repository-fixture.ts";

const { folder, explored, found } = ground();
const OTHER = { path: "src/other.ts", content: "export const other = 1; // findNeedle\n" };
const at = (...parts: string[]) => join(folder, ...parts);

// Until the index asks again for what was missing; now that is stored with the blob.
test("a content that was missing once is read when it is there again", async () => {
  const clone = at("restored");
  await plant(clone, [NEEDLE, OTHER]);
  const blob = await gitAt(clone, "rev-parse", "main:src/other.ts");
  await looseObjects(clone);
  const file = join(clone, ".git/objects", blob.slice(0, 2), blob.slice(2));
  await rename(file, at("aside"));
  expect(await found(clone)).toEqual(["src/needle.ts"]);
  await rename(at("aside"), file);
  expect(await found(clone)).toEqual(["src/needle.ts", "src/other.ts"]);
});

test("one content under two names is searched under the one that holds text", async () => {
  for (const twin of ["a.lock", "z.lock", "src/a.min.js"]) {
    const clone = at(`twins-${twin.replaceAll("/", "-")}`);
    await plant(clone, [NEEDLE, { ...NEEDLE, path: twin }]);
    expect(await found(clone)).toContain("src/needle.ts");
  }
});

test("a later commit with paths that lead into .git adds none of them", async () => {
  const clone = at("later");
  await plant(clone, [NEEDLE]);
  expect(await found(clone)).toEqual(["src/needle.ts"]);
  const blob = await rawBlob(clone, "export function findNeedle() {}\n");
  const inner = await rawTree(clone, [{ mode: "100644", name: "config", object: blob }]);
  const src = await gitAt(clone, "rev-parse", "main:src");
  const tree = await rawTree(clone, [
    { mode: "40000", name: ".git", object: inner },
    { mode: "100644", name: "good.ts", object: blob },
    { mode: "40000", name: "src", object: src },
  ]);
  const parent = await gitAt(clone, "rev-parse", "main");
  await rawCommit(clone, "refs/heads/main", tree, parent);
  expect((await found(clone)).toSorted()).toEqual(["good.ts", "src/needle.ts"]);
});

test("commit after commit the answer is that of a new index", async () => {
  const clone = at("moving");
  await plant(clone, [NEEDLE, OTHER, { path: "new\nline\t.ts", content: "findNeedle\n" }]);
  await explored(clone);
  await commitTo(clone, "refs/heads/main", [
    { path: "src/needle", content: "findNeedle one\n" },
    { path: "src/needle.ts", kind: "link", content: "needle" },
    { path: "src-more.ts", content: "findNeedle two\n" },
    { path: "caf\u00e9\t\n.ts", content: "findNeedle three\n" },
    { path: Buffer.from([0x61, 0xff, 0x2e, 0x74, 0x73]), content: "findNeedle four\n" },
  ]);
  const later = await explored(clone);
  await rm(at("home"), { recursive: true });
  expect(later.answer?.files).toEqual((await explored(clone)).answer?.files);
  expect(later.answer?.files).toHaveLength(6);
});

test.each([
  ["garbage", async (file: string) => await writeFile(file, "no database".repeat(1_000))],
  ["empty", async (file: string) => await truncate(file, 0)],
  ["cut short", async (file: string) => await truncate(file, 5_000)],
])("a stored index that is %s is made anew", async (name, damage) => {
  const { before, after } = await answersAround(name, damage);
  expect(after).toEqual(before);
});

test("a stored index with a page of zeros is passed over", async () => {
  const zeros = async (file: string) => await writeFile(file, (await readFile(file)).fill(0, 4_096, 8_192));
  const { before, after } = await answersAround("zeros", zeros);
  expect(after).toEqual(before);
});

/** What is found before and after the stored index was damaged. */
async function answersAround(name: string, damage: (file: string) => Promise<void>) {
  const clone = at(`index-${name.replaceAll(" ", "-")}`);
  await plant(clone, [NEEDLE, OTHER]);
  const known = new Set(await readdir(at("home/index")).catch(() => []));
  const before = await found(clone);
  const own = (await readdir(at("home/index"))).find((file) => !known.has(file) && file.endsWith(".sqlite"));
  await damage(at("home/index", own ?? "none"));
  return { before, after: await found(clone) };
}

test("a full disk costs the index, not the answer", async ({ skip }) => {
  const disk = at("disk");
  await mkdir(disk);
  const mounted = await exec("mount", ["-t", "tmpfs", "-o", "size=150k", "relay-test", disk]).catch(() => null);
  if (mounted?.code !== 0) skip("only a user who may mount can fill a disk");
  try {
    const clone = at("on-disk");
    await plant(
      clone,
      Array.from({ length: 2_000 }, (_, n) => ({ path: `f${n}.ts`, content: `findNeedle${n} word${n} other${n}\n` })),
    );
    await writeFile(at("disk.yaml"), `home: ${JSON.stringify(disk)}\n`);
    const { code, err, answer } = await explored(clone, "findNeedle7", "--config", at("disk.yaml"));
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^relay: [^\n]*code index[^\n]+\n$/) });
    expect(answer?.files[0]?.path).toBe("f7.ts");
  } finally {
    await exec("umount", [disk]);
  }
});

test("another repository in the same folder has nothing of the one before", async () => {
  const clone = at("again");
  await plant(clone, [NEEDLE, OTHER]);
  await found(clone);
  await rm(clone, { recursive: true });
  await plant(clone, [{ path: "only.ts", content: "findNeedle\n" }], { objects: "sha256" });
  expect(await found(clone)).toEqual(["only.ts"]);
});

test("many at once on one home answer the same", async () => {
  const clone = at("at-once");
  await plant(
    clone,
    Array.from({ length: 300 }, (_, n) => ({ path: `src/f${n}.ts`, content: `export const findNeedle${n} = ${n};\n` })),
  );
  const answers = await Promise.all(Array.from({ length: 8 }, async () => await found(clone, "findNeedle7")));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.[0]).toBe("src/f7.ts");
});

import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeSpecStore } from "../../test/contracts/spec-store.ts";
import { systemClock } from "../lib/clock.ts";
import { localSpecStore } from "./local.ts";
import { folderOf, safeParts, slugOf } from "./path.ts";
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
  return { ref: result.ref, file: join(folder, result.ref.path) };
}

describeSpecStore("the local folder", () => Promise.resolve(open()));

test("files are readable by all, and earlier versions are in history", async () => {
  const { ref, file } = await written("one");
  expect((await stat(file)).mode & 0o777).toBe(0o644);
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
  await symlink(join(folder, "outside"), dirname(file));
  await expect(open().read(ref)).rejects.toMatchObject({ code: "forbidden" });
  await expect(open().write(owner, "two", ref)).rejects.toMatchObject({ code: "forbidden" });
  expect(await readFile(join(folder, "outside", "spec.md"), "utf8")).toBe("one");
});

test("the lock and the leftovers of a process that is gone do not hinder", async () => {
  const { ref, file } = await written("one");
  await writeFile(join(dirname(file), ".lock"), "999999");
  await writeFile(join(dirname(file), "spec.md.999999.tmp"), "half");
  expect(await open().write(owner, "two", ref)).toMatchObject({ kind: "written" });
  expect((await readdir(dirname(file))).toSorted()).toEqual(["history", "spec.md"]);
});

test("a folder that cannot be made is told in one sentence", async () => {
  await writeFile(join(folder, "relay_specs"), "a file");
  await expect(open().write(owner, "one", null)).rejects.toThrow(/^cannot write the spec below .*RELAY_SPEC_ROOT$/);
  await chmod(folder, 0o700);
});

test("a path that leads out is refused, whatever it looks like", async () => {
  const evil = fc.array(fc.constantFrom("..", ".", "", "relay_specs", "a", "\0", "C:", "\\", "%2e%2e"), {
    minLength: 1,
  });
  const { ref } = await written("one");
  await fc.assert(
    fc.asyncProperty(evil, async (parts) => {
      await expect(open().read({ ...ref, path: parts.join("/") })).rejects.toMatchObject({
        code: expect.stringMatching(/forbidden|not_found/),
      });
    }),
  );
});

test("a slug has only letters, digits and single hyphens, and is never empty", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (title) => {
      expect(slugOf(title)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(slugOf(title).length).toBeLessThanOrEqual(60);
      expect(safeParts(folderOf({ ...owner, title }))).toHaveLength(1);
    }),
  );
  expect(slugOf("Ошибка при входе")).toBe("oshibka-pri-vkhode");
  expect(slugOf("登录失败")).toBe("denglushibai");
  expect(slugOf("!!!")).toBe("issue");
});

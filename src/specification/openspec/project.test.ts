import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openChange } from "./change-folder.ts";
import { projectRoot, saveChange } from "./project.ts";

const now = new Date("2026-11-20T10:00:00Z");
const change = (text: string) => ({
  id: "issue-7-theme",
  files: new Map([
    ["proposal.md", text],
    ["specs/ui/theme/spec.md", "## ADDED Requirements\n"],
  ]),
  capabilities: [],
});

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "relay-change-"));
  onTestFinished(async () => await rm(root, { recursive: true, force: true }));
});

async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
  return join(root, path);
}

test("an export makes the project, says when nothing is new, and replaces other text only when told to", async () => {
  const save = async (text: string, force = false) => await saveChange(root, change(text), { force, now });
  const path = join(root, "openspec/changes/issue-7-theme");
  expect(await save("one")).toEqual({ path, outcome: "written" });
  expect(await save("one")).toEqual({ path, outcome: "unchanged" });
  await expect(save("two")).rejects.toThrow(`${path} has another text already; give --force to replace it`);
  await put("openspec/changes/issue-7-theme/specs/old/spec.md", "gone");
  expect(await save("two", true)).toEqual({ path, outcome: "written" });
  expect(await openChange(path)).toEqual({ id: "issue-7-theme", files: change("two").files, leftAside: [] });
  expect(await readFile(join(root, "openspec/config.yaml"), "utf8")).toBe("schema: spec-driven\n");
});

test("a project keeps its own configuration, also when a folder in it is given", async () => {
  const config = await put("openspec/config.yaml", "schema: ours\n");
  expect(await projectRoot(join(root, "openspec/changes"))).toBe(root);
  expect(await projectRoot(join(root, "openspec"))).toBe(root);
  expect(await projectRoot(join(root, "docs"))).toBe(join(root, "docs"));
  await saveChange(root, change("one"), { force: false, now });
  expect(await readFile(config, "utf8")).toBe("schema: ours\n");
});

test("an export never writes through a link", async () => {
  await mkdir(join(root, "elsewhere"));
  await mkdir(join(root, "openspec/changes"), { recursive: true });
  await symlink(join(root, "elsewhere"), join(root, "openspec/changes/issue-7-theme"));
  await expect(saveChange(root, change("one"), { force: true, now })).rejects.toMatchObject({ code: "forbidden" });
});

test("what is no change is named with the remedy", async () => {
  const file = await put("openspec/changes/theme/proposal.md", "## Why\n");
  await expect(openChange(join(root, "nowhere"))).rejects.toThrow("give its folder, such as openspec/changes/ID");
  await expect(openChange(file)).rejects.toThrow("is a file; give the folder of a change");
  await expect(openChange(root)).rejects.toThrow("it has no proposal.md; give one of its changes: theme");
  await expect(openChange(join(root, "openspec/changes/theme"))).resolves.toMatchObject({ id: "theme" });
});

test("links, huge files, too many and too deep ones are refused", async () => {
  const path = join(root, "change");
  await put("change/proposal.md", "## Why\n");
  await put("secret", "key");
  await symlink(join(root, "secret"), join(path, "design.md"));
  await expect(openChange(path)).rejects.toMatchObject({ code: "usage", message: /design.md is a symbolic link/ });
  await rm(join(path, "design.md"));
  await put("change/tasks.md", "x".repeat(200 * 1024 + 1));
  await expect(openChange(path)).rejects.toMatchObject({ code: "too_large" });
  await put("change/tasks.md", "- [ ] 1.1 a\n");
  await put(`change/specs/${"a/".repeat(9)}spec.md`, "");
  await expect(openChange(path)).rejects.toThrow("lies deeper than 8 folders");
  await rm(join(path, "specs"), { recursive: true });
  for (let count = 0; count < 200; count += 1) await put(`change/specs/c${count}/spec.md`, "");
  await expect(openChange(path)).rejects.toThrow("a change may have 200 files, not more");
});

test("what is no part of a change is told, not read", async () => {
  await put("change/proposal.md", "## Why\n");
  await put("change/research.md", "notes");
  await put("change/specs/theme.md", "flat");
  await put("change/specs/theme/notes.md", "notes");
  await put("change/.hidden", "x");
  const { files, leftAside } = await openChange(join(root, "change"));
  expect([...files.keys()]).toEqual(["proposal.md"]);
  expect(leftAside).toEqual(["research.md", "specs/theme/notes.md", "specs/theme.md"]);
});

import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { foldersInside, nodeProgram } from "./node-program.ts";

const NODE = dirname(realpathSync(process.execPath));

test("what the account's PATH runs with Relay's Node is run with it in the sandbox, too, before a system's older one", async () => {
  const linked = mkdtempSync(join(tmpdir(), "relay-bin-"));
  onTestFinished(() => rmSync(linked, { recursive: true, force: true }));
  symlinkSync(process.execPath, join(linked, "node"));
  const node = await nodeProgram();
  const isVisible = (path: string) => path === "/usr/bin" || path === "/bin";
  const inside = async (...folders: string[]) => await foldersInside(node, folders, isVisible);
  expect(await inside("/nowhere", linked, "/usr/bin", "/bin")).toEqual([NODE, "/usr/bin", "/bin"]);
  expect(await inside("/usr/bin", linked)).toEqual(["/usr/bin", NODE]);
  expect(await inside("/usr/bin", "/nowhere")).toEqual(["/usr/bin", NODE]);
});

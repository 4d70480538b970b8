import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { main } from "../main.ts";

const L0 = new URL("../../../test/fixtures/specs/L0.md", import.meta.url).pathname;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-export-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
});

async function relay(...args: string[]) {
  let out = "";
  let err = "";
  const code = await main(["export", ...args], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    interactive: false,
    progress: false,
    color: false,
    outputFailure: () => null,
    readInput: async () => await Promise.resolve("# Spec: Nothing\n"),
  });
  return { code, out, err };
}

test("the path of the change is printed, and with --json what stands there", async () => {
  const first = await relay(L0, "--format", "openspec", "--out", folder);
  const path = join(folder, "openspec/changes/issue-412-import-keeps-the-last-row-of-a-csv-without-a-final-newline");
  expect(first).toEqual({ code: 0, out: `${path}\n`, err: "" });
  expect(await readdir(path)).toEqual([".openspec.yaml", "design.md", "proposal.md", "specs", "tasks.md"]);
  const again = await relay(L0, "--out", folder, "--json");
  expect(JSON.parse(again.out)).toMatchObject({ path, outcome: "unchanged", capabilities: [{ new: true }] });
});

test("requirements go to the capability that is named, and the export of another text is refused without --force", async () => {
  await relay(L0, "--out", folder);
  const named = ["--out", folder, "--capability", "Import/CSV files"];
  const refused = await relay(L0, ...named);
  expect(refused).toMatchObject({ code: 2, out: "" });
  expect(refused.err).toContain("has another text already; give --force to replace it");
  const forced = await relay(L0, ...named, "--force", "--json");
  expect(JSON.parse(forced.out)).toMatchObject({ outcome: "written", capabilities: [{ name: "import/csv-files" }] });
});

test("what cannot be exported is told in a sentence", async () => {
  expect((await relay("-", "--out", folder)).err).toContain("OpenSpec needs a requirement with a scenario");
  expect((await relay(join(folder, "none.md"), "--out", folder)).err).toContain("there is no such file");
  expect((await relay(L0, "--out", folder, "--capability", "…")).err).toContain("is no name of a capability");
  expect((await relay(L0)).err).toContain("--out");
  await writeFile(join(folder, "file"), "");
  expect(await relay(L0, "--out", join(folder, "file"))).toMatchObject({ code: 3, out: "" });
});

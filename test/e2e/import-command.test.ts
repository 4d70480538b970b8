import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newDesk, relay, specArgs } from "./cli-harness.ts";

test("a change that was exported, edited by people and imported is the spec's next version (R-SPEC-14)", async () => {
  const desk = await newDesk();
  expect(await relay(desk, specArgs(desk))).toMatchObject({ code: 0 });
  const exported = await relay(desk, ["export", "57", "--out", join(desk.folder, "project")]);
  expect(exported).toMatchObject({ code: 0, err: "" });
  const change = exported.out.trim();
  const bring = async (...args: string[]) => await relay(desk, ["import", change, "--issue", "57", ...args]);

  await bring();
  const same = JSON.parse((await bring("--json")).out);
  expect(same).toMatchObject({ outcome: "unchanged", validation_status: "valid", complexity: "L0", errors: [] });

  const proposal = join(change, "proposal.md");
  const text = await readFile(proposal, "utf8");
  await writeFile(proposal, `${text}<!-- approve -->\n\n## Legal\n\nNobody minds.\n`);
  const next = await bring();
  expect(next).toMatchObject({ code: 0, err: "" });
  const spec = await readFile(join(desk.folder, next.out.trim()), "utf8");
  expect(spec).toContain("## Legal\n\nNobody minds.\n");
  expect(spec).toContain("**Status:** Proposed");
  expect(spec).toMatch(/^### Finding \d$/m);
  expect(spec).not.toContain("Imported evidence");
  expect(spec).not.toContain("approve");
  const log = await relay(desk, ["log", "57"]);
  expect(log.out).toContain("imported from the OpenSpec change october-export-has-the-wrong-invoices");

  await writeFile(join(change, "tasks.md"), "# Tasks\n");
  const partial = await bring();
  expect(partial).toMatchObject({ code: 1, out: next.out });
  expect(partial.err).toContain("has_implementation_plan");
  expect(partial.err).toContain("stored as partial for local/quillbill#57");
});

test("what is no change, or for no known issue, is refused and changes nothing", async () => {
  const desk = await newDesk();
  const wrong = await relay(desk, ["import", "nowhere", "--issue", "57"]);
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.err).toContain("there is no change nowhere");
  const change = join(desk.folder, "change");
  await mkdir(change);
  await writeFile(join(change, "proposal.md"), "# Proposal\n\n## Why\n\nIt is slow.\n");
  const unknown = await relay(desk, ["import", change, "--issue", "57"]);
  expect(unknown).toMatchObject({ code: 2, out: "" });
  expect(unknown.err).toContain("no issue “57” is known here");
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { ENTER, LEFT, typing } from "../support/typing.ts";
import { newDesk } from "./cli-harness.ts";

test("who leaves every question open is asked for the go-ahead, and nothing is written or said in their name without it", async () => {
  const { folder, home, specs, repository } = await newDesk();
  const config = join(folder, "relay.yaml");
  await writeFile(config, JSON.stringify({ home, spec_root: specs }));
  const issue = join(folder, "issue.md");
  await writeFile(
    issue,
    "---\ntitle: Exports are confusing\nnumber: 1\nauthor: ann\n---\n\nThey could be nicer for our users.\n",
  );
  const spec = ["spec", issue, "--repo", repository, "--config", config];
  const log = async () => {
    const { terminal, said } = typing();
    await main(["log", "1", "--config", config], terminal);
    return said.out;
  };

  const silent = typing(() => [ENTER]);
  expect(await main(spec, silent.terminal)).toBe(1);
  expect(silent.said.shown).toContain("Write the spec without these answers?");
  expect(await log()).not.toMatch(/Go ahead|spec\.written/);

  const choosing = typing((_, prompt) => (prompt.includes("Write the spec") ? [LEFT, ENTER] : [ENTER]));
  expect(await main(spec, choosing.terminal)).toBe(0);
  expect(await log()).toMatch(/message\.posted {2}“Go ahead with the spec\.”[^]*spec\.written/);
});

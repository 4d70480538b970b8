import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { codingAgent } from "../../../src/adapters/agents/coding-agent.ts";
import { describeCodingAgent } from "../../contracts/coding-agent.ts";
import { agentStage } from "../../support/coding-agent-fixture.ts";
import { install, programFolder } from "./fake-programs.ts";
import { TOKENS } from "./transcripts.ts";

const programs = programFolder();
const TEXT = { tools: false, limits: false, tokens: null, usd: false };

install(programs, "own-agent", "fake-agent.ts", "command");
const own = await codingAgent({ name: "command", sandboxed: true, command: ["own-agent", "--read", "{prompt_file}"] });
describeCodingAgent("command", () => ({ agent: own, programs, tells: TEXT }));

install(programs, "acp-agent", "fake-acp-agent.ts");
const speaker = await codingAgent({ name: "acp", sandboxed: true, command: ["acp-agent", "{directory}"] });
describeCodingAgent("acp", () => ({
  agent: speaker,
  programs,
  tells: { tools: true, limits: true, tokens: TOKENS, usd: true },
}));

test.each([["{prompt}"], ["{prompt_file}"], []])(
  "a command gets its task by the word that asks for it, or by its input (%#)",
  async (...words) => {
    const stage = agentStage([programs]);
    const agent = await codingAgent({ name: "command", sandboxed: true, command: ["own-agent", ...words] });
    await stage.run(agent, { prompt: "do: edit\nand keep {model} and {prompt_file} as they are\n" });
    expect(readFileSync(join(stage.directory, "hello.txt"), "utf8")).toBe(
      "do: edit\nand keep {model} and {prompt_file} as they are\n",
    );
  },
);

test("a command that asks for a model that is not set, or for a task too long for an argument, says how to mend it", async () => {
  const stage = agentStage([programs]);
  const modelled = await codingAgent({ name: "command", sandboxed: true, command: ["own-agent", "{model}"] });
  await expect(stage.run(modelled)).rejects.toThrow(/no model is set; set one, or drop it/);
  const short = await codingAgent({ name: "command", sandboxed: true, command: ["own-agent", "{prompt}"] });
  await expect(stage.run(short, { prompt: "x".repeat(130_000) })).rejects.toThrow(/write \{prompt_file\} instead/);
});

test("an agent that asks may change the tree, but nothing beside it, and reads no file through Relay", async () => {
  const answers = z.record(z.string(), z.string());
  const asked = async (sandboxed: boolean) => {
    const stage = agentStage([programs]);
    const agent = await codingAgent({ name: "acp", sandboxed, command: ["acp-agent"] });
    const { denied } = await stage.run(agent, { prompt: "do: edit\n" });
    return { denied, ...answers.parse(JSON.parse(readFileSync(join(stage.home, "asked.json"), "utf8"))) };
  };
  const held = await asked(true);
  expect(held).toMatchObject({
    inside: expect.stringContaining('"optionId":"yes"'),
    outside: expect.stringContaining('"optionId":"no"'),
    command: expect.stringContaining('"optionId":"yes"'),
    file: expect.stringContaining("-32601"),
  });
  expect(held.denied).toEqual([expect.stringMatching(/^edit .*elsewhere$/)]);
  expect(await asked(false)).toMatchObject({ command: expect.stringContaining('"optionId":"no"') });
});

test("a patch is applied once, and changes nothing where it is applied already", async () => {
  const stage = agentStage([]);
  const patch = join(stage.directory, "../fix.patch");
  writeFileSync(join(stage.directory, "README.md"), "A tree, mended.\n");
  writeFileSync(join(stage.directory, "new.txt"), "new\n");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: stage.directory, encoding: "utf8" });
  git("add", "--intent-to-add", "new.txt");
  writeFileSync(patch, git("diff"));
  git("reset", "--quiet", "--hard");
  const agent = await codingAgent({ name: "script", sandboxed: false, patch });
  expect((await stage.run(agent)).ending).toEqual({ kind: "finished" });
  expect(stage.changes().split("\n").toSorted()).toEqual(["?? new.txt", "M README.md"]);
  expect(await stage.run(agent)).toMatchObject({ ending: { kind: "finished" }, entries: [] });
  writeFileSync(join(stage.directory, "README.md"), "Another tree.\n");
  expect((await stage.run(agent)).ending).toMatchObject({ kind: "failed", usable: false });
});

test("a patch that is not there is an error of the configuration", async () => {
  const agent = await codingAgent({ name: "script", sandboxed: false, patch: "/nowhere/fix.patch" });
  await expect(agentStage([]).run(agent)).rejects.toMatchObject({ code: "config" });
});

test.each([
  { name: "script", sandboxed: false },
  { name: "script", sandboxed: false, patch: "fix.patch" },
  { name: "acp", sandboxed: true },
  { name: "command", sandboxed: true, command: [] },
  { name: "command", sandboxed: true, command: ["{prompt}"] },
] as const)("an agent whose configuration lacks something is none: %j", async (choice) => {
  await expect(codingAgent(choice)).rejects.toThrow(expect.objectContaining({ code: "config" }));
});

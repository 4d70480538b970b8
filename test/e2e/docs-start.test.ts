import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startMockModel } from "../mock-model/server.ts";
import { STORY } from "../support/sample-story.ts";
import { TRIES_ALL } from "../support/tries.ts";
import { EXAMPLES } from "./cli-harness.ts";
import { newSetUpDesk } from "./configured-desk.ts";
import { commandsOf, shellAt } from "./docs-shell.ts";

async function section(heading: string): Promise<string[]> {
  return (await commandsOf("start.md")).filter(({ under }) => under === heading).map(({ text }) => text);
}

test("alone: from a sentence to a plan, and to the page, without a key", async () => {
  const desk = await newSetUpDesk();
  const shell = await shellAt(desk, { RELAY_PORT: "0" });
  const [write = "", look = "", serve = "", ...rest] = await section("Alone");
  expect(rest).toEqual([]);
  const ended = await shell.run(`${write.replace("your-repository", "quillbill")}\n${look}`);
  expect(ended).toMatchObject({ code: 0 });
  for (const told of [
    "src/export/reconcile.js:21",
    "spec.md: valid",
    "BUG, risk MEDIUM",
    "export-warns-of-a-wrong-total",
  ]) {
    expect(ended.out).toContain(told);
  }
  const address = await shell.serve(`cd quillbill\n${serve}`);
  expect((await fetch(`${address}/login`)).status).toBe(200);
});

test.each([
  ["A team on GitHub", "github.md", 3],
  ["GitLab of your own", "gitlab.md", 3],
])("%s: each command is one of %s, which a test of its own plays", async (heading, page, blocks) => {
  const played = new Set((await commandsOf(page)).flatMap(({ text }) => text.split("\n")));
  const told = await section(heading);
  expect(told).toHaveLength(blocks);
  expect(told.flatMap((text) => text.split("\n")).filter((line) => !played.has(line))).toEqual([]);
});

test.runIf(TRIES_ALL)("a model of one's own orders the files and writes the spec", async () => {
  const desk = await newSetUpDesk();
  const model = await startMockModel();
  onTestFinished(async () => await model.close());
  model.script(STORY, { forever: true });
  const [commands = "", ...rest] = await section("A model of your own");
  expect(rest).toEqual([]);
  const issue = await readFile(join(EXAMPLES, "issue.md"), "utf8");
  const shell = await shellAt(desk, { ISSUE: issue });
  const there = commands.replace("http://localhost:11434", new URL(model.url("openai-compatible")).origin);
  const ended = await shell.run(`cd quillbill\nprintf %s "$ISSUE" > issue.md\n${there}`);
  expect(ended).toMatchObject({ code: 0 });
  for (const told of ["model of planner: openai-compatible/qwen3:32b", "the model placed it first", "/spec.md"]) {
    expect(ended.out).toContain(told);
  }
  expect(await shell.run("cat quillbill/relay_specs/*/spec.md")).toMatchObject({
    out: expect.not.stringContaining("Drafted by rules"),
  });
  expect(new Set(model.requests.map(({ path }) => path))).toEqual(new Set(["/v1/chat/completions"]));
});

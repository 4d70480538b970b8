import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadPresets } from "./coding-agent.ts";
import { AGENT_NAMES, PRESET_NAMES } from "./registry.ts";

const docs = readFileSync(join(import.meta.dirname, "../../../docs/agents.md"), "utf8");

test("every preset has a line in the registry", () => {
  const files = readdirSync(join(import.meta.dirname, "presets")).map((name) => name.replace(/\.ts$/, ""));
  expect(files.toSorted()).toEqual(PRESET_NAMES.toSorted());
});

test("docs/agents.md has a row for every agent, in the order of the registry", () => {
  expect([...docs.matchAll(/^\| `(\w+)` \|/gm)].map((row) => row[1])).toEqual(AGENT_NAMES);
});

test.each(await loadPresets())(
  "docs/agents.md names the program and the keys of $name",
  ({ program, needs, variables }) => {
    const row = docs.split("\n").find((line) => line.includes(`, \`${program}\` |`));
    expect(row).toBeDefined();
    for (const variable of needs === undefined ? [] : variables) expect(docs).toContain(variable);
  },
);

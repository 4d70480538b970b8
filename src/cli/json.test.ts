import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { main } from "./main.ts";

const types = readFileSync(join(import.meta.dirname, "json.ts"), "utf8");

async function helpOf(...command: string[]): Promise<string> {
  let text = "";
  await main([...command, "--help"], {
    out: (said) => (text += said),
    err: () => {},
    interactive: false,
    progress: false,
    color: false,
    outputFailure: () => null,
    readInput: async () => await Promise.resolve(""),
  });
  return text;
}

function commandsIn(help: string): string[] {
  const [, list = ""] = help.split("\nCommands:\n");
  return [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
}

test("each command that prints JSON has the type of what it prints, and no other has", async () => {
  const [, list = ""] = /interface Answers \{([^}]*)\}/.exec(types) ?? [];
  const typed = [...list.matchAll(/^ {2}"?([a-z]+(?: [a-z]+)?)(?: --[a-z-]+)?"?:/gm)].map(([, name = ""]) => name);
  const printing: string[] = [];
  for (const command of commandsIn(await helpOf())) {
    const help = await helpOf(command);
    if (help.includes("--json")) printing.push(command);
    for (const one of commandsIn(help)) printing.push(`${command} ${one}`);
  }
  expect(printing.length).toBeGreaterThan(25);
  expect([...new Set(typed)].toSorted()).toEqual(printing.toSorted());
});

test("each document of the API has a type of its name", () => {
  const { components } = z
    .object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
    .parse(JSON.parse(readFileSync(join(import.meta.dirname, "../../docs/openapi.json"), "utf8")));
  const exported = new Set([...types.matchAll(/^export type (?:\{ )?(\w+)/gm)].map(([, name]) => name));
  expect(Object.keys(components.schemas).filter((name) => !exported.has(name))).toEqual([]);
});

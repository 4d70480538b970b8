import { expect, test } from "vitest";
import { main } from "./main.ts";
import type { Terminal } from "./terminal.ts";

async function relay(...args: string[]) {
  let [out, err] = ["", ""];
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    interactive: false,
    progress: false,
    color: false,
    outputFailure: () => null,
    readInput: async () => await Promise.resolve(""),
  };
  return { code: await main(args, terminal), out, err };
}

test.each([
  ["help", "Usage: relay [options] [command]"],
  ["help spec", "Usage: relay spec [options] <source>"],
  ["help spec issue.md", "Usage: relay spec [options] <source>"],
  ["help learnings", "Usage: relay learnings [options] [command]"],
  ["help learnings list", "Usage: relay learnings list [options]"],
  ["learnings help list", "Usage: relay learnings list [options]"],
])("relay %s prints its help", async (line, begins) => {
  const { code, out, err } = await relay(...line.split(" "));
  expect([code, err]).toEqual([0, ""]);
  expect(out.slice(0, begins.length)).toBe(begins);
});

test.each([
  ["help foo", "foo"],
  ["foo --help", "foo"],
  ["help foo bar", "foo"],
  ["help learnings foo", "foo"],
  ["learnings help foo", "foo"],
])("relay %s names the word that is no command, and runs nothing", async (line, word) => {
  const { code, out, err } = await relay(...line.split(" "));
  expect([code, out]).toEqual([2, ""]);
  expect(err).toBe(`relay: unknown command '${word}'\n(relay --help lists the commands)\n`);
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plant } from "../../test/support/fast-import.ts";
import { openRepository } from "../code/git/repository.ts";
import { openCode } from "./open-code.ts";
import { type Terminal, Interrupted, exitCodeOf, safeTerminal } from "./terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "relay-open-code-"));
const clone = join(folder, "clone");
const FILES = 2_100;
const ERASE = "\r\u001b[K";

beforeAll(async () => {
  const files = Array.from({ length: FILES }, (_, at) => ({
    path: `src/f${at}.ts`,
    content: `export const x${at} = 1;\n`,
  }));
  await plant(clone, files);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Opening {
  progress?: boolean;
  json?: boolean;
  each?: (text: string) => void;
}

/** What a command writes on stderr while it opens the code. */
async function opening(home: string, { progress = false, json = false, each }: Opening = {}) {
  const shown: string[] = [];
  const terminal: Terminal = {
    out: () => {},
    err: (text) => {
      shown.push(text);
      each?.(text);
    },
    interactive: false,
    progress,
    color: false,
    outputFailure: () => null,
    readInput: async () => await Promise.resolve(""),
  };
  const repository = await openRepository(clone);
  try {
    const how = { options: { json }, terminal: safeTerminal(terminal) };
    const code = await openCode(repository, join(folder, home), how);
    const found = code.index.filesDefining("x7");
    code.close();
    return { shown, found };
  } finally {
    await repository.close();
  }
}

test("a terminal shows on one line how far the reading is, and nothing of it stays", async () => {
  const { shown } = await opening("one", { progress: true });
  const lines = [500, 1_000, 1_500, 2_000].map((done) => `${ERASE}Reading ${done.toLocaleString("en")} of 2,100 files`);
  expect(shown).toEqual([...lines, ERASE]);
  // There is nothing to read any more.
  expect((await opening("one", { progress: true })).shown).toEqual([]);
});

test.each([
  ["what is no terminal", { progress: false }],
  ["a script that wants JSON", { progress: true, json: true }],
])("%s gets no progress", async (name, how) => {
  expect((await opening(name, how)).shown).toEqual([]);
});

test("an interruption ends the reading; the next command answers as if there had been none", async () => {
  const interrupted = opening("two", {
    progress: true,
    each: (text) => void (text !== ERASE && process.emit("SIGINT")),
  });
  await expect(interrupted).rejects.toThrow(Interrupted);
  expect(exitCodeOf(await interrupted.catch((error: unknown) => error))).toBe(130);
  expect(process.listeners("SIGINT")).toEqual([]);
  expect((await opening("two")).found).toEqual(["src/f7.ts"]);
});

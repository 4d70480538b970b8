import { expect, test } from "vitest";
import { main } from "./main.ts";
import { type Terminal, printJson, safeTerminal } from "./terminal.ts";

const HOSTILE = "total \u001b]0;owned\u0007\u001b[2J\u009b8m \u202Egnp.exe\u2066 a\u200bb \u{e0041} kept\roverwritten";

function open(): { terminal: Terminal; written: { out: string; err: string } } {
  const written = { out: "", err: "" };
  const terminal: Terminal = {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    interactive: false,
    progress: false,
    color: false,
    outputFailure: () => null,
    readInput: async () => await Promise.resolve(""),
  };
  return { terminal, written };
}

test("what others wrote cannot command the terminal, hide or reorder: it is shown as JSON writes it", () => {
  const { terminal, written } = open();
  const safe = safeTerminal(terminal);
  safe.out(`${HOSTILE}\n`);
  safe.err(`${HOSTILE}\n`);
  const shown = String.raw`total \u001b]0;owned\u0007\u001b[2J\u009b8m \u202egnp.exe\u2066 a\u200bb \udb40\udc41 kept\u000doverwritten`;
  expect(written).toEqual({ out: `${shown}\n`, err: `${shown}\n` });
});

test("letters of all scripts, emoji, tabs and line ends stay", () => {
  const { terminal, written } = open();
  const text = "Größe\t合計 نمی‌خواهم 👩‍💻 ✔️\r\nnext\n";
  safeTerminal(terminal).out(text);
  expect(written.out).toBe(text);
});

test("JSON says the same to a program, and has no raw control or bidirectional character", () => {
  const { terminal, written } = open();
  printJson<{ title: string; path: string }>(safeTerminal(terminal), { title: HOSTILE, path: "C:\\\u202E" });
  expect(JSON.parse(written.out)).toEqual({ title: HOSTILE, path: "C:\\\u202E" });
  expect(written.out.trimEnd()).toMatch(/^[\x20-\x7e]*$/);
});

test("every command writes so, refusals too", async () => {
  const { terminal, written } = open();
  expect(await main(["validate", `no\u001b]0;owned\u0007\u202E.md`], terminal)).toBe(2);
  expect(await main([`\u009b2J`], terminal)).toBe(2);
  expect(written.err).toContain(String.raw`no\u001b]0;owned\u0007\u202e.md`);
  expect(written.err).not.toMatch(/[^\n\x20-\x7e“”…]/);
});

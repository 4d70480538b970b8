import { expect, test } from "vitest";
import { failingLines, relevantOutput } from "./relevant-output.ts";

const show = (raw: string) => relevantOutput(raw, "/work/tree");

test("short output is shown as a person would have seen it", () => {
  const raw = "\u001b[31mFAIL\u001b[0m /work/tree/src/a.ts:3\r\n10 %\r20 %\r100 %\n\n\n\nat /work/tree\n";
  expect(show(raw)).toBe("FAIL src/a.ts:3\n100 %\n\nat .");
});

test("of long output the first failures and the end are kept, in order", () => {
  const noise = Array.from({ length: 5_000 }, (_, n) => `ok ${n} something passed`);
  const raw = [
    ...noise,
    "Error: total is wrong",
    "  at total (a.ts:3)",
    ...noise,
    "0 errors in 3 files",
    ...noise,
    "1 test failed",
  ];
  const shown = show(raw.join("\n"));
  expect(shown.length).toBeLessThanOrEqual(8_000);
  expect(shown).toMatch(/^\[… 5000 lines\]\nError: total is wrong\n {2}at total \(a\.ts:3\)/);
  expect(shown.endsWith("1 test failed")).toBe(true);
  expect(shown).not.toContain("0 errors");
});

test("a failure on every line does not hide the end", () => {
  const raw = `${Array.from({ length: 9_000 }, (_, n) => `error ${n}: this is wrong`).join("\n")}\nTotal: 9000`;
  const shown = show(raw);
  expect(shown.length).toBeLessThanOrEqual(8_000);
  expect(shown.startsWith("error 0")).toBe(true);
  expect(shown.endsWith("Total: 9000")).toBe(true);
});

test("secrets are not shown, also where colours are strewn in", () => {
  const token = `ghp_${"a1B2".repeat(10)}`;
  expect(show(`token ${token}`)).toBe("token [secret removed]");
  expect(show(`token ${token.slice(0, 9)}\u001b[0m${token.slice(9)}`)).toBe("token [secret removed]");
});

test.each([
  ["one line without an end", "x".repeat(800_000)],
  ["carriage returns alone", "\r".repeat(800_000)],
  ["escapes alone", "\u001b[".repeat(400_000)],
  ["failures in one line", "error ".repeat(130_000)],
  ["empty lines", "\n".repeat(800_000)],
  ["control characters", Array.from({ length: 200_000 }, (_, n) => String.fromCharCode(n % 160)).join("")],
])("hostile output is bounded: %s", (_, raw) => {
  expect(show(raw).length).toBeLessThanOrEqual(8_000);
});

test("people see what failed, not the table at the end, and no folder of this machine (R-WORK-15)", () => {
  const table = Array.from({ length: 60 }, (_, n) => `src/file-${n}.ts |  100 |  100 |  100 |  100 |`);
  const raw = ["✗ rates › rounds half up", "  expected 3, received 2", "log: /srv/home/7/.npm/_logs/1.log", ...table];
  const shown = failingLines(relevantOutput(raw.join("\n"), "/srv/tree", ["/srv/home/7"]), 1_500);
  expect(shown).toMatch(/^✗ rates › rounds half up\n {2}expected 3, received 2\nlog: …\/\.npm/);
  expect(shown.length).toBeLessThanOrEqual(1_500);
  expect(shown).not.toContain("/srv");
});

test("a long table of coverage is left out, whatever printed it; a failure in it stays", () => {
  const rows = (row: (n: number) => string) => Array.from({ length: 40 }, (_, n) => row(n));
  const bar = (n: number) => ` file-${n}.js  |   97.${n} |      90 |     100 |   97.1 | 12-14,${n}`;
  const plain = (n: number) => `src/file_${n}.py      ${n}      4    9${n % 10}%   12-14`;
  const node = (n: number) => `ℹ file-${n}.js | 9${n % 10}.10 | 80.00 | 100.00 | 3-4`;
  for (const row of [bar, plain, node]) {
    expect(show(["not ok 3 total", ...rows(row), "1 failed"].join("\n"))).toBe(
      "not ok 3 total\n[… 40 lines]\n1 failed",
    );
  }
  expect(show("a | 1 | 2 |\nb | 3 | 4 |")).toBe("a | 1 | 2 |\nb | 3 | 4 |");
});

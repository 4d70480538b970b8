import { expect, test } from "vitest";
import { likelyFiles } from "./likely-files.ts";
import type { Located, Reason } from "./rank-files.ts";

function located(path: string, score: number, reasons: Reason[]): Located {
  return { path, role: "source", language: "javascript", score, reasons, lines: [], symbols: [] };
}

const frame = (depth: number): Reason => ({ kind: "frame", symbol: null, line: 1, depth });

test("a file that only shares words with the issue which many files have is no place", () => {
  const words = (isVague: boolean): Reason => ({ kind: "words", words: ["total"], symbol: null, isVague });
  const found = [
    located("src/errors.js", 0.7, [words(true), { kind: "imported", by: "src/cli.js" }]),
    located("src/report/total.js", 0.69, [{ kind: "path", words: ["total"] }, words(true)]),
    located("src/report/sum.js", 0.68, [words(false)]),
  ];
  const paths = likelyFiles(found, { aboutDocs: false, proposal: null }).map(({ path }) => path);
  expect(paths).toEqual(["src/report/total.js", "src/report/sum.js"]);
});

test("the file where the stack trace failed stands first, however the search ranks it", () => {
  const found = [
    located("src/cli/report.js", 1.27, [frame(3), { kind: "words", words: ["report"], symbol: null }]),
    located("src/report/overdue.js", 1.12, [frame(2)]),
    located("src/time/calendar.js", 0.4, [frame(0)]),
  ];
  const paths = likelyFiles(found, { aboutDocs: false, proposal: null }).map(({ path }) => path);
  expect(paths).toEqual(["src/time/calendar.js", "src/cli/report.js", "src/report/overdue.js"]);
});

import { expect, test } from "vitest";
import { likelyFiles } from "./likely-files.ts";
import type { Located, Reason } from "./rank-files.ts";

function located(path: string, score: number, reasons: Reason[]): Located {
  return { path, role: "source", language: "javascript", score, reasons, lines: [], symbols: [] };
}

const frame = (depth: number): Reason => ({ kind: "frame", symbol: null, line: 1, depth });

test("the file where the stack trace failed stands first, however the search ranks it", () => {
  const found = [
    located("src/cli/report.js", 1.27, [frame(3), { kind: "words", words: ["report"], symbol: null }]),
    located("src/report/overdue.js", 1.12, [frame(2)]),
    located("src/time/calendar.js", 0.4, [frame(0)]),
  ];
  const paths = likelyFiles(found, { aboutDocs: false, proposal: null }).map(({ path }) => path);
  expect(paths).toEqual(["src/time/calendar.js", "src/cli/report.js", "src/report/overdue.js"]);
});

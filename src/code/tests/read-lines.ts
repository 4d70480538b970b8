import { foundByLines } from "../outline/line-definitions.ts";
import type { Mark, TestCase, TestFile } from "./test-file.ts";

const LANGUAGES = new Set(["kotlin", "scala", "groovy", "swift", "dart", "elixir"]);
const ASSERTION =
  /^\s*(?:[\w.]+\.)?(?:assert\w*|expect\w*|verify\w*|fail|refute\w*|require|XCTAssert\w*|#expect)\b|\bshould\w*\b/;
const TEST_MARK = /@(?:Test|ParameterizedTest|RepeatedTest)\b/;
const SKIP_MARK = /@(?:Ignore|Disabled)\b|@tag :skip/;

/** Finds tests line by line, for languages without a grammar: functions with `@Test`, or with a name for tests. */
export function readLines(language: string | null, text: string): TestFile | null {
  if (language === null || !LANGUAGES.has(language)) return null;
  const lines = text.split("\n");
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset);
  const tests: TestCase[] = [];
  let classMarks: Mark[] = [];
  for (const { name, kind, from, to } of foundByLines(language, text)) {
    const [first, last] = [lineAt(from), lineAt(to)];
    const above = annotationsAbove(lines, first);
    const marks = above.flatMap(({ text: written, line }): Mark[] =>
      SKIP_MARK.test(written) ? [{ kind: "skip", conditional: false, text: written.trim(), line }] : [],
    );
    if (kind === "class") classMarks = marks;
    if (kind !== "function" && kind !== "method") continue;
    if (!above.some(({ text: written }) => TEST_MARK.test(written)) && !/^test[A-Z_]/.test(name)) continue;
    const body = lines.slice(first, last + 1);
    tests.push({
      name,
      line: first + 1,
      marks: [...classMarks, ...marks],
      assertions: body.flatMap((written, at) => assertionOn(written, first + at + 1)),
      values: [],
      body: body.map((written) => written.trim()).join(" "),
    });
  }
  return { tests, exits: [], replacements: [] };
}

function annotationsAbove(lines: readonly string[], first: number): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = [{ text: lines[first] ?? "", line: first + 1 }];
  for (let at = first - 1; at >= 0 && /^\s*(?:@|\/\/|\*|\/\*)/.test(lines[at] ?? ""); at -= 1) {
    if (/^\s*@/.test(lines[at] ?? "")) found.push({ text: lines[at] ?? "", line: at + 1 });
  }
  return found;
}

function assertionOn(written: string, line: number): TestCase["assertions"][number][] {
  const text = written.trim().replace(/;$/, "");
  if (!ASSERTION.test(text)) return [];
  const positive = !/\b(?:assertNot|assertFalse|refute|shouldNot|XCTAssertFalse|XCTAssertNot)/.test(text);
  const [, given = ""] = /\(([^]*)\)/.exec(text) ?? [];
  const claim = text.replace(/\([^]*$/, "").replaceAll(/Not|False|refute/g, "");
  return [
    {
      text,
      code: text.slice(0, 300),
      claim,
      positive,
      operands: [given],
      empty: /^\w*(?:assert\w*)\(\s*true\s*\)$/.test(text),
      swallowed: false,
      line,
    },
  ];
}

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linesOf } from "./blocks.ts";
import { parseSpec, sectionKey } from "./parse.ts";
import { triesOf } from "../../../test/support/tries.ts";

const headings = (text: string) =>
  parseSpec(text).sections.map(({ heading, line, endLine }) => [heading, line, endLine]);
const tasks = (rows: string) => parseSpec(`## Implementation Plan\n\n${rows}`).tasks;
const criteria = (text: string) => parseSpec(`## Success Criteria\n\n${text}`);

describe("the header", () => {
  test("is read in whatever emphasis or list it stands", () => {
    for (const head of [
      "**Status:** Ready\n**Issue:** a/b#1\n**Last updated:** today\n**Complexity:** L2 (medium)",
      "Status: Ready  \nIssue: a/b#1\nLast Updated: today\nComplexity: l2",
      "- **Status**: Ready\n- __Issue__: a/b#1\n- *Last updated* : today\n- **Complexity**: **L2**",
    ]) {
      expect(parseSpec(`# Spec: A thing\n\n${head}\n\n## TL;DR\n`)).toMatchObject({
        title: "A thing",
        status: "Ready",
        issue: "a/b#1",
        lastUpdated: "today",
        complexity: "L2",
      });
    }
  });

  test("is not looked for below the first section, nor behind words of another script", () => {
    expect(parseSpec("# A\n\nЗамечание Status: x\n\n## TL;DR\n\nComplexity: L4\n")).toMatchObject({
      title: "A",
      status: null,
      complexity: null,
    });
  });
});

describe("lines", () => {
  test("count from 1 whatever ends them, also after a byte order mark", () => {
    const text = "# Spec: a\n\n## TL;DR\n\n- one\n- two\n\n## Problem\n\nx\n";
    for (const end of ["\n", "\r\n", "\r"]) {
      const spec = parseSpec(`\uFEFF${text.replaceAll("\n", end)}`);
      expect(spec.title).toBe("a");
      expect(spec.tldr).toEqual([
        { text: "one", line: 5 },
        { text: "two", line: 6 },
      ]);
      expect(spec.sections.map((section) => [section.line, section.endLine])).toEqual([
        [3, 7],
        [8, 10],
      ]);
      expect(spec.lineCount).toBe(10);
    }
  });

  test("stay the same behind front matter, which is not read", () => {
    expect(headings("---\ntitle: x\nrules: |\n  ## TL;DR\n---\n\n## Problem\n")).toEqual([["Problem", 7, 7]]);
    expect(headings("---\n\n## Problem\n\n---\n\n## TL;DR\n")).toEqual([
      ["Problem", 3, 6],
      ["TL;DR", 7, 7],
    ]);
  });

  test("of steps, rows and citations are their own", () => {
    const spec = criteria("#### Scenario: s\n\n```gherkin\nWHEN a\nTHEN b\n```\n\nsee `src/a.ts:3`\nor gap 4\n");
    expect(spec.looseScenarios[0]?.steps.map((step) => [step.keyword, step.line])).toEqual([
      ["WHEN", 6],
      ["THEN", 7],
    ]);
    expect(spec.citations.map((citation) => [citation.kind, citation.line])).toEqual([
      ["gap", 11],
      ["file", 10],
    ]);
    expect(tasks("| Task |\n|-|\n| a |\n| b |\n").map((task) => task.line)).toEqual([5, 6]);
  });
});

describe("sections", () => {
  test("are known by their names, however numbered, cased or remarked", () => {
    expect(sectionKey("TL;DR")).toBe("tldr");
    expect(sectionKey("3. **Success Criteria** (mandatory)")).toBe("criteria");
    expect(sectionKey("GOALS / NON-GOALS")).toBe("goals");
    expect(sectionKey("Observability & Rollout")).toBe("observability");
    expect(sectionKey("Risk Matrix")).toBe("risks");
    expect(sectionKey("Notes")).toBeNull();
    expect(sectionKey("(".repeat(100_000))).toBeNull();
  });

  test("may be underlined, or all stand one level higher", () => {
    expect(headings("Title\n=====\n\nTL;DR\n-----\n\n- a\n")).toEqual([["TL;DR", 4, 7]]);
    expect(headings("# TL;DR\n\n- a\n\n# Problem\n")).toEqual([
      ["TL;DR", 1, 4],
      ["Problem", 5, 5],
    ]);
  });

  test("do not begin in code, quotes, lists, comments or HTML", () => {
    const text = [
      "## Problem",
      "~~~~md\n## TL;DR\n~~~\n## Design\n~~~~",
      "    ## Gotchas",
      "> ## Goals",
      "- a\n\n  ## Tests",
      "<!--\n## Changelog\n-->",
      "<details>\n## Design\n</details>",
    ].join("\n\n");
    expect(parseSpec(text).sections.map((section) => section.heading)).toEqual(["Problem"]);
  });

  test("in right-to-left text keep their place", () => {
    const text = "# Spec: \u200Fשלום\n\n## TL;DR\n\n- \u202Bראשון\u202C\n- שני\n";
    expect(parseSpec(text)).toMatchObject({ title: "\u200Fשלום", tldr: [{ line: 5 }, { line: 6, text: "שני" }] });
  });

  test("count only the bullets of the first level", () => {
    const { tldr } = parseSpec("## TL;DR\n\nProse is no bullet.\n\n- a\n  - b\n    - c\n1. d\n");
    expect(tldr.map((bullet) => bullet.text)).toEqual(["a", "d"]);
  });
});

describe("requirements", () => {
  test("hold their statement and scenarios; steps are read in any form", () => {
    const spec = criteria(
      "### Requirement: R\n\nIt SHALL\nhold.\n\n#### Scenario: S\n\n- **GIVEN** g\n- *when*: w\n\nTHEN t\nAND more\n- but less\n",
    );
    expect(spec.requirements).toEqual([
      {
        name: "R",
        line: 3,
        statement: "It SHALL\nhold.",
        scenarios: [
          {
            name: "S",
            line: 8,
            steps: [
              { keyword: "GIVEN", text: "g", line: 10 },
              { keyword: "WHEN", text: "w", line: 11 },
              { keyword: "THEN", text: "t", line: 13 },
              { keyword: "AND", text: "more", line: 14 },
              { keyword: "AND", text: "less", line: 15 },
            ],
          },
        ],
      },
    ]);
  });

  test("have no steps in words that merely hold a keyword", () => {
    const steps = criteria("#### Scenario: S\n\n- Whenever it runs\n- если then\n").looseScenarios[0]?.steps;
    expect(steps).toEqual([]);
  });
});

describe("tables and lists", () => {
  test("rows may lack cells, hold escaped pipes, and be in any order of columns", () => {
    const rows = tasks(
      "| Done When | Task | Touch Points |\n|---|---|---|\n| a \\| b | `x\\|y` |\n| - | last | `src/a.ts`, `b.md` (new) |\n",
    );
    expect(rows).toEqual([
      { number: "", task: "`x|y`", touchPoints: [], changesNothing: false, doneWhen: "a | b", blockedBy: "", line: 5 },
      {
        number: "",
        task: "last",
        changesNothing: false,
        touchPoints: [
          { path: "src/a.ts", isNew: false },
          { path: "b.md", isNew: true },
        ],
        doneWhen: "",
        blockedBy: "",
        line: 6,
      },
    ]);
  });

  test("a checklist serves instead of a table", () => {
    expect(tasks("- [ ] Mend `src/a.ts:12`\n  Done when: green\n- [x] Say so in `docs/a.md`\n")).toMatchObject([
      { number: "1", touchPoints: [{ path: "src/a.ts" }], doneWhen: "green" },
      { number: "2", task: "Say so in `docs/a.md`" },
    ]);
    expect(parseSpec("## Assumptions\n\n- It is small — **If wrong:** split it\n- alone\n").assumptions).toMatchObject([
      { assumption: "It is small", ifWrong: "split it" },
      { assumption: "alone", ifWrong: "" },
    ]);
  });
});

test("citations are numbers of gaps, findings and messages, and places in files, not addresses or times", () => {
  const { citations } = parseSpec(
    "Gaps #1, 2; Finding 3, message #4: `src/a.ts:5-9` `b.py:1` `localhost:80` `10:30` `example.com:8080`",
  );
  expect(citations).toEqual([
    { kind: "gap", id: "1", line: 1 },
    { kind: "gap", id: "2", line: 1 },
    { kind: "finding", id: "3", line: 1 },
    { kind: "message", id: "4", line: 1 },
    { kind: "file", path: "src/a.ts", start: 5, end: 9, line: 1 },
    { kind: "file", path: "b.py", start: 1, end: 1, line: 1 },
  ]);
});

const MARKS =
  "# |## |### |#### |- |1. |  |\t|> |```|~~~|\n|\n\n|\r\n|\r|===\n|---\n|<!--|-->|<p>|\\|*|_|\u0000|\u202E|\uFEFF|\u2028|&amp;";
const WORDS =
  "TL;DR|Problem|Success Criteria|Implementation Plan|Decision Log|Requirement: |Scenario: |WHEN |THEN |`a/b.ts:1`|gap 1|[a]: b";
const piece = fc.oneof(
  fc.constantFrom("|", "|-|-|\n", ...MARKS.split("|")),
  fc.constantFrom(...WORDS.split("|")),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const markdown = fc.array(piece, { maxLength: 60, size: "max" }).map((pieces) => pieces.join(""));

test("whatever the text, every section's line holds its heading, and sections follow one another within the text", () => {
  fc.assert(
    fc.property(markdown, (text) => {
      const spec = parseSpec(text);
      const lines = linesOf(text);
      let end = 0;
      for (const section of spec.sections) {
        const [first = ""] = section.heading.split("\n");
        // An underlined heading may begin with a line of nothing but odd spaces.
        const at = lines.slice(section.line - 1).find((line) => line.trim() !== "") ?? "";
        // NUL is replaced in what is read.
        expect(at.replaceAll("\u0000", "\uFFFD")).toContain(first.trim());
        expect(section.line).toBeGreaterThan(end);
        expect(section.endLine).toBeGreaterThanOrEqual(section.line);
        end = section.endLine;
      }
      expect(end).toBeLessThanOrEqual(spec.lineCount);
    }),
    { numRuns: triesOf(1_000) },
  );
});

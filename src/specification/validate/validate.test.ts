import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Complexity, COMPLEXITIES } from "../../domain/spec.ts";
import type { Grounding } from "./grounding.ts";
import { validateSpec } from "./validate.ts";

const fixture = (level: Complexity) =>
  readFileSync(new URL(`../../../test/fixtures/specs/${level}.md`, import.meta.url), "utf8");

async function problemsOf(text: string, options: Parameters<typeof validateSpec>[1] = {}) {
  const { errors, warnings } = await validateSpec(text, options);
  return [...errors, ...warnings].map(({ severity, rule, line }) => `${severity} ${rule} ${line}`);
}

/** The text with one thing changed; the change must be one. */
function changed(text: string, from: string | RegExp, to: string): string {
  const result = text.replace(from, to);
  expect(result).not.toBe(text);
  return result;
}

function withoutSection(text: string, heading: string): string {
  return changed(text, new RegExp(`## ${heading}\n[^]*?(?=\n## |$(?![^]))`), "");
}

function lineIn(text: string, of: string): number {
  return text.slice(0, text.indexOf(of)).split("\n").length;
}

describe("the sample specs", () => {
  for (const level of COMPLEXITIES) {
    test(`of ${level} are valid, without a warning`, async () => {
      expect(await validateSpec(fixture(level))).toMatchObject({
        valid: true,
        complexity: level,
        errors: [],
        warnings: [],
      });
    });
  }

  test.each([
    ["L0", "L1"],
    ["L1", "L2"],
    ["L2", "L3"],
    ["L3", "L4"],
  ] as const)("of %s fail when they are held to %s", async (level, deeper) => {
    expect(await validateSpec(fixture(level), { complexity: deeper })).toMatchObject({ valid: false });
  });
});

const L0 = fixture("L0");
const L1 = fixture("L1");
const L2 = fixture("L2");
const L3 = fixture("L3");
const L4 = fixture("L4");
const last = (text: string) => text.replace(/\n$/, "").split("\n").length;

describe("each rule is broken alone", () => {
  const scenarioOfL0 = /#### Scenario: No newline[^]*?(?=\n## Impl)/;
  const bullet = "- The fix hands on what is left when the input ends.\n";
  const cases: [rule: string, severity: "error" | "warning", text: string, line: number][] = [
    ["has_tldr", "error", changed(L0, bullet, ""), lineIn(L0, "## TL;DR")],
    [
      "has_tldr",
      "error",
      changed(L0, bullet, [1, 2, 3, 4, 5, 6].map((n) => bullet.replace(".", ` ${n}.`)).join("")),
      lineIn(L0, "## TL;DR"),
    ],
    ["has_tldr", "error", withoutSection(L0, "TL;DR"), last(withoutSection(L0, "TL;DR"))],
    ["has_problem", "error", changed(L0, /Banks export[^]*?(?=## Success)/, ""), lineIn(L0, "## Problem")],
    ["has_scenarios", "error", changed(L0, scenarioOfL0, ""), lineIn(L0, "## Success")],
    [
      "scenario_format",
      "error",
      changed(L0, "- **THEN** three transactions are added\n", ""),
      lineIn(L0, "#### Scenario: No"),
    ],
    ["scenario_format", "error", changed(L0, "**WHEN** it is imported", "**WHEN**"), lineIn(L0, "- **WHEN** it")],
    ["has_implementation_plan", "error", changed(L0, /\n\| # [^]*$/, ""), lineIn(L0, "## Implementation")],
    ["has_title", "warning", changed(L0, /^# .*\n/, ""), 1],
    ["has_complexity", "warning", changed(L1, "**Complexity:** L1\n", ""), 1],
    ["requirement_shall", "warning", changed(L0, "SHALL", "will"), lineIn(L0, "### Requirement")],
    ["tasks_have_touch_points", "warning", changed(L0, "| `src/import/lines.ts` |", "| - |"), lineIn(L0, "| 1 |")],
    ["too_long", "warning", `${L0}${"\n".repeat(60)}`, 60],
    ["has_goals", "error", withoutSection(L1, "Goals / Non-goals"), last(withoutSection(L1, "Goals / Non-goals"))],
    ["has_decision_log", "warning", withoutSection(L1, "Decision Log"), last(withoutSection(L1, "Decision Log"))],
    ["has_decision_log", "error", withoutSection(L2, "Decision Log"), last(withoutSection(L2, "Decision Log"))],
    ["decisions_have_context", "warning", changed(L1, "Gap #1: the", "The"), lineIn(L1, "| Plain BibTeX")],
    [
      "no_orphan_assumptions",
      "warning",
      changed(L2, "Shard the job table by project", "-"),
      lineIn(L2, "| A build has"),
    ],
    ["has_assumptions", "error", withoutSection(L2, "Assumptions"), last(withoutSection(L2, "Assumptions"))],
    ["has_design", "error", withoutSection(L2, "Design"), last(withoutSection(L2, "Design"))],
    ["has_test_plan", "error", withoutSection(L2, "Test Plan"), last(withoutSection(L2, "Test Plan"))],
    [
      "has_observability",
      "error",
      withoutSection(L3, "Observability \\+ Rollout"),
      last(withoutSection(L3, "Observability \\+ Rollout")),
    ],
    ["has_gotchas", "error", withoutSection(L3, "Gotchas"), last(withoutSection(L3, "Gotchas"))],
    ["has_migration_plan", "error", withoutSection(L4, "Migration plan"), last(withoutSection(L4, "Migration plan"))],
    ["has_risk_matrix", "error", withoutSection(L4, "Risk matrix"), last(withoutSection(L4, "Risk matrix"))],
    ["has_alternatives", "error", withoutSection(L4, "Alternatives"), last(withoutSection(L4, "Alternatives"))],
    ["too_large", "error", "ö".repeat(102_401), 1],
    ["too_large", "error", "a".repeat(200_001), 1],
  ];
  for (const [rule, severity, text, line] of cases) {
    test(`${rule} (${severity}, line ${line})`, async () => {
      expect(await problemsOf(text)).toEqual([`${severity} ${rule} ${line}`]);
    });
  }
});

describe("what a spec says (R-SPEC-19)", () => {
  const then = (text: string) => changed(L0, "three transactions are added", text);
  const title = /^# Spec: (.+)$/m.exec(L0)?.[1] ?? "";
  const said = "the parser hands on every byte that is left when the input has ended";
  const cases: [rule: string, text: string][] = [
    ["then_says_outcome", then(title)],
    ["then_says_outcome", then(`${title} works`)],
    ["when_has_action", changed(L0, "it is imported", "the change is in place")],
    ["when_has_action", changed(L0, "it is imported", "die Änderung umgesetzt ist")],
    ["whole_urls", then("GET http://localhost:$ answers")],
    ["shall_says_rule", changed(L0, /^.*SHALL.*$/m, "The import SHALL work like this: For example: `a` becomes `b`.")],
    ["says_once", changed(L0, "## Implementation", `- ${said}\n- ${said}.\n- ${said} (Gap #1)\n\n## Implementation`)],
  ];
  test.each(cases)("%s is a warning", async (rule, text) => {
    expect((await problemsOf(text)).map((one) => one.replace(/ \d+$/, ""))).toEqual([`warning ${rule}`]);
  });

  test.each([
    then("the query `https://example.org/rows?$filter=id` answers as before"),
    then("`http://localhost:${port}/rows` answers"),
    changed(L0, /^.*SHALL.*$/m, "The import SHALL accept numbers, for example `1`."),
    changed(L0, "it is imported", "the change is in place and the import runs twice"),
    changed(L0, "## Implementation", `- ${said}\n- ${said}\n\n## Implementation`),
  ])("other words are none: %#", async (text) => {
    expect(await problemsOf(text)).toEqual([]);
  });

  test("code that reproduces the case is kept, by half of its lines", async () => {
    const reproduction = ["const rows = read();", "await rows.next();", "rows.close();"];
    const options = { grounding: { reproduction } };
    expect(await problemsOf(L0, options)).toEqual([`warning reproduction_kept ${lineIn(L0, "## Problem")}`]);
    const kept = changed(L0, "## Success", "```js\nconst rows = read();\n  await rows.next();\n```\n\n## Success");
    expect(await problemsOf(kept, options)).toEqual([]);
  });
});

describe("grounding", () => {
  const files = new Map([
    ["src/import/lines.ts", 40],
    ["src/import/lines.test.ts", 10],
  ]);
  const whole: Grounding = {
    gapNumbers: new Set([1]),
    findings: [{ number: 1, id: "901", removed: null }],
    messageCount: 0,
    code: {
      lines: async (path) => await Promise.resolve(files.get(path) ?? null),
      exists: async (path) => await Promise.resolve(files.has(path)),
    },
  };
  const check = async (text: string, grounding: Partial<Grounding> = {}) =>
    await problemsOf(text, { grounding: { ...whole, ...grounding } });

  test("nothing is wrong when all that is cited exists; findings go by number or id", async () => {
    expect(await check(L0)).toEqual([]);
    expect(await check(changed(L0, "Finding #1", "Finding #901"))).toEqual([]);
    expect(await problemsOf(changed(L0, "Finding #1", "Finding #7, gap 99"), { grounding: {} })).toEqual([]);
  });

  test("citations of what is not there are errors at their line", async () => {
    const line = lineIn(L0, "Finding #1");
    for (const wrong of ["Finding #2", "Gap #2", "message 1"]) {
      expect(await check(changed(L0, "Finding #1", wrong))).toEqual([`error citations_exist ${line}`]);
    }
    const place = lineIn(L0, "`src/import/lines.ts:31`");
    for (const wrong of ["lines.ts:41", "lines.ts:0", "lines.ts:9-3", "lines.ts:31-99", "line.ts:31"]) {
      expect(await check(changed(L0, "lines.ts:31", wrong))).toEqual([`error citations_exist ${place}`]);
    }
  });

  test("a place that its writer was never shown is a warning, though it exists", async () => {
    const line = lineIn(L0, "`src/import/lines.ts:31`");
    expect(await check(L0, { shown: ["src/import/lines.ts:20-30", "src/import/lines.test.ts"] })).toEqual([]);
    expect(await check(L0, { shown: ["src/import/lines.ts:3-9"] })).toEqual([`warning places_shown ${line}`]);
  });

  test("touch points exist, or are marked new", async () => {
    const wrong = changed(L0, "`src/import/lines.ts` |", "`src/import/rest.ts` |");
    expect(await check(wrong)).toEqual([`error touch_points_exist ${lineIn(L0, "| 1 |")}`]);
    expect(await check(changed(wrong, "rest.ts`", "rest.ts` (new)"))).toEqual([]);
  });

  test("a settled gap that nothing cites is a warning", async () => {
    expect(await check(L0, { mustCover: [1] })).toEqual([`warning gaps_covered ${last(L0)}`]);
    expect(await check(changed(L0, "(Finding #1)", "(Gap #1)"), { mustCover: [1] })).toEqual([]);
  });
});

test("a decision in a list may cite its evidence on a later line", async () => {
  const log = "## Decision Log\n\n- Plain BibTeX,\n  and nothing else\n\n  Evidence: Gap #1\n";
  expect(await problemsOf(changed(L1, /## Decision Log\n[^]*?(?=\n## )/, log))).toEqual([]);
});

test("names from the text are short in messages, and hold nothing that a terminal obeys", async () => {
  const name = `\u001B[2J\u202E${"x".repeat(5_000)}`;
  const { errors } = await validateSpec(changed(L0, /No newline at the end\n\n[^]*?(?=\n####)/, `${name}\n`));
  expect(errors[0]?.detail.length).toBeLessThan(200);
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  expect(errors[0]?.detail).not.toMatch(/[\u0000-\u001F\u202E]/);
});

test("metadata counts what there is", async () => {
  expect((await validateSpec(L2)).metadata).toEqual({
    sections:
      "TL;DR|Problem Statement|Success Criteria|Goals / Non-goals|Decision Log|Assumptions|Design|Implementation Plan|Test Plan".split(
        "|",
      ),
    decision_count: 4,
    assumption_count: 2,
    task_count: 5,
    test_count: 5,
    char_count: L2.length,
    line_count: last(L2),
  });
});

test("whatever is cut out of a spec, problems are told at lines of the text, in order", async () => {
  const lines = L4.split("\n");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: lines.length - 1 }), { maxLength: 80, size: "max" }), async (gone) => {
      const text = lines.filter((_, index) => !gone.includes(index)).join("\n");
      const { errors, warnings, document } = await validateSpec(text, {
        grounding: { gapNumbers: new Set(), mustCover: [1] },
      });
      for (const list of [errors, warnings]) {
        expect(list.map((one) => one.line)).toEqual(list.map((one) => one.line).toSorted((a, b) => a - b));
        for (const { line } of list) expect(line >= 1 && line <= Math.max(1, document.lineCount)).toBe(true);
      }
    }),
    { numRuns: 100 },
  );
});

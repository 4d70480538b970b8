import { join } from "node:path";
import * as fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { OFFLINE_SAMPLES, groundingOf } from "../../../test/support/offline-samples.ts";
import { finding, gap, message, specInput, stated, voicesIn } from "../../../test/support/spec-input.ts";
import { TOPICS } from "../../domain/gap.ts";
import { WRITTEN_LANGUAGES } from "../../i18n/phrases.ts";
import { silentLog } from "../../lib/log.ts";
import { generateSpec } from "../generate.ts";
import type { SpecInput } from "../generator.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { validateSpec } from "../validate/validate.ts";
import { offlineSpecGenerator } from "./writer.ts";
import { triesOf } from "../../../test/support/tries.ts";

const GOLDEN = join(import.meta.dirname, "../../../test/fixtures/offline-specs");

async function write(input: SpecInput) {
  const draft = await offlineSpecGenerator().generate(input, null);
  const validation = await validateSpec(draft.markdown, {
    complexity: draft.complexity,
    grounding: groundingOf(input),
  });
  return { ...draft, validation, document: validation.document };
}

/** Written as a new version of what is there. */
async function rewrite(input: SpecInput) {
  const spec = await generateSpec(input, {
    generator: offlineSpecGenerator(),
    finish: (markdown) => markdown,
    log: silentLog,
    validate: async ({ markdown, complexity }) =>
      await validateSpec(markdown, { complexity, grounding: groundingOf(input) }),
  });
  return { ...spec, document: parseSpec(spec.markdown) };
}

describe.each(Object.entries(OFFLINE_SAMPLES))("the sample %s", (name, input) => {
  test("is written as it was read and found good", async () => {
    const { markdown } = await write(input);
    await expect(markdown).toMatchFileSnapshot(join(GOLDEN, `${name}.md`));
  });

  test("passes every rule, warnings too", async () => {
    const { validation } = await write(input);
    expect([...validation.errors, ...validation.warnings]).toEqual([]);
  });
});

test("the crash is told in under 60 lines, and begins where it fails", async () => {
  const { document, complexity } = await write(OFFLINE_SAMPLES.crash);
  expect(complexity).toBe("L0");
  expect(document.lineCount).toBeLessThan(60);
  expect(document.tldr[1]?.text).toContain("`ferry/durations.py:31`");
});

test("the calls that lead to the failure stand in the trace's order, whatever the order of the findings", async () => {
  const trace = [
    "TypeError: no day",
    "    at dayNumber (/srv/app/src/calendar.js:53:4)",
    "    at late (/srv/app/src/overdue.js:15:9)",
    "    at run (/srv/app/src/report.js:30:2)",
  ].join("\n");
  const found = (number: number, location: string, kind: string) =>
    finding(number, { synthesis: "", sources: [{ location, snippet: "x", kind, found_by: "frame" }] });
  const { markdown } = await write(
    specInput({
      title: "The report fails",
      body: `\`report\` fails:\n\n\`\`\`\n${trace}\n\`\`\``,
      findings: [
        found(1, "src/calendar.js:53", "dayNumber"),
        found(2, "src/report.js:30", "run"),
        found(3, "src/overdue.js:15", "late"),
      ],
    }),
  );
  expect(markdown).toContain("Follow `run` → `late` → `dayNumber`");
});

test("a level that was suggested is followed as far as rules go, and the reason says so", async () => {
  for (const [hint, level] of [
    ["L0", "L0"],
    ["L1", "L1"],
    ["L2", "L2"],
    ["L4", "L2"],
  ] as const) {
    const { complexity, complexityReason, validation } = await write({
      ...OFFLINE_SAMPLES.vague,
      complexityHint: hint,
    });
    expect(complexity).toBe(level);
    expect(complexityReason).toContain(`the planner suggested ${hint}`);
    expect([...validation.errors, ...validation.warnings]).toEqual([]);
  }
});

const sha256 = "a".repeat(64);

function revised(input: SpecInput, content: string): SpecInput {
  const updated_at = "2026-11-21T08:00:00Z";
  const ref = {
    version: 1,
    backend: "local",
    path: "relay_specs/x/spec.md",
    updated_at,
    sha256,
    format: "markdown",
  } as const;
  const existing = { content, ref };
  const statements = stated(input.issue, input.messages);
  return {
    ...input,
    ...voicesIn(input.messages, existing),
    statements,
    existing,
    now: new Date("2026-11-22T08:00:00Z"),
  };
}

test("written again from the same facts it says the same, without a log of changes", async () => {
  const first = await write(OFFLINE_SAMPLES.vague);
  const second = await rewrite(revised(OFFLINE_SAMPLES.vague, first.markdown));
  expect(second.markdown).toBe(first.markdown);
  expect(second.changelog).toBe("");
});

const asks = (seq: number, author: string, content: string) =>
  message({ seq, author, content, timestamp: new Date(`2026-11-2${seq - 3}T09:00:00Z`) });

test.each([
  ["yes, but leave the README alone", "`README`: leave the README alone (message 5)"],
  ["Ja, aber lass die README in Ruhe.", "`README`: lass die README in Ruhe (message 5)"],
  ["Oui, mais ne touche pas au README.", "`README`: ne touche pas au README (message 5)"],
  ["Sí, pero no toques el README.", "`README`: no toques el README (message 5)"],
])("a later limit is a Non-goal, and no scenario: %s", async (words, limit) => {
  const { vague } = OFFLINE_SAMPLES;
  const first = await write(vague);
  const messages = [...vague.messages, asks(5, "bob", words)];
  const { document } = await rewrite(revised({ ...vague, messages }, first.markdown));
  expect(document.nonGoals.map(({ text }) => text)).toContainEqual(expect.stringContaining(limit));
  expect(JSON.stringify(document.requirements)).not.toContain("README");
});

test("a later message about people and time leaves nothing in the spec beside its wish", async () => {
  const { vague } = OFFLINE_SAMPLES;
  const first = await write(vague);
  const messages = [
    ...vague.messages,
    asks(5, "bob", "Yes, tomorrow. Ruth is on holiday until Monday."),
    asks(6, "bob", "+1 from me, although I have not read it. Each upload should also be logged."),
  ];
  const { markdown } = await rewrite(revised({ ...vague, messages }, first.markdown));
  expect(markdown).toContain("- **THEN** Each upload should also be logged (message 6)");
  expect(markdown.replace(/## Changelog[^]*/, "")).not.toMatch(/tomorrow|Ruth|Monday|\+1|not read/);
});

test("a revision names who asked for what, and keeps the entries of before", async () => {
  const first = await write(OFFLINE_SAMPLES.vague);
  const { vague } = OFFLINE_SAMPLES;
  const messages = [
    ...vague.messages,
    asks(5, "bob", "Please keep the order of uploads too."),
    asks(6, "ann", "go ahead"),
  ];
  const settled = {
    messages,
    closedGaps: [
      ...vague.closedGaps,
      gap({ number: 4, topic: "acceptance", closedNote: "The order of uploads is kept." }),
    ],
  };
  const second = await rewrite(revised({ ...vague, ...settled }, first.markdown));
  expect(second.document.changelog.map((entry) => entry.text)).toEqual([
    "2026-11-22: asked by @bob (message 5): Please keep the order of uploads too",
  ]);
  expect(second.problems).toEqual([]);
  const third = await rewrite(
    revised({ ...vague, messages: [...messages, asks(7, "eve", "Drop the test on Windows.")] }, second.markdown),
  );
  // What was asked for before still holds.
  expect(third.markdown).toContain("- **THEN** Please keep the order of uploads too (message 5)");
  expect(third.markdown).toContain("- **THEN** Drop the test on Windows (message 7)");
  expect(third.document.changelog.map((entry) => entry.text.slice(0, 27))).toEqual([
    "2026-11-22: asked by @bob (",
    "2026-11-22: asked by @eve (",
  ]);
});

describe("after a wish (R-SPEC-12)", () => {
  const inTest = finding(2, {
    synthesis: "",
    sources: [{ location: "test/list.test.ts", snippet: "x", kind: "file" }],
  });
  const place = finding(1, {
    synthesis: "",
    sources: [{ location: "src/list.ts:4-9", snippet: "x", kind: "listInvoices", found_by: "defines" }],
  });
  const issue = specInput({
    title: "`listInvoices` throws on an invoice without a due date",
    labels: ["bug"],
    body: "`listInvoices` throws a TypeError on an invoice without a due date. It should list it last.",
    findings: [place, inTest],
  });
  const wish = "Please also print a warning to stderr when an invoice has no due date.";
  const after = async (...said: [string, string][]) => {
    const first = await write(issue);
    const messages = said.map(([author, content], at) => asks(5 + at, author, content));
    return await rewrite(revised({ ...issue, messages }, first.markdown));
  };
  const logOf = ({ document }: Awaited<ReturnType<typeof after>>) => document.changelog.map(({ text }) => text);
  const LOGGED =
    "2026-11-22: asked by @mlind (message 5): Please also print a warning to stderr when an invoice has no due date";

  test.each(["yes", "👍", "Yes, please.", "> **To approve:** reply “yes”\n\n> yes", "thanks!"])(
    "%j of somebody else asks for nothing",
    async (words) => {
      const second = await after(["mlind", wish], ["ada", words]);
      expect(logOf(second)).toEqual([LOGGED]);
      expect(second.markdown).not.toContain("(message 6)");
      expect(second.markdown).not.toContain("To approve");
    },
  );

  test("a question after it is named, but the wish is told", async () => {
    const second = await after(["mlind", wish], ["ada", "Why not to stdout, as all the rest?"]);
    expect(logOf(second)).toEqual([`${LOGGED} — @ada (message 6)`]);
  });

  test("what it quotes is not asked for", async () => {
    const second = await after(["mlind", `> Every row is sorted by its name\n\n${wish}`]);
    expect(logOf(second)).toEqual([LOGGED]);
    expect(second.markdown).not.toContain("Every row");
  });

  test("the steps that test and change the code are for its scenario too", async () => {
    const { document } = await after(["mlind", wish]);
    const named = "“the reported case”, “Please also print a warning to stderr when an invoice has no due date”";
    expect(document.tasks.map(({ task, doneWhen }) => [task, doneWhen])).toEqual([
      [`First write a failing test for ${named}`, "Fails before the change, passes after it"],
      ["Fix `listInvoices` (`src/list.ts:4-9`)", `these pass: ${named}`],
    ]);
    const both = await after(["mlind", wish], ["ada", "Invoices of 0 EUR must be left out."]);
    expect(both.document.tasks.map(({ task, doneWhen }) => [task, doneWhen])).toEqual([
      ["First write a failing test for the 3 scenarios", "Fails before the change, passes after it"],
      ["Fix `listInvoices` (`src/list.ts:4-9`)", "all scenarios pass"],
    ]);
  });
});

test("criteria in the form given, when, then become steps", async () => {
  const { document } = await write(
    specInput({
      title: "Add paging",
      labels: ["enhancement"],
      body: "### Acceptance criteria\n\n- Given 30 rows, when page 2 is opened, then rows 11 to 20 are shown\n- If the page is beyond the end, an empty list is shown\n",
    }),
  );
  const steps = document.requirements[0]?.scenarios.map((one) =>
    one.steps.map((step) => `${step.keyword} ${step.text}`),
  );
  expect(steps).toEqual([
    ["GIVEN 30 rows", "WHEN page 2 is opened", "THEN rows 11 to 20 are shown"],
    ["WHEN the page is beyond the end", "THEN an empty list is shown"],
  ]);
});

/** The steps of the first scenario, the problem and the tasks of an issue's spec. */
async function told(given: Parameters<typeof specInput>[0]) {
  const { document, validation, markdown } = await write(specInput(given));
  const scenarios = document.requirements.flatMap((one) => one.scenarios);
  const steps = scenarios[0]?.steps.map(({ keyword, text }) => `${keyword} ${text}`) ?? [];
  return { document, markdown, scenarios, steps, warnings: validation.warnings.map(({ rule }) => rule) };
}

const FENCE = "```";

describe("the code of the issue (R-SPEC-19)", () => {
  const code = `const map = new Map([["a", 1]]);\nfetch(\`http://localhost:\${port}/rows\`).then(() => map.clear());`;
  const body = `Rows of the second page are shown twice.\n\n### Steps to reproduce\n\n${FENCE}js\n${code}\n${FENCE}\n`;

  test("is carried over and run by the scenario, not an address cut out of it", async () => {
    const { markdown, steps } = await told({ title: "Paging repeats rows", labels: ["bug"], body });
    expect(markdown).toContain(`${FENCE}js\n${code}\n${FENCE}`);
    expect(steps[0]).toBe("WHEN the code under Problem Statement is run");
    expect(steps[1]).toBe("THEN this no longer happens: Rows of the second page are shown twice");
  });

  test("is cut so that the spec stays short, and says so", async () => {
    const long = Array.from({ length: 90 }, (_, at) => `await page(${at});`).join("\n");
    const { markdown, warnings } = await told({
      title: "Paging repeats rows",
      labels: ["bug"],
      body: body.replace(code, long),
    });
    expect(warnings).not.toContain("too_long");
    expect(markdown).toMatch(/… and \d+ more lines in the issue/);
  });

  test("is cut between statements", async () => {
    const page = (at: number) => `async function page${at}() {\n  const rows = await read(${at});\n  return rows;\n}`;
    const long = Array.from({ length: 24 }, (_, at) => page(at)).join("\n");
    const { markdown } = await told({ title: "Paging repeats rows", labels: ["bug"], body: body.replace(code, long) });
    expect(markdown).toMatch(/ {2}return rows;\n\}\n```\n\n… and \d+ more lines/);
  });

  test("includes what compares the expected with the displayed", async () => {
    const compared = "+ Expected: page 2 of 2\n- Displayed: page 1 of 2";
    const { markdown } = await told({
      title: "Wrong page number",
      labels: ["bug"],
      body: `The page number is wrong.\n\n${FENCE}diff\n${compared}\n${FENCE}\n`,
    });
    expect(markdown).toContain(`${FENCE}diff\n${compared}\n${FENCE}`);
    expect(markdown).not.toContain("own fix");
  });

  test("that is a patch is the reporter's own fix", async () => {
    const patch = "-  return page;\n+  return page + 1;";
    const { document, markdown } = await told({
      title: "Wrong page number",
      labels: ["bug"],
      body: `The page number is wrong.\n\n${FENCE}diff\n${patch}\n${FENCE}\n`,
    });
    expect(markdown).toContain(`The reporter’s own fix, as a patch:\n\n${FENCE}diff\n${patch}\n${FENCE}`);
    expect(document.problem).not.toContain("The case in the issue");
  });

  test("is not what a program printed", async () => {
    const printed = "The error message is:\n\n```js\n  code: 'EPIPE',\n  errno: -32,\n  syscall: 'write'\n```\n";
    const { markdown } = await told({
      title: "Writing breaks",
      labels: ["bug"],
      body: `Long rows break.\n\n${printed}`,
    });
    expect(markdown).not.toContain("errno");
  });
});

test("the reporter's own fix is heard, a way around is not", async () => {
  const fixed = "The lock is never freed after a timeout. The fix would be to call `release` in a finally block.";
  const { markdown } = await told({ title: "Lock leaks", labels: ["bug"], body: fixed });
  expect(markdown).toContain("The reporter’s own fix: The fix would be to call `release` in a finally block.");
  const around = await told({
    title: "Lock leaks",
    labels: ["bug"],
    body: "The lock is never freed. A workaround could be fixed by hand.",
  });
  expect(around.markdown).not.toContain("own fix");
});

test("what is asked for is used by name, and keeps the spelling of its name", async () => {
  const { document, steps } = await told({
    title: "try_pop for `WorkQueue`",
    labels: ["enhancement"],
    body: "As discussed in #12, `WorkQueue` has no way to take an item without waiting.",
  });
  expect(steps).toEqual(["WHEN `try_pop` is used", "THEN this need is met: try_pop for `WorkQueue`"]);
  expect(document.tldr[0]?.text).toBe("Wanted: try_pop for `WorkQueue`.");
});

test("an outcome of a number comes with what it is about", async () => {
  const { document, steps } = await told({
    title: "Percent of nothing crashes",
    labels: ["bug"],
    body: "### Actual behavior\n\nIt crashes with a division by zero.\n\n### Expected behavior\n\n0\n",
  });
  expect(steps).toContain("THEN the result is 0");
  expect(document.tldr[0]?.text).toMatch(/^Percent of nothing crashes: .*\b0$/);
});

test("an answer of a number is a decision with its question", async () => {
  const question = "What should `percent(1, 0)` give?";
  const closedGaps = [gap({ number: 1, question, topic: "expected", closedNote: "0" })];
  const { document } = await write(specInput({ title: "Percent of nothing", body: "It crashes.", closedGaps }));
  expect(document.decisions[0]?.decision).toBe("What should `percent(1, 0)` give? 0");
});

test("a phrase, an example and an announcement are no behaviour", async () => {
  const located = await told({
    title: "Blank header",
    labels: ["bug"],
    body: "### Actual behavior\n\nThe output of its `list` command.\n\n### Expected behavior\n\nFor example: `id,name`\n",
  });
  expect(located.document.problem).not.toContain("The output of its");
  expect(located.steps.join(" ")).not.toContain("For example");
  const announced = await told({
    title: "Blank header",
    labels: ["bug"],
    body: `I'm new to this tool. The header is broken and ends up being this:\n\n${FENCE}csv\n,,\n;;\n${FENCE}\n\nColumns without a name are dropped.`,
  });
  expect(announced.steps.join(" ")).not.toMatch(/ends up being this(?! \(the code under Problem Statement\))/);
  expect(announced.document.problem).not.toContain("I'm new");
});

test("a sentence that points back comes with the one before it", async () => {
  const body = "Paths are printed relative to the new folder. This breaks the links of editors.";
  const { document } = await told({ title: "Wrong paths", labels: ["bug"], body });
  expect(document.problem).toContain("Paths are printed relative to the new folder. This breaks the links of editors");
});

test("what stays is checked by today's tests, never by one that must fail first", async () => {
  const { document, scenarios, warnings } = await told({
    title: "Store notes in SQLite",
    labels: ["enhancement"],
    body: "### Acceptance criteria\n\n- The file format of exports stays unchanged\n- Existing notes keep their ids\n",
    findings: [
      finding(1, { synthesis: "Tests.", sources: [{ location: "test/notes.test.ts:1", snippet: "" }] }),
      finding(2, { synthesis: "Notes.", sources: [{ location: "src/notes.ts:1", snippet: "" }] }),
    ],
  });
  expect(scenarios.every(({ steps }) => steps[0]?.text !== "the change is in place")).toBe(true);
  expect(document.tasks.filter(({ doneWhen }) => doneWhen.startsWith("Fails before"))).toEqual([]);
  expect(warnings).toEqual([]);
});

test("a request is verified by the code or the page that it points at, and by no command of a form", async () => {
  const shown = await told({
    title: "Add `takeMany` to the queue",
    labels: ["enhancement"],
    body: `Our consumers take items one by one.\n\n**Describe the solution you'd like**\nIt could look like this:\n${FENCE}js\nqueue.takeMany(5);\n${FENCE}\n\nThe output of \`npm list\` is below.\n`,
  });
  expect(shown.steps).toContain("THEN it works as shown in the code under Problem Statement");
  expect(shown.steps.join()).not.toContain("npm list");
  const linked = await told({
    title: "Add `takeMany` to the queue",
    labels: ["enhancement"],
    body: "Our consumers take items one by one.\n\n**Describe the solution you'd like**\nAn API like https://example.org/rows#takeMany\n",
  });
  expect(linked.steps[1]).toBe("THEN An API like https://example.org/rows#takeMany");
});

test("what comes instead of the expected is the fault, and no outcome", async () => {
  const { steps } = await told({
    title: "Wrong enum",
    labels: ["bug"],
    body: "The colours are read as `String` instead of `Colour`, causing a crash of the painter.",
  });
  expect(steps.find((step) => step.startsWith("THEN"))).toContain("this no longer happens: The colours are read as");
});

test("where the second sentence says when the first does not hold, both are expected", async () => {
  const { steps } = await told({
    title: "Wrong separator",
    labels: ["bug"],
    body: "The separator is supposed to be a comma. However, when the locale is German, then it should be a semicolon.\n\nIt is a tab.",
  });
  expect(steps.find((step) => step.startsWith("THEN"))).toContain("it should be a semicolon");
});

describe("a large request", () => {
  const criteria = ["names", "dates", "totals", "taxes", "notes"]
    .map((one) => `- [ ] The new store has ${one}`)
    .join("\n");
  const steps =
    "Please make it an option that defaults to off until the next release. It should be careful with readers that rely on the old file names.";
  const large = {
    title: "Move invoices to a new store",
    labels: ["enhancement"],
    findings: [finding(1, { synthesis: "A.", sources: [{ location: "src/invoices.ts:1", snippet: "x" }] })],
  };

  async function writtenFor(body: string) {
    const { markdown, complexity, validation } = await write(specInput({ ...large, body }));
    return { markdown, complexity, errors: validation.errors };
  }

  test("that people want rolled out in steps has the sections of L3, from what they said", async () => {
    const { complexity, markdown, errors } = await writtenFor(`${criteria}\n\n${steps}\n`);
    expect(complexity).toBe("L3");
    expect(errors).toEqual([]);
    expect(markdown).toContain("## Observability + Rollout\n\n- Please make it an option that defaults to off");
    expect(markdown).toContain("## Gotchas\n\n- It should be careful with readers");
  });

  test("whose data is moved for good has those of L4", async () => {
    const { complexity, markdown, errors } = await writtenFor(
      `${criteria}\n\n${steps} All existing rows must be migrated once.\n\n## Alternatives\n\nKeeping two stores side by side was too slow.\n`,
    );
    expect(complexity).toBe("L4");
    expect(errors).toEqual([]);
    expect(markdown).toContain("## Migration plan\n\n- All existing rows must be migrated once");
    expect(markdown).toContain("## Alternatives\n\n- Keeping two stores side by side was too slow");
  });

  test("without such words is no deeper than L2", async () => {
    expect((await writtenFor(criteria)).complexity).toBe("L2");
  });
});

test("what depends on the place is noted for the implementer, and is no place to change", async () => {
  const source = (location: string, found_by: "defines" | "callers" | "tests") => ({
    location,
    snippet: "x",
    found_by,
  });
  const { document, markdown, warnings } = await told({
    title: "Wrong tide",
    labels: ["bug"],
    body: "`forecastTide` is wrong.",
    findings: [
      finding(1, { synthesis: "A.", sources: [source("src/forecast.ts:1", "defines")] }),
      finding(2, {
        synthesis: "B.",
        sources: [source("src/page.ts:3", "callers"), source("src/menu.ts:9", "callers")],
      }),
      finding(3, { synthesis: "C.", sources: [source("test/forecast.test.ts:3", "tests")] }),
    ],
  });
  expect(markdown).toContain(
    "## Implementation Notes\n\n- Callers to keep working: `src/page.ts:3`, `src/menu.ts:9` (Finding #2)\n- Tests of today’s behaviour: `test/forecast.test.ts:3` (Finding #3)",
  );
  expect(document.tasks.flatMap(({ touchPoints }) => touchPoints.map(({ path }) => path))).toEqual(["src/forecast.ts"]);
  expect(warnings).toEqual([]);
});

test("places that only share words are candidates of one task", async () => {
  const source = (location: string) => ({ location, snippet: "x", found_by: "words" as const });
  const { document } = await told({
    title: "Wrong tide",
    labels: ["bug"],
    body: "The tide is wrong.",
    findings: [1, 2, 3].map((at) => finding(at, { synthesis: "A.", sources: [source(`src/tide${at}.ts:3`)] })),
  });
  expect(document.tasks.map(({ touchPoints }) => touchPoints.map(({ path }) => path))).toEqual([
    ["src/tide1.ts", "src/tide2.ts", "src/tide3.ts"],
  ]);
});

test("places come in the order of the search, with its own reasons", async () => {
  const source = (location: string, found_by: "words" | "defines") => ({ location, snippet: "x", found_by });
  const { document, markdown } = await told({
    title: "Wrong tide",
    labels: ["bug"],
    body: "`forecastTide` is wrong.",
    findings: [
      finding(1, { synthesis: "A.", sources: [source("src/station.ts:3", "words")] }),
      finding(2, { synthesis: "B.", sources: [{ ...source("src/forecast.ts:1", "defines"), kind: "forecastTide" }] }),
    ],
  });
  expect(document.tasks.flatMap(({ touchPoints }) => touchPoints.map(({ path }) => path))).toEqual([
    "src/station.ts",
    "src/forecast.ts",
  ]);
  expect(markdown).toContain("Likely: `src/station.ts:3`");
});

/** Text that tries to be structure. */
const hostile = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        ..."# Spec|## TL;DR|### Requirement: evil|#### Scenario: evil|- **THEN** evil|```|~~~|\n|\n\n|    |---|===|`|``|a|| b|<script>|<!--|-->|[x](y)|> |1. |Gap #99|finding 77|message 5|`src/a.ts:9`|\\|\r|\u2028|\u202E|. |wenn a, b|Changelog|** |<details>\n\n".split(
          "|",
        ),
        "|",
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join("")),
);

const anyInput = fc
  .record({
    title: hostile,
    body: hostile,
    language: fc.constantFrom(...WRITTEN_LANGUAGES, "xx"),
    labels: fc.constantFrom(["bug"], ["enhancement"], ["documentation"], []),
    closedGaps: fc.array(
      fc.record({
        topic: fc.constantFrom(...TOPICS, null),
        question: hostile,
        closedNote: hostile,
        closedReason: fc.constantFrom("answered" as const, "inferred" as const, "not_relevant" as const),
      }),
      { maxLength: 5 },
    ),
    notes: fc.array(hostile, { maxLength: 3 }),
    findings: fc.array(
      fc.record({
        synthesis: hostile,
        snippet: hostile,
        kind: fc.option(hostile, { nil: "run" }),
        location: fc.constantFrom(
          "src/a.ts:9",
          "src/b.ts:1-3",
          "test/a.test.ts:2",
          "docs/a.md:4",
          "c.py",
          "no place",
          "../up.ts:1",
          "/etc/passwd:1",
        ),
      }),
      { maxLength: 5 },
    ),
    complexityHint: fc.constantFrom("L0", "L1", "L2", "L3", null),
  })
  .map(({ notes, closedGaps, findings, ...given }) =>
    specInput({
      ...given,
      closedGaps: closedGaps.map((one, index) => gap({ number: index + 1, ...one })),
      messages: notes.map((content, index) => message({ seq: index + 1, author: "bob", content })),
      findings: findings.map(({ synthesis, snippet, kind, location }, index) =>
        finding(index + 1, { synthesis, sources: [{ location, snippet, kind }] }),
      ),
    }),
  );

test("whatever people wrote, the result passes every rule that is an error, and has only the sections that it should", async () => {
  await fc.assert(
    fc.asyncProperty(anyInput, async (input) => {
      const { validation, document, markdown, summary } = await write(input);
      expect(validation.errors).toEqual([]);
      // A title without a text leaves only the title to be said, and people may say one sentence often.
      const excused = new Set(["tasks_have_touch_points", "too_long", "then_says_outcome", "says_once"]);
      expect(validation.warnings.filter(({ rule }) => !excused.has(rule))).toEqual([]);
      expect(document.sections.every((section) => section.key !== null)).toBe(true);
      expect(new Set(document.sections.map((section) => section.key)).size).toBe(document.sections.length);
      expect(document.requirements).toHaveLength(1);
      const tokens = new MarkdownIt({ html: true }).parse(markdown, {});
      const kinds = tokens.flatMap((token) => [token, ...(token.children ?? [])]).map((token) => token.type);
      expect(kinds.filter((kind) => kind.startsWith("html"))).toEqual([]);
      expect(tokens.filter((token) => token.type === "heading_open" && token.tag === "h1")).toHaveLength(1);
      expect(markdown.isWellFormed()).toBe(true);
      expect(summary.length).toBeGreaterThanOrEqual(5);
      expect(summary.length).toBeLessThanOrEqual(10);
    }),
    { numRuns: triesOf(400) },
  );
}, 60_000);

test("the same input gives the same text", async () => {
  const [first, second] = await Promise.all([write(OFFLINE_SAMPLES.vague), write(OFFLINE_SAMPLES.vague)]);
  expect(first.markdown).toBe(second.markdown);
});

test.each(WRITTEN_LANGUAGES)("the keywords and headings are the same in %s", async (language) => {
  const { vague } = OFFLINE_SAMPLES;
  const { document } = await write({ ...vague, complexityHint: "L2", issue: { ...vague.issue, language } });
  const english = parseSpec((await write({ ...vague, complexityHint: "L2" })).markdown);
  expect(document.sections.map((section) => section.heading)).toEqual(
    english.sections.map((section) => section.heading),
  );
  expect(document.requirements[0]?.statement).toContain("SHALL");
});

test("the documentation answers each question that the issue asks", async () => {
  const input = specInput({
    title: "Question about retries",
    body: "We run the job nightly. How often is a failed job retried? Is the delay configurable?",
    labels: [],
    language: "en",
    closedGaps: [gap({ number: 1, topic: "acceptance", closedReason: "inferred", closedNote: "Only an answer" })],
  });
  const { markdown } = await offlineSpecGenerator().generate(input, null);
  const [then] = /\*\*THEN\*\*.*/.exec(markdown) ?? [""];
  expect(then).toContain("How often is a failed job retried? Is the delay configurable?");
});

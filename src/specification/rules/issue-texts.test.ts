import { describe, expect, test } from "vitest";
import { finding, gap, message, specInput } from "../../../test/support/spec-input.ts";
import { offlineSpecGenerator } from "./writer.ts";

const FENCE = "```";

async function specOf(given: { title: string; body: string; labels?: string[]; language?: string; said?: string[] }) {
  const messages = (given.said ?? []).map((content, at) => message({ seq: at + 1, author: "bob", content }));
  const { markdown } = await offlineSpecGenerator().generate(specInput({ ...given, messages }), null);
  const section = (title: string) => markdown.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
  const steps = section("Success Criteria").match(/(?<=\*\*)(?:GIVEN|WHEN|THEN|AND)\*\* .*/g) ?? [];
  return { markdown, section, steps: steps.map((step) => step.replace("**", "")) };
}

describe("what happens now", () => {
  test.each([
    ["sumList is wrong", "`sumList([1, 2])` returns 2 instead of 3.", "Now: `sumList([1, 2])` returns 2 instead of 3."],
    ["Wrong sum", "`sumList([1, 2])` returns 2, but it should return 3.", "Now: `sumList([1, 2])` returns 2."],
    [
      "sumList returns the last number only",
      "`sumList([1, 2])` in `src/sum.js` returns 2. Expected: 3.",
      "Now: `sumList([1, 2])` in `src/sum.js` returns 2.",
    ],
  ])("is what comes out, not the bare complaint: %s: %s", async (title, body, now) => {
    const { section } = await specOf({ title, body });
    expect(section("Problem Statement")).toContain(now);
  });

  test("the expected result of the same sentence is the outcome", async () => {
    const { steps } = await specOf({
      title: "Wrong sum",
      body: "`sumList([1, 2])` returns 2, but it should return 3.",
    });
    expect(steps.at(-1)).toMatch(/^THEN (?:it should )?return/i);
  });

  test.each([
    ["I would expect minutes there, but that’s not the case.", "Calling `format(90)` gives `0h90m`."],
    ["Ich hätte Minuten erwartet, aber das ist nicht der Fall.", "`format(90)` liefert `0h90m`."],
    ["Esperaba minutos, pero no es así.", "`format(90)` devuelve `0h90m`."],
    ["J’attendais des minutes, mais ce n’est pas le cas.", "`format(90)` renvoie `0h90m`."],
    ["Ожидались минуты, но это не так.", "`format(90)` возвращает `0h90m`."],
  ])("is no bare denial: %s", async (denied, told) => {
    const { section, steps } = await specOf({
      title: "format prints 0h90m",
      body: `${told} ${denied}`,
      labels: ["bug"],
    });
    expect(section("Problem Statement")).toContain(told);
    expect(steps[0]).toMatch(/^WHEN `format\(90\)` /);
  });

  test("is what a call returns, also in a request", async () => {
    const body =
      'In our tool `parse("2d")` returns 0. It would be nice to have days. Weeks are not needed. Existing strings must keep working.';
    const { section, steps } = await specOf({ title: "Support days in parse", body, labels: ["enhancement"] });
    expect(section("Problem Statement")).toContain('Now: In our tool `parse("2d")` returns 0.');
    expect(section("Goals / Non-goals")).toContain("- Weeks are not needed (the text of the issue: @ann)");
    expect(steps).toEqual([
      expect.stringMatching(/^WHEN /),
      "THEN It would be nice to have days",
      "WHEN the existing tests are run",
      "THEN Existing strings must keep working",
    ]);
  });

  test.each([
    ["f(1) → 2. Expected: 3", "en", "THEN the result is 3"],
    ['isAbsoluteURL("//a.com") → false.\nExpected: true', "en", "THEN true"],
    ['isAbsoluteURL("//a.com") -> false\nshould be true', "en", "THEN should be true"],
    ["Ist: 2 / Soll: 3", "de", "THEN das Ergebnis ist 3"],
    ["实际：2 期望：3", "zh", "THEN 结果为 3"],
    ["Obtenu : 2 Attendu : 3", "fr", "THEN le résultat est 3"],
  ])("the expected result behind an arrow or a label is the outcome: %s", async (body, language, then) => {
    expect((await specOf({ title: "Wrong result", body, language })).markdown.replaceAll("**", "")).toContain(then);
  });

  test.each([
    ["It should probably output only the key."],
    ["It ought to output only the key of the wrong item."],
    ["I would expect only the key in the error."],
    ["It would be nice to see only the key in the error."],
  ])("is never a wish: %s", async (wish) => {
    const title = "Duplicate key error shows whole item instead of key";
    const { section } = await specOf({ title, body: `### Describe the bug\n\n${wish}` });
    expect(section("Problem Statement")).toContain(`Now: ${title}.`);
  });
});

describe("what is out of scope", () => {
  const title = "The report breaks with the flag";
  const lead = "The report shows the wrong line with `--runxfail`. Expected: the line of the test is shown.";

  test.each([
    ["The `--runxfail` is only about xfail and should not affect this at all."],
    ["IE has trouble with it, perhaps we should avoid the shorthand and be more explicit."],
    ["The flag must not hide the line of the test."],
  ])("is not how the program must not behave: %s", async (text) => {
    const { section, steps } = await specOf({ title, body: `${lead}\n\n${text}` });
    expect(section("Goals / Non-goals")).not.toContain(text.slice(0, 30));
    expect(steps.join(" ")).toContain(text.slice(4, 30));
  });

  test.each([
    ["Please do not touch `src/sum.js`."],
    ["Archiving is out of scope here."],
    ["No new dependency for this."],
  ])("is what people leave out of the work: %s", async (text) => {
    const { section } = await specOf({ title, body: `${lead}\n\n${text}` });
    expect(section("Goals / Non-goals")).toContain(text.slice(0, -1));
  });
});

describe("code of the issue (R-SPEC-19)", () => {
  const plugins = (last: string) => `${FENCE}yaml\nplugins:\n  - one\n  - ${last}\n${FENCE}`;

  test("that shows what is wanted is told apart from today's, and its last version counts", async () => {
    const { section, steps } = await specOf({
      title: "Load plugin from path",
      labels: ["enhancement"],
      body: [
        "Today we load plugins like this:",
        plugins("two"),
        "It would be useful to be able to include a plugin by a relative path:",
        plugins("src/three"),
        "**UPDATE: the final syntax will be:**",
        plugins("./src/three"),
      ].join("\n\n"),
    });
    const problem = section("Problem Statement");
    expect(problem).toContain("Example 2. the final syntax will be:");
    expect(problem).not.toContain("  - src/three");
    expect(steps).toEqual(["WHEN example 2 is used", "THEN include a plugin by a relative path (example 2)"]);
  });

  test("that stands alone in a line is an example, a message there is what is said", async () => {
    const { section, steps } = await specOf({
      title: "Styles get lost",
      body: [
        "if my template has a style like",
        '`<div style="margin:1px !important"></div>`',
        "the style is missing and I get the following error:",
        '`Events for "users" must be an array`',
        "The style should be kept.",
      ].join("\n\n"),
    });
    expect(section("Problem Statement")).toContain(`If my template has a style like:\n${FENCE}\n<div style`);
    expect(section("Problem Statement").match(/Events for/g)).toHaveLength(1);
    expect(steps).toEqual([
      "WHEN the code under Problem Statement is run",
      "THEN The style should be kept",
      'AND `Events for "users" must be an array` does not appear',
    ]);
  });

  test("names constants, which are no messages; what a program printed is one", async () => {
    const { section } = await specOf({
      title: "Set and runtime cannot be stored together",
      body: [
        "I tried this code:",
        `${FENCE}rust\nthread_local! {\n    static LOCAL_SET: Set = Set::new();\n}\nfn main() { LOCAL_SET.with(|f| f.run()); }\n${FENCE}`,
        "I expected to see this happen: `main` works.",
        "Instead, this happened: `main` panics, with this:",
        `${FENCE}bash\nthread 'main' panicked at 'cannot access a value during destruction: AccessError'\n${FENCE}`,
      ].join("\n\n"),
    });
    expect(section("Problem Statement")).not.toContain("The message is `LOCAL_SET`");
    expect(section("Problem Statement")).toContain("cannot access a value during destruction: AccessError");
  });

  test("that comes out wrong is not what is run, and a way around is no fix", async () => {
    const { section, steps } = await specOf({
      title: "`this` is wrong in an event handler",
      body: [
        "In this situation...",
        `${FENCE}html\n<input on:enter='this.blur()'>\n${FENCE}`,
        "I'd expect `this.blur()` to refer to the `<input>`, but this code is generated:",
        `${FENCE}js\nenter(function () {\n  this.blur();\n});\n${FENCE}`,
        "`this` should probably be rewritten as `input`.",
        "Workaround is this:",
        `${FENCE}diff\n-callback();\n+callback.call(node);\n${FENCE}`,
      ].join("\n\n"),
    });
    expect(section("Problem Statement")).toContain("Now: this code is generated (example 2).");
    expect(section("Problem Statement")).toContain("A way around the fault, from the issue:");
    // What the reporter would do is told once, as what to try; it is no outcome.
    expect(section("Decision Log")).toContain("`this` should probably be rewritten as `input`");
    expect(steps).toEqual(["WHEN example 1 is run", "THEN `this.blur()` should refer to the `<input>`"]);
  });
});

describe("what an issue's text says", () => {
  test("each item of a list of wishes is a scenario, an item of choices is none", async () => {
    const { steps } = await specOf({
      title: "A smaller report",
      labels: ["enhancement"],
      body: "The report should:\n\n- leave out empty months\n- print one line per customer\n\nThere are two options for the name:\n\n- `brief mode` of the tool\n- `short mode` of the tool\n",
    });
    const outcomes = steps.filter((step) => step.startsWith("THEN"));
    expect(outcomes).toEqual([
      "THEN The report should leave out empty months",
      "THEN The report should print one line per customer",
    ]);
  });

  test.each([
    ["en", "Report crashes", "When the month has no invoices, the report crashes.", "the month has no invoices"],
    ["en", "Report crashes when the month is empty", "It just does.", "the month is empty"],
    [
      "de",
      "Bericht stürzt ab",
      "Wenn der Monat keine Rechnungen hat, stürzt der Bericht ab.",
      "der Monat keine Rechnungen hat",
    ],
    ["ru", "Отчёт падает", "Когда в месяце нет счетов, отчёт падает.", "в месяце нет счетов"],
    ["es", "El informe falla", "Cuando el mes no tiene facturas, el informe falla.", "el mes no tiene facturas"],
    [
      "ja",
      "レポートが落ちる",
      "請求書がない月を指定すると、レポートがクラッシュします。",
      "請求書がない月を指定すると",
    ],
    ["zh", "报告崩溃", "当月份没有发票时，报告会崩溃。", "月份没有发票"],
  ])("says in which case a fault occurs (%s)", async (language, title, body, occasion) => {
    const { steps } = await specOf({ title, body, language, labels: ["bug"] });
    expect(steps[0]).toBe(`WHEN ${occasion}`);
  });

  test("the reporter's explanation is told, and does not stand in the outcome", async () => {
    const { section, steps } = await specOf({
      title: "Enum values come as strings",
      labels: ["bug"],
      body: "Enum values are wrong, because `visited` is read twice. This is due to the fact that the `visitedTypes` map already has an entry.\n",
    });
    expect(section("Problem Statement")).toContain("The reporter’s explanation: This is due to the fact that");
    expect(steps.at(-1)).toBe("THEN this no longer happens: Enum values are wrong");
  });

  test("a request tells what is needed and how it is today", async () => {
    const { section } = await specOf({
      title: "Generate section directories",
      labels: ["enhancement"],
      body: "Currently, all pages are placed in one folder. The `man` program looks for section folders, which we need. It would be great if the folders were created.\n",
    });
    expect(section("Problem Statement")).toMatch(/^\n?What is needed: The `man` program .* Now: Currently, all pages/);
  });

  test("how somebody proposes to do it is a decision, not an outcome", async () => {
    const { section, steps } = await specOf({
      title: "The cache is wrong",
      body: "The report shows old numbers. Expected: it shows the new ones.",
      said: ["As numbers change, I would propose to drop the cache in `report.js`."],
    });
    expect(section("Decision Log")).toContain("I would propose to drop the cache");
    expect(steps.join()).not.toContain("drop the cache");
  });

  test("what is expected ends where the reason and the limits begin, and what happens is no limit", async () => {
    const { section, steps } = await specOf({
      title: "Отчёт не учитывает возвраты",
      language: "ru",
      labels: ["bug"],
      body: "Когда в месяце есть возврат, `quill report` показывает сумму без него.\n\nОжидается: возврат вычитается. Дело в том, что `sumInvoices` пропускает минус.\n",
      said: ["Это происходит, если возврат в другой валюте."],
    });
    expect(section("Decision Log")).toContain("Это происходит, если возврат в другой валюте");
    expect(steps.slice(0, 2)).toEqual([
      "WHEN в месяце есть возврат",
      "THEN возврат вычитается; где Decision Log говорит иное, действует он",
    ]);
    expect(section("Problem Statement")).toContain(
      "Объяснение автора: Дело в том, что `sumInvoices` пропускает минус.",
    );
    expect(section("Goals / Non-goals")).toBe("");
  });

  test("what comes out is shown, and the link that reproduces it is run", async () => {
    const { section, steps } = await specOf({
      title: "Wrong place of a skipped test",
      labels: ["bug"],
      body: `The place should be that of the test. With \`-x\` we end up with this:\n\n${FENCE}\nSKIPPED [1] runner.py:238\n${FENCE}\n\n### Steps to reproduce\n\nhttps://example.org/repl/1?version=2\n`,
    });
    expect(section("Problem Statement")).toContain("SKIPPED [1] runner.py:238");
    expect(section("Problem Statement")).toContain("To reproduce: https://example.org/repl/1?version=2.");
    expect(steps[0]).toBe("WHEN the reproduction at https://example.org/repl/1?version=2 is run");
  });

  test("a form that holds the report twice shows its code once", async () => {
    const report = `It fails.\n\n${FENCE}yaml\nkey: [1, 2]\n${FENCE}\n`;
    const { markdown } = await specOf({
      title: "Keys fail",
      labels: ["bug"],
      body: `${report}\n# Report\n\n${report}`,
    });
    expect(markdown.match(/key: \[1, 2\]/g)).toHaveLength(1);
  });

  test("nothing decided needs no goals, and names with underscores stay names", async () => {
    const { markdown } = await specOf({ title: "Support __repr__ of groups", labels: ["enhancement"], body: "" });
    expect(markdown).not.toContain("## Goals / Non-goals");
    expect(markdown).toContain("# Spec: Support `__repr__` of groups");
  });
});

test.each([
  { closedReason: "inferred" as const, closedNote: "the code stays as it is" },
  { closedReason: "answered" as const, closedNote: "No." },
  { closedReason: "answered" as const, closedNote: "No, nothing to change." },
])("a question that only the documentation is to answer is no wrong text: %j", async (closed) => {
  const question = "Which timeout does retry use?";
  const input = specInput({
    title: question,
    body: "I did not see it in the README.",
    closedGaps: [gap({ number: 1, topic: "acceptance", proposedDefault: "the code stays as it is", ...closed })],
  });
  const { markdown } = await offlineSpecGenerator().generate(input, null);
  expect(markdown).toContain(`- To answer: ${question}\n`);
  expect(markdown).toContain(`Asked: ${question}\n`);
  expect(markdown).toContain(`- **THEN** it answers: ${question}\n`);
  expect(markdown).not.toMatch(/Scenario: No|THEN\*\* No|\?\.|Correct the text|Add the missing check/);
});

test("what is expected and a criterion at once is one scenario", async () => {
  const body = '`parse("5x")` gives 0. It should throw a `RangeError`, but `parse("")` must stay 0.';
  const { steps } = await specOf({ title: 'parse accepts "5x"', body, labels: ["bug"] });
  expect(steps.filter((step) => step.includes("RangeError"))).toHaveLength(1);
});

test.each([
  ["The other exports are fine.", true],
  ["Both ways are fine with me.", false],
  ["Either of the two solutions are fine.", false],
  ["It only works well with small files.", false],
  ["The PDF export works fine.", true],
])("what works beside the fault is to go on, and an opinion is none of it: %s", async (text, is) => {
  const input = specInput({
    title: "CSV export loses the last row",
    body: `The CSV export loses the last row. ${text}`,
    labels: ["bug"],
    language: "en",
  });
  const { markdown } = await offlineSpecGenerator().generate(input, null);
  expect(markdown.includes(`**THEN** ${text.slice(0, -1)}`)).toBe(is);
});

test.each([
  [
    "Total is wrong",
    "The total is wrong when a coupon is applied. When I open the help page, the text is small. It should subtract the coupon once.",
    ["a coupon is applied", "It should subtract the coupon once"],
  ],
  [
    "Export hangs",
    "When the list is empty, the export hangs.\n\nIf a customer has no address, the row should contain a dash.",
    ["a customer has no address", "the row should contain a dash"],
  ],
])("WHEN and THEN of the reported case belong together: %s", async (title, body, steps) => {
  const input = specInput({ title, body, labels: ["bug"], language: "en" });
  const { markdown } = await offlineSpecGenerator().generate(input, null);
  const told = [...markdown.matchAll(/^- \*\*(?:WHEN|THEN)\*\* (.*)$/gm)].map(([, text]) => text);
  expect(told.slice(0, 2)).toEqual(steps);
});

test("what the wanted result names is not a message that is to go", async () => {
  const body =
    "I ran `quillbill list` and my paid invoices were missing. Expected: `quillbill list` says how many it left out.";
  const source = { location: "src/list.js:11", lines: "11", snippet: 'usage: "quillbill list [--all]",' };
  const findings = [finding(1, { synthesis: "`list` is mentioned in the report.", sources: [source] })];
  const input = specInput({ title: "list hides paid invoices", body, labels: ["bug"], findings });
  const { markdown } = await offlineSpecGenerator().generate(input, null);
  expect(markdown).toContain("**THEN** `quillbill list` says how many it left out");
  expect(markdown).not.toContain("does not appear");
});

test.each([
  [
    "Shop answers 500",
    "Actual: 500 and a stack trace. Expected: 400 with INVALID_INVOICE, so that we can log it.",
    "INVALID_INVOICE",
  ],
  [
    "list dies on a damaged store",
    "`quillbill list` dies. I would rather see the STORE_DAMAGED error.",
    "STORE_DAMAGED",
  ],
  [
    "list columns shift",
    "Steps:\n\n1. `quillbill add --all`\n2. `quillbill list`\n\nExpected: the amounts line up.\nActual: the row is shifted.",
    "quillbill list",
  ],
])("what is wanted or run is no message that has to go: %s", async (title, body, named) => {
  const source = { location: "src/list.js:11", lines: "11", snippet: `x("${named}", "quillbill add --all")` };
  const findings = [finding(1, { synthesis: "It is mentioned in the report.", sources: [source] })];
  const input = specInput({ title, body, labels: ["bug"], findings });
  const { markdown } = await offlineSpecGenerator().generate(input, null);
  expect(markdown).not.toMatch(/does not appear|no longer appears/);
});

test("a code that is not to come is one", async () => {
  const source = { location: "src/list.js:11", lines: "11", snippet: 'throw new Error("EXPORT_TOTAL_MISMATCH")' };
  const findings = [finding(1, { synthesis: "It is mentioned in the report.", sources: [source] })];
  const body = "The export prints EXPORT_TOTAL_MISMATCH. Expected: no EXPORT_TOTAL_MISMATCH for a right total.";
  const input = specInput({ title: "Wrong warning", body, labels: ["bug"], findings });
  const { markdown } = await offlineSpecGenerator().generate(input, null);
  expect(markdown).toContain("`EXPORT_TOTAL_MISMATCH` does not appear");
});

test.each(["Please leave the tests alone.", "No toques los tests, por favor."])(
  "no step asks for a test where none is to change: %s",
  async (order) => {
    const { markdown, section } = await specOf({
      title: "Total is wrong",
      body: "`total()` in `src/cart.js` returns 2. Expected: 3.",
      labels: ["bug"],
      said: [order],
    });
    expect(section("Implementation Plan")).not.toContain("test covers it");
    expect(markdown).toContain("Changes to");
  },
);

import { array, assert, constantFrom, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { spokenText } from "../../lib/markdown-offsets.ts";
import { concern } from "../../domain/concern.ts";
import { WRITTEN_LANGUAGES } from "../../i18n/phrases.ts";
import { safeComment } from "../../domain/text/comment-sanitizer.ts";
import { HOSTILE, facts } from "../../../test/cases/request-texts.ts";
import { requestText, requestTitle } from "./body.ts";
import { triesOf } from "../../../test/support/tries.ts";

const END = "\n\nCloses #7\n\n<!-- relay:request:7300000000000001 -->";

/** What trackers take for a word that closes an issue. */
const CLOSES =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\s*(?:issues?\s+)?(?:[\w./-]*#\d|GH-\d|https?:)/i;

function harmIn({ title, body }: { title: string; body: string }): string[] {
  const told = body.slice(0, -END.length);
  const safe = safeComment(told, { participants: [], bot: "", origins: "later" });
  const found = {
    "is too long": body.length > 60_000 || title.length > 100,
    "ends otherwise": !body.endsWith(END),
    "is not safe": safe.text !== told || safe.changes.length > 0,
    "mentions somebody": /(?<![A-Za-z0-9])@[A-Za-z0-9_]/.test(spokenText(told)),
    "closes another issue": CLOSES.test(told) || CLOSES.test(title),
    "skips checks": /\[skip ci\]|\[ci skip\]/i.test(body + title),
    "hides something": told.includes("<!--"),
    "has half a character": !body.isWellFormed() || !title.isWellFormed(),
    "has a title of many lines": /[\r\n]/.test(title) || title.trim() === "",
  };
  return Object.entries(found).flatMap(([harm, isSo]) => (isSo ? [harm] : []));
}

test("labels hold no secret and no address", () => {
  const suggested = ["bug", `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2)}`, "https://evil.example/x"];
  const { triage } = facts({});
  expect(requestText(facts({ triage: { ...triage, suggested_labels: suggested } })).labels).toEqual([
    "bug",
    "evil.example/x",
  ]);
});

test("of a confidential issue, the request tells its number, the changed files and the checks, and no words of it (R-SAFE-11)", () => {
  const secret = "Acme Bank";
  const hostile = facts({
    neutral: true,
    summary: `Done for ${secret}.`,
    assumptions: [`${secret} pays in euros.`],
    checks: [{ kind: "test", command: "npm test", outcome: "failed", code: 1, seconds: 1, output: `${secret} owes 3` }],
  });
  const issue = { ...hostile.issue, title: `${secret} is billed twice` };
  const triage = { ...hostile.triage, reasoning: `For ${secret}.`, suggested_labels: [`customer:${secret}`] };
  const { title, body, labels } = requestText({ ...hostile, issue, triage });
  expect(title).toBe("Fix #7");
  expect(labels).toEqual([]);
  expect(body).not.toContain(secret);
  expect(body).toContain("`npm test`");
  expect(body).toContain("`src/total.ts`");
  expect(body).not.toContain("Round half up");
  expect(body.endsWith(END)).toBe(true);
  expect(body).not.toContain("stays a draft");
  // What it waits for is told, and nothing of the plan's reason.
  const look = { ...hostile.plan, human_check_reason: `Ask ${secret}.` };
  const waits = requestText({ ...hostile, issue, triage, plan: look });
  expect(waits.draft).toBe(true);
  expect(waits.body).toContain("This request stays a draft until someone has reviewed it.");
  expect(waits.body).not.toContain(secret);
});

describe("the text of a pull request", () => {
  test.each([
    "https://evil.example",
    "https://https://evil.example",
    "www.www.evil.example",
    "//evil.example",
    "ftp://evil.example",
    "ann@evil.example",
    "mailto:ann@evil.example",
  ])("has a title in which %j is no link (R-SAFE-7)", (address) => {
    const issue = { ...facts().issue, title: `Total of ${address} is wrong` };
    const { title } = requestText(facts({ issue, spec: null }));
    expect(title).toContain("evil.example is wrong");
    expect(title).not.toMatch(/\/\/|www\.|@|mailto:/);
  });

  test("says what changed and why, how to verify it, what the checks came to, and what it closes", () => {
    const { title, body, draft, labels } = requestText(facts());
    expect({ title, draft, labels }).toEqual({
      title: "fix: total rounds half a cent up",
      draft: false,
      labels: ["bug", "risk:low"],
    });
    for (const part of [
      "## What changed\n\n- `src/total.ts`: adds `roundHalfUp`; changes `total`\n- `test/total.test.ts` (new): new tests: `rounds half a cent up`\n\n**Not in the plan, but part of the same work (tests, lock files, changelog):** `test/total.test.ts`\n\nThe coding agent says:\n\n> Rounds half a cent up.  \n> - Adds `roundHalfUp`\n\n## Why\n\nTotals that end in half a cent are rounded down.\n\n## How",
      "Check out `fix/7-total-rounded-wrongly` and run `npm run lint`, `npm test`.",
      "| `npm run lint` | passed |\n| `npm test` | **failed** |",
      "<summary>Output of <code>npm test</code></summary>\n\n```\ntotal.test.ts: 1 failed\n```",
      "**Risk:** low\n",
      "- Prices have two decimals.",
      "- `.github/workflows/ci.yml`: left to people: CI, hooks, settings of tools, secrets, or what the configuration blocks",
      "[`#7`](https://git.example/acme/shop/issues/7)",
      "[`8b90d11`](https://git.example/acme/shop/spec.md)",
      "_Plan 2 · 3fa9c1d_",
    ]) {
      expect(body).toContain(part);
    }
    expect(body.endsWith(END)).toBe(true);
  });

  test("names what is in the plan and was not changed, and takes nothing of the plan's words for done", () => {
    const { plan, triage } = facts();
    const file_changes = ["src/total.ts", "src/cents.ts"].map((path) => ({
      ...{ path, operation: "MODIFY" as const, line_range: null, change_summary: "Round half up" },
    }));
    const risk = "MEDIUM" as const;
    const { body } = requestText(
      facts({ plan: { ...plan, file_changes }, triage: { ...triage, risk }, summary: null }),
    );
    expect(body).toContain(
      "**Not in the plan, but part of the same work (tests, lock files, changelog):** `test/total.test.ts`  \n**In the plan, but not changed:** `src/cents.ts`\n",
    );
    expect(body).toContain("**Risk:** medium — One function changes.");
    expect(body).not.toContain("Round half");
    expect(body).not.toContain("The coding agent says");
  });

  test("begins with what a person should look at, which raises the risk and makes it a draft (R-WORK-11)", () => {
    const concerns = [
      concern("not planned", { path: "src/login.ts" }),
      concern("not planned", { path: "src/a`b|c.ts", names: ["x@y"], agreed: true }),
    ];
    const { body, draft, labels } = requestText(facts({ concerns }));
    expect(body).toMatch(
      /^## Look at this first\n\n- \*\*Changed, but not in the plan\*\*: `src\/login.ts`, .*\n\n## What changed\n/,
    );
    expect(body).toContain("**Risk:** medium — Changed, but not in the plan");
    expect({ draft, labels }).toEqual({ draft: false, labels: ["bug", "risk:medium"] });
    const taken = facts({ mayBeDraft: false, concerns: [concern("owners", { path: "CODEOWNERS" })] });
    expect(requestText(taken).body).not.toContain("stays a draft");
    const much = concern("much more", { numbers: { files: 37, lines: 900, planned: 3 } });
    expect(requestText(facts({ concerns: [much] })).body).toContain(
      "**Risk:** high — Much more than the plan says: 37 files and 900 lines, for 3 planned files",
    );
    const none = requestText(facts({ concerns: [concern("no planned file", {})] }));
    expect(none.body).toMatch(/^## Look at this first\n\n- \*\*None of the planned files was changed\*\*\n/);
    expect(none).toMatchObject({ draft: true, labels: ["bug", "risk:high"] });
    expect(requestText(facts({ concerns, neutral: true })).body).not.toContain("Look at this first");
  });

  test("tells the result of the operator's scanner beside the checks, with its last lines where it failed", () => {
    const scan = { kind: "scan" as const, command: "scan .", outcome: "failed" as const, code: 3, seconds: 1 };
    const red = facts({ scan: { ...scan, output: "src/a.ts: a weak cipher" }, concerns: [concern("scan failed", {})] });
    const { body, draft } = requestText(red);
    expect(body).toMatch(/^## Look at this first\n\n- \*\*The scan that Relay’s operator set up did not pass\*\*\n/);
    expect(body).toContain("| `scan .` | **failed**; exit code 3 |");
    expect(body).toContain("<summary>Output of <code>scan .</code></summary>\n\n```\nsrc/a.ts: a weak cipher\n```");
    expect(body).not.toMatch(/run `npm run lint`.*`scan \.`/);
    expect(draft).toBe(true);
    const passed = { ...scan, outcome: "passed" as const, code: 0, output: "" };
    expect(requestText(facts({ scan: passed })).body).toContain("| `scan .` | passed |");
  });

  test("lists the dependencies that the lock files tell of; nothing where none changed", () => {
    const path = "package-lock.json";
    const change = { path, licence: null };
    const dependencies = [
      {
        path,
        changes: [
          { ...change, name: "left-pad", before: [], after: ["1.3.0 (git.example/left-pad)"], licence: "MIT" },
          { ...change, name: "a", before: ["1.0.0"], after: ["1.0.0", "2.0.0"] },
          { ...change, name: "gone", before: ["0.1.0"], after: [] },
        ],
      },
      { path: "web/yarn.lock", changes: null },
    ];
    expect(requestText(facts({ dependencies })).body).toContain(`## Dependencies

\`package-lock.json\`: new: 1, changed: 1, removed: 1

- \`left-pad\`: \`1.3.0 (git.example/left-pad)\` (new, MIT)
- \`a\`: \`1.0.0\` → \`1.0.0\`, \`2.0.0\`
- \`gone\`: \`0.1.0\` (removed)

\`web/yarn.lock\` could not be read, so its dependencies are not listed.

## Why`);
    expect(requestText(facts({ dependencies, neutral: true })).body).toContain("## Dependencies");
    expect(requestText(facts()).body).not.toContain("## Dependencies");
    const many = Array.from({ length: 2_000 }, (_, at) => ({ ...change, name: `p${at}`, before: [], after: ["1"] }));
    const crowd = Array.from({ length: 9 }, (_, at) => ({ path: `${at}/yarn.lock`, changes: many }));
    const { body } = requestText(facts({ dependencies: crowd }));
    expect(body).toContain("`8/yarn.lock`: new: 2000, changed: 0, removed: 0");
    expect(body.length).toBeLessThan(15_000);
  });

  test("gives the reporter's words as a quotation", () => {
    const { spec } = facts();
    const text = "# Spec: x\n\n## Problem Statement\n\nNow: I paid a cent too much.\n";
    expect(requestText(facts({ spec: spec && { ...spec, text } })).body).toContain(
      "## Why\n\n> I paid a cent too much.\n\n",
    );
  });

  test("leaves out what only announces code, and tells the risk by its rule alone", () => {
    const { spec, triage } = facts();
    const text =
      "# Spec: x\n\n## Problem Statement\n\nNow: I paid a cent too much.\n\nIt printed this:\n```\n12.5\n```\n";
    const reasoning = "BUG (label bug). Risk MEDIUM: 3 files are affected. Decision HUMAN_REVIEW_REQUIRED: the risk.";
    const told = { spec: spec && { ...spec, text }, triage: { ...triage, risk: "MEDIUM" as const, reasoning } };
    const { body } = requestText(facts(told));
    expect(body).not.toContain("It printed this");
    expect(body).toMatch(/\*\*Risk:\*\* medium — 3 files are affected\.?(?: {2})?\n/);
  });

  test("names the test of a scenario only where it fails without the change, and the scenarios without one", () => {
    const { body } = requestText(facts());
    expect(body).toContain("| Half a cent rounds up | `rounds half a cent up` in `test/total.test.ts` |");
    expect(body).toContain("**Fails without this change, and passes with it:** `rounds half a cent up`");
    expect(body).toContain("No test that fails without this change was found for: “Negative totals”.");
    const claims = /\| Half a cent|and passes with it|tests: \d/;
    const none = "No test that fails without this change was found for: “Half a cent rounds up”, “Negative totals”.";
    const unproven = requestText(facts({ proving: [] })).body;
    expect(unproven).not.toMatch(claims);
    expect(unproven).toContain(none);
    // Code that may have made them up.
    const forging = [concern("acts under test", { path: "src/total.ts" })];
    expect(requestText(facts({ concerns: forging })).body).not.toMatch(claims);
  });

  test("tells failures of this change from those that were there before, by the names and numbers of tests", () => {
    const tests = (total: number, ...red: string[]) => ({ total, failed: red.length, red });
    const run = {
      kind: "test" as const,
      command: "npm test",
      outcome: "failed" as const,
      code: 1,
      seconds: 9,
      output: "x",
    };
    const changed = facts({
      checks: [{ ...run, tests: tests(145, "old one") }],
      before: [{ ...run, tests: tests(143, "old one") }],
      failedBefore: ["npm test"],
    });
    const { body } = requestText(changed);
    expect(body).toContain("| `npm test` | failed, as it did before this change; tests: 143 → 145; failing: 1 |");
    expect(body).toContain("**Fails as it did before this change:** `old one`");
    expect(body).not.toContain("<details>");
    const mended = requestText({
      ...changed,
      checks: [{ ...run, outcome: "passed", tests: tests(145) }],
      failedBefore: [],
    });
    expect(mended.body).toContain("| passed; it failed before this change; tests: 143 → 145; failing: 1 → 0 |");
    expect(mended.body).toContain("**Failed before this change, and passes now:** `old one`");
    const worse = requestText({
      ...changed,
      checks: [{ ...run, tests: tests(145, "old one", "new one") }],
      failedBefore: [],
    });
    expect(worse.body).toContain("**Fails since this change:** `new one`");
    expect(requestText({ ...changed, before: [] }).body).not.toContain("before this change:");
  });

  test("is a draft, and says so, where a person must look", () => {
    const { plan, triage } = facts();
    const high = requestText(
      facts({ triage: { ...triage, risk: "HIGH" }, plan: { ...plan, human_check_reason: "x" } }),
    );
    expect(high.draft).toBe(true);
    expect(high.body).toContain("**Needs a human review:** the risk is high");
    expect(high.body).toContain("This request stays a draft until someone has reviewed it.");
    expect(requestText(facts({ plan: { ...plan, human_check_reason: "Ask Bob." } })).draft).toBe(true);
  });

  test("names links with their targets, binaries, modes, removed tests, and hidden characters of file names", () => {
    const added = { change: "added", addedLines: 1, removedLines: 0 } as const;
    const { body } = requestText(
      facts({
        changes: [
          { path: "src/parts.js", ...added, mark: "link" },
          { path: "tools/helper", ...added, addedLines: 0, mark: "binary" },
          { path: "run.sh", change: "modified", addedLines: 0, removedLines: 0, mark: "executable" },
          { path: "src/chunk\u200b.js", ...added },
          { path: "src/\u202egpj.sj", ...added },
          { path: "test/a.test.js", change: "modified", addedLines: 1, removedLines: 3 },
        ],
        symbols: [],
        linkTargets: new Map([["src/parts.js", "../secret.js"]]),
        tests: [
          { path: "test/a.test.js", name: "empty list", kind: "removed", body: "" },
          { path: "test/a.test.js", name: "is empty", kind: "changed", before: "empties", body: "" },
        ],
      }),
    );
    expect(body).toContain("- `src/parts.js` (new, symbolic link to `../secret.js`)\n");
    expect(body).toContain("- `tools/helper` (new, binary)\n");
    expect(body).toContain("- `run.sh` (changed, executable now)\n");
    expect(body).toContain("- `src/chunk\\u200b.js` (new, +1 −0)\n");
    expect(body).toContain("- `src/\\u202egpj.sj` (new, +1 −0)\n");
    expect(body).toContain("- `test/a.test.js`: changed tests: `empties → is empty`; removed tests: `empty list`");
  });

  test("does without what is not there", () => {
    const { body } = requestText(
      facts({
        spec: null,
        summary: null,
        checks: [],
        assumptions: [],
        undone: [],
        changes: [],
        symbols: [],
        tests: [],
      }),
    );
    expect(body).not.toContain("Round half a cent up.");
    expect(body).toContain("Total is rounded wrongly");
    expect(body).toContain("I know of no command that verifies it");
    expect(body).not.toMatch(/Scenario|Assumed|Kept out|Changed files|<details>/);
  });

  test.each(WRITTEN_LANGUAGES)("is written in the issue's language: %s", (language) => {
    const { body, title } = requestText(facts({ issue: { ...facts().issue, language } }));
    expect(body).not.toMatch(/\{\{|undefined|why_|file_/);
    expect(body.includes("## What changed")).toBe(language === "en");
    expect(title.toLowerCase()).toBe("fix: total rounds half a cent up");
    expect(harmIn({ title, body })).toEqual([]);
  });

  test("harms nobody, whatever the issue, the agent and the repository hold", () => {
    const text = constantFrom(...HOSTILE);
    const hostile = record({ title: text, text, path: text, command: text, many: array(text, { maxLength: 60 }) });
    assert(
      property(hostile, ({ title, text: said, path, command, many }) => {
        const { plan, triage, issue } = facts();
        const made = requestText(
          facts({
            issue: { ...issue, title, url: said },
            branch: said,
            plan: {
              ...plan,
              human_check_reason: said,
              plan_steps: many.map((description, at) => ({
                ...{ order: at + 1, description, command, files_involved: [] },
              })),
              file_changes: many.map((change_summary) => ({
                ...{ path: path.slice(0, 4_096), operation: "MODIFY", change_summary, line_range: null },
              })),
            },
            triage: { ...triage, reasoning: said, security_flags: many, suggested_labels: many },
            spec: {
              sha256: path,
              url: said,
              places: new Map(many.map((name) => [name, said])),
              text: `# Spec: ${title}\n## Problem\n${many.join("\n\n")}\n#### Scenario: ${many.join("\n#### Scenario: ")}`,
            },
            summary: many.join("\n"),
            changes: many.map((name) => ({ path: name, change: "deleted", addedLines: 0, removedLines: 1 })),
            symbols: many.map((name) => ({ path: name, added: many, changed: many, removed: many })),
            tests: many.map((name) => ({ path: name, name, kind: "changed", before: said, body: said })),
            proving: many,
            before: many.map((name) => ({
              ...{ kind: "test", command, outcome: "failed", code: 1, seconds: 1, output: "" },
              tests: { total: 1, failed: 1, red: [name] },
            })),
            checks: many.map((output) => ({
              ...{ kind: "test", command, outcome: "failed", code: 1, seconds: 1, output },
              tests: { total: 1, failed: 1, red: many },
            })),
            assumptions: many,
            undone: many.map((detail) => ({ path: detail, why: "secret", detail })),
            dependencies: many.map((name) => ({
              path: name,
              changes: many.map((version) => ({ path, name, before: [version], after: many, licence: said })),
            })),
          }),
        );
        expect(harmIn(made)).toEqual([]);
        expect(made.labels.every((label) => label.length <= 50 && !/[\r\n]/.test(label))).toBe(true);
      }),
      { numRuns: triesOf(25) },
    );
  });
});

describe("the title of a pull request", () => {
  test.each([
    ["[Bug] Total is wrong.", "fix: total is wrong"],
    ["Feature request: HTML export", "fix: HTML export"],
    ["WIP: Total is wrong", "fix: total is wrong"],
    ["fix(ui): broken", "fix: broken"],
    ["closes #99 by @ann", "fix: closes – #99 by `@ann`"],
    ["#99 is broken", "fix: – #99 is broken"],
    ["UTF-8 is broken", "fix: UTF-8 is broken"],
    ["", "fix: change a.ts and 1 more"],
  ])("of %j is %j", (title, expected) => {
    const changes = ["a.ts", "b.ts"].map((path) => ({
      ...{ path, change: "modified" as const, addedLines: 1, removedLines: 1 },
    }));
    expect(requestTitle("BUG", { title, language: "en", spec: null }, changes)).toBe(expected);
  });

  test("keeps the capitals of other languages, and ends long ones at a word", () => {
    expect(requestTitle("FEATURE", { title: "Summe runden", language: "de", spec: null }, [])).toBe(
      "feat: Summe runden",
    );
    const long = requestTitle("DOCS", { title: "word ".repeat(60), language: "en", spec: null }, []);
    expect(long.length).toBeLessThanOrEqual(72);
    expect(long.endsWith("word…")).toBe(true);
  });

  test("says what is built, in the words of the spec, and cuts no word of any script", () => {
    const title = "Export is broken";
    const of = (spec: string, language = "en") =>
      requestTitle("BUG", { title, language, spec: `# Spec: ${spec}\n` }, []);
    expect(of("Count October invoices by their printed day")).toBe("fix: count October invoices by their printed day");
    expect(of("Sum in cents", "ru")).toBe("fix: sum in cents");
    expect(of("Сумма в центах", "ru")).toBe("fix: Сумма в центах");
    expect(of("")).toBe("fix: export is broken");
    const cut = of("請求書の合計金額を四捨五入して表示するように変更する".repeat(4), "ja");
    expect(cut.length).toBeLessThanOrEqual(72);
    expect(cut).toMatch(/(?:する|し|を|の|に|て|書|金額|表示|変更|四捨五入|請求)…$/);
  });
});

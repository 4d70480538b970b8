import { describe, expect, test } from "vitest";
import { parseSpec } from "../domain/spec-document/parse.ts";
import { aFile, aPlan, aSpec, facts } from "../../test/cases/plan-comments.ts";
import { planComment } from "./comment.ts";
import type { WhoSaid } from "./spec-facts.ts";

const TEXT = `# Spec: Remember the theme

**Status:** Draft
**Complexity:** L1 (a small feature)

## TL;DR

- The theme that a person picks is kept (Gap #1).
- No flash of the wrong theme.
- Where: [\`src/theme.ts:12-20\`].
- Decided: in the browser (Gap #1).
- Assumed, as nobody answered: no old browsers (Gap #2).
- Checked by “Reload”.

## Decision Log

| Decision | Context | Consequences |
|---|---|---|
| Keep it in the browser | Gap #1 (“Where?”) | - |
| Set it before the first paint | Finding #1: styles wait | - |
| Start at \`src/theme.ts:12\` | Finding #1 | - |

## Assumptions

| Assumption | If Wrong |
|---|---|
| No old browsers ([Gap #2]) | say so |

## Goals / Non-goals

**Non-goals**

- The same theme on all devices (message 3).

## Success Criteria

### Requirement: Kept

It SHALL be kept for \`Map<string>\`, asks @bob (message 3).

## Evidence

### Gap 1

Where?

- “In the browser” — @ann, 2026-11-20, [message 2](https://e.org/7#m2)

[\`src/theme.ts:12-20\`]: https://e.org/blob/c1/src/theme.ts#L12-L20
[Gap #1]: #gap-1
[Gap #2]: #gap-2
[message 3]: https://e.org/7#m3
`;

const whoSaid: WhoSaid = (cited) =>
  cited.kind === "gap" && cited.id === "1" ? { login: "ann", seq: 2, isFact: false, url: "https://e.org/7#m2" } : null;

const comment = (over: Parameters<typeof facts>[0] = {}, spec: Parameters<typeof aSpec>[0] = {}) =>
  planComment(facts({ whoSaid, spec: aSpec({ text: TEXT, ...spec }), ...over }));
const fold = (text: string) => text.slice(text.indexOf("<details>"), text.lastIndexOf("</details>"));

describe("the first screen of a plan (R-SPEC-20)", () => {
  test("says what changes, who decided what, what is assumed and what stays out, each once", () => {
    expect(comment().slice(0, comment().indexOf("**Steps"))).toBe(`**What changes:**

- The theme that a person picks is kept.
- No flash of the wrong theme.

**Decided:**

- Keep it in the browser — ann, [message 2](https://e.org/7#m2)
- Set it before the first paint — from the code

**Assumed, as nobody said otherwise:** No old browsers

**Not part of this:** The same theme on all devices.

`);
  });

  test.each([
    ["To fix: Percent of zero crashes.", "Totals are kept as they are.", "0"],
    ["Zu beheben: Percent of zero crashes", "Totals are kept as they are.", "`None`."],
  ])("leaves out what only repeats the title or is no sentence: %s", (first, second, third) => {
    const text = `# Spec: Percent of zero crashes\n\n## TL;DR\n\n- ${first}\n- ${second}\n- ${third}\n`;
    expect(comment({}, { text })).toMatch(/^\*\*What changes:\*\* Totals are kept as they are\.\n\n\*\*Steps/);
  });

  test("keeps a title that comes with its place", () => {
    const text = "# Spec: It crashes\n\n## TL;DR\n\n- Fix `f` (`a.py:1`): It crashes.\n";
    expect(comment({}, { text })).toMatch(/^\*\*What changes:\*\* Fix `f` \(.*: It crashes\.\n/);
  });

  test("names each file once, at the first step that changes it, and no step that only reads or checks", () => {
    const plan = aPlan({
      plan_steps: [
        { order: 1, description: "Read the spec, then `a.ts`", command: null, files_involved: ["a.ts", "b.ts"] },
        { order: 2, description: "Fix `a.ts:3-9`. Done when: it works.", command: null, files_involved: ["a.ts"] },
        { order: 3, description: "Adapt its callers", command: null, files_involved: ["a.ts", "b.ts", "c.ts"] },
        {
          order: 4,
          description: "Run `npm run lint` and fix any failures",
          command: "npm run lint",
          files_involved: [],
        },
      ],
      file_changes: [
        aFile("a.ts", { line_range: [3, 9], change_summary: "Fix `a.ts:3-9`" }),
        aFile("b.ts", { change_summary: "Adapt its callers" }),
        aFile("c.ts", { operation: "CREATE", change_summary: "New helper" }),
      ],
    });
    const text = comment({ plan });
    expect(text.slice(text.indexOf("**Steps"), text.indexOf("**What will be run"))).toBe(`**Steps:**

1. Fix [\`a.ts:3-9\`](https://git.example/o/r/blob/c1/a.ts#L3). Done when: it works.
2. Adapt its callers
   - [\`b.ts\`](https://git.example/o/r/blob/c1/b.ts#L0)
   - \`c.ts\` (create): New helper

`);
  });
});

describe("the spec in the thread (R-SPEC-18)", () => {
  test("is folded, from its first section on, with links at its citations", () => {
    const text = fold(comment());
    expect(text).toContain("<summary>The spec, version 1</summary>\n\n#### TL;DR\n");
    expect(text).toContain("[`src/theme.ts:12-20`]: https://e.org/blob/c1/src/theme.ts#L12-L20");
    expect(text).toContain("[Gap 2]: https://git.example/o/r/spec.md#gap-2");
    expect(text).toContain("- “In the browser” — ann, 2026-11-20, [message 2](https://e.org/7#m2)");
    expect(text).toContain("It SHALL be kept for `Map<string>`, asks bob ([message 3]).");
    // `#1` would be a link to another issue.
    expect(text).not.toMatch(/(?:Gap|Finding) #\d/);
  });

  test("has no links into a document that has no address", () => {
    expect(fold(comment({}, { url: null }))).toContain("(Gap 2)");
  });

  test("that is too long shows what approvers read, and how much is missing", () => {
    const long = TEXT.replace("## Evidence", `## Design\n\n${"a long sentence ".repeat(5_000)}\n\n## Evidence`);
    const text = comment({}, { text: long });
    expect(text.length).toBeLessThan(65_000);
    expect(parseSpec(fold(text).replaceAll("##### ", "### ").replaceAll("#### ", "## ")).requirements).toHaveLength(1);
    expect(text).toContain("[… and 2 more sections of the spec, not shown here](https://git.example/o/r/spec.md)");
  });

  test("that was revised shows what changed, apart", () => {
    const text = comment(
      {},
      { version: 3, changes: { text: "@@ scenario: Reload @@\n- THEN light\n+ THEN dark", since: 2 } },
    );
    expect(text).toContain(
      "<summary>What the revised spec changes since version 2</summary>\n\n```diff\n@@ scenario: Reload @@\n- THEN light\n+ THEN dark\n```\n\n</details>",
    );
    expect(text.indexOf("since version 2")).toBeLessThan(text.indexOf("The spec, version 3"));
  });
});

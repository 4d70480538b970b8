import { describe, expect, test } from "vitest";
import { gap, message, specInput } from "../../../test/support/spec-input.ts";
import { reasonsIn } from "./reasons.ts";
import { isSameButDate } from "./changelog.ts";
import { reconcile } from "./reconcile.ts";

const OLD = `# Spec: Export keeps its rows

**Status:** Approved
**Last updated:** 2026-11-20T00:00:00Z
**Complexity:** L1 (a choice in it)

## TL;DR

- The export writes at most 100 rows.
- Large numbers keep their digits.
- The import stays as it is.

## Decision Log

| Decision | Context | Consequences |
|---|---|---|
| Rows are cut at 100 | Gap #1: a limit is fine | Longer ones are paged |
| CSV only | message 2 | - |

## Success Criteria

### Requirement: Limit of rows

The export SHALL write at most 100 rows.

#### Scenario: Too many rows

- **GIVEN** 101 rows
- **WHEN** they are exported
- **THEN** 100 rows are written

### Requirement: Digits stay

The export SHALL write numbers with all of their digits.

#### Scenario: A long number

- **GIVEN** the number 12345678901234567890
- **WHEN** it is exported
- **THEN** all 20 digits are written

## Implementation Plan

| # | Task | Touch Points | Done When | Blocked By |
|---|---|---|---|---|
| 1 | Cut rows | \`src/export.ts\` | too many rows passes | - |
| 2 | Print digits | \`src/digits.ts\` | a long number passes | 1 |

## Changelog

- 2026-11-19: CSV only, asked by @ann (message 2)
`;

/** A revision of `OLD` after message 3, which alone is new. */
function revise(
  fresh: string,
  said = "Please make the limit 50 rows.",
  changes: { part: string; because: string }[] = [],
) {
  const messages = [
    message({ seq: 2, author: "ann", content: "CSV only." }),
    message({ seq: 3, author: "bob", content: said }),
  ];
  const ref = { version: 1, backend: "local", path: "x/spec.md", sha256: "a".repeat(64), format: "markdown" } as const;
  const existing = { content: OLD, ref: { ...ref, updated_at: "2026-11-20T11:30:00Z" } };
  const closedGaps = [gap({ number: 1, closedAt: new Date("2026-11-20T10:00:00Z"), closedNote: "a limit is fine" })];
  const input = { ...specInput({ title: "Export", body: "Rows.", messages, existing, closedGaps }), unread: [3] };
  return reconcile(OLD, fresh, reasonsIn(input, changes));
}

const named = ({ unasked }: ReturnType<typeof revise>) => unasked.map(({ what, name }) => `${what}: ${name}`);

describe("a revision leaves as it was, byte for byte,", () => {
  test("what says the same with other spacing, links, quotes and emphasis", () => {
    const noisy = OLD.replace("CSV only | message 2 | -", " CSV only. |  message 2 |  ")
      .replace("- Large numbers keep their digits.", "* Large  numbers keep **their** digits")
      .replace("`src/digits.ts`", "[`src/digits.ts`](https://example.com/blob/src/digits.ts)");
    expect(revise(noisy)).toEqual({ markdown: OLD, unasked: [] });
  });

  test("the reason for a level that stays", () => {
    expect(revise(OLD.replace("a choice in it", "one choice"))).toEqual({ markdown: OLD, unasked: [] });
  });

  test("the order of its parts", () => {
    const [top = "", limit = "", digits = "", plan = ""] = OLD.split(/(?=### Requirement)|(?=## Implementation)/);
    expect(revise(`${top}${digits}${limit}${plan}`)).toEqual({ markdown: OLD, unasked: [] });
    const [head = "", ...sections] = OLD.split(/(?=^## )/m);
    const shuffled = sections.toReversed().map((section) => `${section.trimEnd()}\n`);
    expect(revise([head.trimEnd(), ...shuffled].join("\n\n"))).toEqual({ markdown: OLD, unasked: [] });
  });

  test("what was reworded without a reason", () => {
    const reworded = OLD.replace("The import stays as it is.", "Nothing changes for imports.")
      .replace("The export SHALL write numbers with all of their digits.", "Every digit of a number SHALL be exported.")
      .replace("all 20 digits are written", "not one digit is missing")
      .replace("Print digits", "Write each digit");
    const result = revise(reworded);
    expect(result.markdown).toBe(OLD);
    expect(named(result)).toContain("changed: Digits stay");
    expect(named(result)).toContain("changed: A long number");
  });

  test("what was dropped without a reason", () => {
    const dropped = OLD.replace(/### Requirement: Digits stay[^]*?(?=## Implementation)/, "").replace(
      /\| 2 \|.*\n/,
      "",
    );
    const result = revise(dropped);
    expect(result.markdown).toBe(OLD);
    expect(named(result)).toEqual(["removed: Digits stay", "removed: A long number", "removed: Print digits"]);
  });

  test("sections that were dropped, and entries of the Changelog", () => {
    const [top = ""] = OLD.split("## Changelog");
    expect(revise(top.replace(/## Decision Log[^]*?(?=## Success)/, "")).markdown).toBe(OLD);
    expect(revise(OLD.replace("CSV only, asked by @ann", "as ann wanted")).markdown).toBe(OLD);
  });

  test("a spec to which things are added that nobody asked for", () => {
    const padded = OLD.replace(
      "## Implementation Plan",
      "## Observability\n\n- A metric counts failures.\n\n## Implementation Plan",
    );
    const result = revise(padded);
    expect(result.markdown).toBe(OLD);
    expect(named(result)).toEqual(["added: Observability"]);
  });
});

describe("a revision changes", () => {
  const asked = (text: string) =>
    text
      .replace("at most 100 rows.\n\n####", "at most 50 rows.\n\n####")
      .replace("**GIVEN** 101 rows", "**GIVEN** 51 rows")
      .replace("100 rows are written", "50 rows are written");

  test("what the new words ask for, and nothing around it", () => {
    const reworded = asked(OLD).replace("The import stays as it is.", "Imports are not touched.");
    expect(revise(reworded).markdown).toBe(asked(OLD));
  });

  test("what cites the new message", () => {
    const cited = OLD.replace("| CSV only | message 2 | - |", "| CSV only | message 3: JSON later | - |");
    expect(revise(cited).markdown).toBe(cited);
  });

  test("what its writer names with the new message; not with an old one", () => {
    const changed = OLD.replace("Large numbers keep their digits.", "Nothing is lost.");
    expect(revise(changed, "Hm.", [{ part: "Large numbers keep", because: "message 3" }]).markdown).toBe(changed);
    expect(revise(changed, "Hm.", [{ part: "Large numbers keep", because: "message 2" }]).markdown).toBe(OLD);
    const anew = OLD.replaceAll("rows", "lines").replace("Digits stay", "All digits");
    expect(revise(anew, "Hm.", [{ part: "everything", because: "message 3" }]).markdown).toBe(anew);
  });

  test("by leaving out what people want out, with its scenarios", () => {
    const without = OLD.replace(/### Requirement: Digits stay[^]*?(?=## Implementation)/, "");
    expect(revise(without, "Drop the digits, please.").markdown).toBe(without);
  });
});

describe("new parts", () => {
  test("come after what they follow, and never between a requirement and its scenarios", () => {
    const fresh = OLD.replace(
      /#### Scenario: Too many rows[^]*?(?=### Requirement: Digits)/,
      "### Requirement: Limit can be set\n\nThe limit of 50 rows SHALL be a setting.\n\n",
    );
    const { markdown } = revise(fresh, "Make the limit of 50 rows a setting.");
    const order = [...markdown.matchAll(/^#{3,4} .*$/gm)].map(([heading]) => heading.replace(/^#+ \w+: /, ""));
    expect(order).toEqual(["Limit of rows", "Too many rows", "Limit can be set", "Digits stay", "A long number"]);
  });

  test("get numbers of their own, and those that are cited stay", () => {
    const fresh = OLD.replace(
      /\| 1 \|[^]*?\n\n/,
      "| 1 | Read the limit of 50 rows | `src/limit.ts` | it is read | - |\n| 2 | Cut rows | `src/export.ts` | too many rows passes | - |\n| 3 | Print digits | `src/digits.ts` | a long number passes | 2 |\n\n",
    );
    const rows = revise(fresh, "Make the limit of rows a setting: cut at 50.").markdown.match(/^\| \d .*$/gm);
    expect(rows).toEqual([
      "| 3 | Read the limit of 50 rows | `src/limit.ts` | it is read | - |",
      "| 1 | Cut rows | `src/export.ts` | too many rows passes | - |",
      "| 2 | Print digits | `src/digits.ts` | a long number passes | 1 |",
    ]);
  });

  test("a new entry of the Changelog comes last", () => {
    const { markdown } = revise(`${OLD}- 2026-11-21: 50 rows\n`);
    expect(markdown).toBe(`${OLD}- 2026-11-21: 50 rows\n`);
  });
});

test("a verdict in the head makes no new version, a field of that name further down does (R-SPEC-4)", () => {
  expect(isSameButDate(OLD, OLD.replace("Approved", "Proposed (its issue tells the verdict)"))).toBe(true);
  const answered = (code: string) => OLD.replace("## TL;DR\n", `## TL;DR\n\nStatus: ${code}\n`);
  expect(isSameButDate(answered("404"), answered("410"))).toBe(false);
});

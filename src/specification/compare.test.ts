import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareSpecs, renderChanges } from "./compare.ts";

const L2 = readFileSync(new URL("../../test/fixtures/specs/L2.md", import.meta.url), "utf8");

function changed(from: string, to: string): string {
  expect(L2).toContain(from);
  return L2.replace(from, to);
}

const told = (after: string) => compareSpecs(L2, after).map(({ part, kind, name }) => `${part} ${kind}: ${name}`);

test("a spec does not differ from itself, whatever ends its lines", () => {
  expect(compareSpecs(L2, L2)).toEqual([]);
  expect(compareSpecs(L2, L2.replaceAll("\n", "\r\n"))).toEqual([]);
  expect(renderChanges([])).toBe("No differences.\n");
});

test("each part is compared for itself", () => {
  expect(told(changed("**Status:** Ready", "**Status:** Done"))).toEqual(["header changed: status"]);
  expect(told(changed("within 10 seconds", "within 5 seconds"))).toEqual(["requirement changed: Delivery"]);
  expect(told(changed("answers 503", "answers 500"))).toEqual(["scenario changed: Retry / The receiver comes back"]);
  expect(told(changed("Shard the job table", "Split the job table"))).toHaveLength(1);
  expect(told(changed("A sixth is refused with 422", "More are refused"))).toEqual([
    "decision changed: Five URLs per project",
  ]);
  expect(told(changed("`src/builds/finish.ts`", "`src/builds/end.ts`"))).toEqual([
    "task changed: Insert deliveries where a build ends",
  ]);
  expect(told(changed("Pauses double", "Pauses triple"))).toEqual(["section changed: Design"]);
});

test("parts that came, went or got another name are told apart", () => {
  expect(told(changed("### Requirement: Signature", "### Requirement: Proof of origin"))).toEqual([
    "requirement renamed: Proof of origin",
    "scenario renamed: Proof of origin / The secret is rotated",
  ]);
  expect(told(changed("## Test Plan", "## Notes"))).toEqual(["section renamed: Notes"]);
  const row = "| Five URLs per project | Gap #1: nobody asked for more than three | A sixth is refused with 422 |\n";
  expect(told(changed(row, ""))).toEqual(["decision removed: Five URLs per project"]);
  expect(told(changed(row, `${row}| Sorted by age | Gap #9 | none |\n`))).toEqual(["decision added: Sorted by age"]);
});

test("parts of one name are matched each with one other", () => {
  const twice = "# Spec: a\n\n## Decision Log\n\n| Decision | Context |\n|-|-|\n| a | Gap 1 |\n| a | Gap 2 |\n";
  expect(compareSpecs(twice, twice)).toEqual([]);
  expect(compareSpecs(twice, twice.replace("| a | Gap 1 |\n", ""))).toMatchObject([
    { kind: "removed", name: "a", before: "Gap 1" },
  ]);
});

test("the changed lines stand below a change", () => {
  const after = changed("Pauses double from 10 seconds to 4 hours.", "Pauses are equal.");
  expect(renderChanges(compareSpecs(L2, after))).toBe(
    [
      "section changed: Design",
      "  - Pauses double from 10 seconds to 4 hours. The unique key makes a second end of the same build harmless. A worker that",
      "  + Pauses are equal. The unique key makes a second end of the same build harmless. A worker that",
      "",
    ].join("\n"),
  );
  const renamed = changed("### Requirement: Retry", "### Requirement: Again");
  expect(renderChanges(compareSpecs(L2, renamed))).toContain("requirement renamed: Retry → Again\n");
});

const notes = (word: string) =>
  `## Notes\n\n${Array.from({ length: 6_000 }, (_, index) => `${word}${index}\n`).join("")}`;

test("texts that have nothing in common are shown whole", () => {
  const rendered = renderChanges(compareSpecs(notes("a"), notes("b")));
  expect(rendered).toMatch(/^section changed: Notes\n {2}- a0\n/);
  expect(rendered.match(/^ {2}[+-] /gm)).toHaveLength(12_000);
});

const count = (kind: string, a: string, b: string) =>
  compareSpecs(a, b).filter((change) => change.kind === kind).length;

test("what one comparison adds, the opposite one removes", () => {
  const lines = L2.split("\n");
  fc.assert(
    fc.property(fc.array(fc.nat({ max: lines.length - 1 }), { maxLength: 20, size: "max" }), (gone) => {
      const other = lines.filter((_, index) => !gone.includes(index)).join("\n");
      expect(count("added", L2, other)).toBe(count("removed", other, L2));
      expect(count("renamed", L2, other)).toBe(count("renamed", other, L2));
    }),
    { numRuns: 50 },
  );
});

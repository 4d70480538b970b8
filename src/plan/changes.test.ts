import { array, assert, constantFrom, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { WRITTEN_LANGUAGES } from "../i18n/phrases.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import type { FixPlan, TriageResult } from "../domain/plan.ts";
import { planChanges } from "./changes.ts";
import { HOSTILE, aFile, aPlan, aTriage } from "../../test/cases/plan-comments.ts";
import { triesOf } from "../../test/support/tries.ts";

function version(number: number, plan: Partial<FixPlan> = {}, triage: Partial<TriageResult> = {}) {
  return { version: number, sha256: `${number}`.repeat(64), plan: aPlan(plan), triage: aTriage(triage) };
}

function told(plan: Partial<FixPlan>, triage: Partial<TriageResult> = {}): string {
  return planChanges(version(1), version(2, plan, triage), { language: "en", url: null });
}

const step = (order: number, description: string) => ({ order, description, command: null, files_involved: [] });
const steps = aPlan().plan_steps;

describe("what is said of a plan that was made anew", () => {
  test("says that nothing changed where people would agree to the same", () => {
    const later = { ...version(1, { timestamp: "2026-01-01T00:00:00Z" }), version: 2 };
    const again = planChanges(version(1), later, { language: "en", url: null });
    expect(again).toMatch(/^This is plan 2\. Nothing in it changed since plan 1\.\n\nIt needs a new approval/);
  });

  test("names the new version, and says that it needs a yes of its own", () => {
    const lines = told({ estimated_duration: 15 }).split("\n");
    expect(lines[0]).toBe("I’ve revised the plan; this is plan 2:");
    expect(lines).toContain("- Time: 15 min (was 2)");
    expect(lines.at(-1)).toBe(
      "It needs a new approval: an earlier one doesn’t carry over. **To approve**: reply “yes”. If you want something changed, tell me and I’ll make a new plan.",
    );
  });

  test("names files that came, went, or are changed in another way", () => {
    const file_changes = [
      aFile("README.md", { change_summary: "Rewrite it." }),
      aFile("docs/a.md"),
      aFile("docs/b.md"),
    ];
    expect(told({ file_changes })).toContain("- Files added: `docs/a.md`, `docs/b.md`");
    expect(told({ file_changes })).toContain("- Different changes in: `README.md`");
    expect(told({ file_changes: [aFile("src/x.ts")] })).toContain("- Files dropped: `README.md`");
  });

  test("counts the files that it does not name", () => {
    const file_changes = Array.from({ length: 50_000 }, (_, index) => aFile(`src/${index}.ts`));
    expect(told({ file_changes })).toContain("- Files added: `src/0.ts`, `src/1.ts`, `src/2.ts`, … +49997");
  });

  test("names steps that came, went, or run another command, and tells of another order", () => {
    expect(told({ plan_steps: [...steps, step(4, "Tell the users.")] })).toContain("- New steps: Tell the users\n");
    const [first, ...others] = steps;
    expect(told({ plan_steps: others })).toContain(`- Steps dropped: ${first?.description.replace(/\.$/, "")}`);
    const other = steps.map((one) => ({ ...one, command: "make" }));
    expect(told({ plan_steps: other })).toContain("- Changed steps: ");
    expect(told({ plan_steps: steps.toReversed() })).toContain("- The steps are in a different order\n");
  });

  test("links to the plan's comment where it has an address", () => {
    const url = "https://github.com/o/r/issues/7#issuecomment-9";
    const words = planChanges(version(1), version(2, { estimated_duration: 15 }), { language: "en", url });
    expect(words?.split("\n")[0]).toBe(`I’ve revised the plan; this is plan [2](${url}):`);
  });

  test("tells of risk, security, checks and branch", () => {
    const all = told(
      { branch_name: "fix/42-other", validation_commands: [] },
      { risk: "HIGH", security_flags: ["touches secrets"] },
    );
    expect(all).toContain("- Risk: high (was low) · Security now: touches secrets");
    expect(all).toContain("- Checks now: none");
    expect(all).toContain("- Branch now: `fix/42-other`");
  });

  test("says so where only the spec or the reasons behind the plan changed", () => {
    expect(told({})).toContain("- The steps and files are the same; the spec or the reasons behind them changed");
  });

  test("is at most ten lines that stay text, in every language, whatever changed", () => {
    const text = constantFrom(...HOSTILE);
    const texts = array(text, { minLength: 1, maxLength: 5 });
    const plans = record({
      plan_steps: texts.map((all) => all.map((each, index) => step(index + 1, each))),
      file_changes: texts.map((all) =>
        all.map((each, index) => aFile(`${index % 2}${each}`, { change_summary: each })),
      ),
      validation_commands: texts,
      estimated_duration: constantFrom(2, 5),
      branch_name: constantFrom("fix/1-a", "fix/1-b"),
    });
    const triages = record({ risk: constantFrom("LOW", "HIGH"), security_flags: texts });
    assert(
      property(
        plans,
        triages,
        plans,
        triages,
        constantFrom(...WRITTEN_LANGUAGES),
        (one, risk, other, risks, language) => {
          const words = planChanges(version(1, one, risk), version(2, other, risks), { language, url: null }) ?? "";
          expect(words.split("\n").length).toBeLessThanOrEqual(10);
          expect(safeComment(words, { participants: [], bot: "relay", origins: "later" })).toEqual({
            text: words,
            changes: [],
          });
          expect(words).not.toMatch(/^\s*\/[a-z]/im);
        },
      ),
      { numRuns: triesOf(100) },
    );
  });
});

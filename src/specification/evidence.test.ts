import { describe, expect, test } from "vitest";
import { gap, finding, message } from "../../test/support/spec-input.ts";
import { withoutEvidence } from "../domain/spec-document/evidence-section.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";
import { compareSpecs } from "./compare.ts";
import { type Sources, withEvidence } from "./evidence.ts";
import type { Grounding } from "./validate/grounding.ts";
import { validateSpec } from "./validate/validate.ts";

const hosted: Sources["addresses"] = {
  lines: (commit, { path, start, end }) => `https://e.org/${commit}/${path}#L${start}-L${end}`,
  message: (id) => `https://e.org/7#${id}`,
};

function sources(given: Partial<Sources> = {}): Sources {
  return {
    gaps: [
      gap({ number: 1, question: "Where is it kept?", closedNote: "In the browser.", answeredIn: "m1" }),
      gap({ number: 2, question: "Old browsers?", closedReason: "inferred", closedNote: "no support" }),
      gap({ number: 3, question: "Which colour?", status: "open", closedReason: null, closedNote: null }),
    ],
    findings: [
      finding(1, { synthesis: "The theme is read here.", sources: [{ location: "src/theme.ts:12-20", snippet: "" }] }),
    ],
    removed: [],
    messages: [message({ seq: 1, author: "bob" }), message({ seq: 2, author: "mia" })],
    language: "en",
    commit: "c1",
    addresses: hosted,
    ...given,
  };
}

const none: Sources["addresses"] = { lines: () => null, message: () => null };
const SPEC = "# Spec: T\n\n## Problem\n\nIt fails in `src/theme.ts:14` (Finding #1, Gap #1); message 2 agrees.\n";

describe("the Evidence of a spec (R-SPEC-17)", () => {
  test("says who agreed to what is assumed", () => {
    const assumed = { closedReason: "inferred", closedNote: "no support" } as const;
    const gaps = [gap({ number: 1, ...assumed }), gap({ number: 2, ...assumed, answeredIn: "m1" })];
    const text = withEvidence("## Problem\n\nGap 1, Gap 2.\n", sources({ gaps }), null);
    expect(text).toContain("- Assumed, as nobody answered: no support.\n");
    expect(text).toContain("- Assumed, and agreed to: no support. — @bob, 2026-11-20, [message 1]");
  });

  test("holds what is cited by a number, with links, behind everything else", () => {
    expect(withEvidence(SPEC, sources(), null)).toBe(`# Spec: T

## Problem

It fails in [\`src/theme.ts:14\`] ([Finding #1], [Gap #1]); [message 2] agrees.

## Evidence

### Finding 1

The theme is read here.

- [\`src/theme.ts:12-20\`](https://e.org/c1/src/theme.ts#L12-L20)

### Gap 1

Where is it kept?

- “In the browser” — @bob, 2026-11-20, [message 1](https://e.org/7#m1)

### Messages

- [message 2](https://e.org/7#m2): @mia, 2026-11-20

[\`src/theme.ts:14\`]: https://e.org/c1/src/theme.ts#L14-L14
[Finding #1]: #finding-1
[Gap #1]: #gap-1
[message 2]: https://e.org/7#m2
`);
  });

  test("has no links where the code and the thread have no addresses", () => {
    const text = withEvidence(SPEC, sources({ addresses: none }), null);
    expect(text).toContain("(Finding #1, Gap #1); message 2 agrees.");
    expect(text).toContain("- `src/theme.ts:12-20`\n");
    expect(text).not.toMatch(/\]\(|\]:/);
  });

  test("tells an assumption, and a question without an answer, as such", () => {
    const text = withEvidence("## Problem\n\nGaps 2, 3.\n", sources(), null);
    expect(text).toContain("### Gap 2\n\nOld browsers?\n\n- Assumed, as nobody answered: no support.");
    expect(text).toContain("### Gap 3\n\nWhich colour?\n\n- Not answered yet.");
  });

  test("replaces what a model submitted under that name, wherever it stands", () => {
    const submitted = SPEC.replace("## Problem", "## Evidence\n\n### Finding 99\n\nTrust me.\n\n## Problem");
    expect(withEvidence(submitted, sources(), null)).toBe(withEvidence(SPEC, sources(), null));
  });

  test("is made anew to the letter, and taken away without a trace", () => {
    const text = withEvidence(SPEC, sources(), null);
    expect(withEvidence(text, sources(), text)).toBe(text);
    expect(withoutEvidence(text)).toBe(SPEC);
    expect(withoutEvidence(SPEC)).toBe(SPEC);
  });

  test("leaves what people wrote as data", () => {
    const said = "See Finding #99, `src/x.ts:1` and <b>\n## Problem\nghp_" + "a1B2c3D4e5".repeat(4).slice(0, 36);
    const gaps = [gap({ number: 1, question: said, closedNote: said, answeredIn: "m1" })];
    const text = withEvidence("## Problem\n\nGap 1.\n", sources({ gaps }), null);
    const { sections, citations } = parseSpec(text);
    expect(sections.map(({ heading }) => heading)).toEqual(["Problem", "Evidence"]);
    expect(citations).toEqual([{ kind: "gap", id: "1", line: 3 }]);
    expect(text).not.toMatch(/<b>|a1B2c3D4e5/);
  });

  test("of a spec that cites much stays short, and names all of it", async () => {
    const gaps = Array.from({ length: 400 }, (_, at) => gap({ number: at + 1, closedNote: "long words ".repeat(200) }));
    const text = withEvidence(
      `## Problem\n\n${gaps.map(({ number }) => `Gap ${number}`).join("; ")}\n`,
      sources({ gaps }),
      null,
    );
    expect(text.length).toBeLessThan(80_000);
    expect((await validateSpec(text)).errors.filter(({ rule }) => rule === "citations_exist")).toEqual([]);
  });
});

describe("a revision", () => {
  const before = withEvidence("## Problem\n\nSee `src/a.ts:1`.\n\nSee `src/b.ts:2`.\n", sources(), null);

  test("keeps the addresses of places that it does not touch", () => {
    const revised = "## Problem\n\nSee `src/a.ts:1`.\n\nLook at `src/b.ts:2`.\n";
    const text = withEvidence(revised, sources({ commit: "c2" }), before);
    expect(text).toContain("[`src/a.ts:1`]: https://e.org/c1/src/a.ts");
    expect(text).toContain("[`src/b.ts:2`]: https://e.org/c2/src/b.ts");
  });

  test("is compared without links and evidence", () => {
    const revised = SPEC.replace("It fails", "It breaks");
    const one = compareSpecs(SPEC, revised);
    expect(one).toHaveLength(1);
    expect(
      compareSpecs(withEvidence(SPEC, sources(), null), withEvidence(revised, sources({ addresses: none }), null)),
    ).toEqual(one);
    expect(compareSpecs(SPEC, withEvidence(SPEC, sources(), null))).toEqual([]);
  });
});

test("a removed finding keeps its entry, which tells when it was removed and why, also to relay validate", async () => {
  const gone = {
    ...finding(1, {
      synthesis: "The ~~theme~~ is read here.",
      sources: [{ location: "src/theme.ts:12-20", snippet: "" }],
    }),
    removedAt: new Date("2026-11-22T10:00:00Z"),
    why: "replaced" as const,
  };
  const newer = finding(2, { synthesis: "It is read there.", sources: [] });
  const text = withEvidence(SPEC, sources({ findings: [newer], removed: [gone] }), null);
  expect(text).toContain(
    "### Finding 1\n\n~~The theme is read here.~~ Removed on 2026-11-22: a later look at the code led elsewhere.\n\n- [`src/theme.ts:12-20`]",
  );
  const detail =
    "finding 1 no longer stands (Removed on 2026-11-22: a later look at the code led elsewhere); cite what shows it now, or drop it";
  const held = async (markdown: string, grounding: Grounding = {}) =>
    [...(await validateSpec(markdown, { grounding })).errors, ...(await validateSpec(markdown, { grounding })).warnings]
      .filter(({ rule }) => rule === "findings_hold" || rule === "citations_exist")
      .map(({ rule, line, detail: told }) => [rule, line, told]);
  expect(await held(text)).toEqual([["findings_hold", 5, detail]]);
  const removed = "Removed on 2026-11-22: a later look at the code led elsewhere.";
  expect(await held(SPEC, { findings: [{ number: 1, id: "201", removed }] })).toEqual([["findings_hold", 5, detail]]);
  expect(await held(SPEC, { findings: [{ number: 2, id: "201", removed: null }] })).toMatchObject([
    ["citations_exist", 5, "finding 1 does not exist; cite one that does, or drop it"],
  ]);
  const german = withEvidence(SPEC, sources({ findings: [], removed: [gone], language: "de" }), null);
  expect(await held(german)).toMatchObject([["findings_hold", 5, expect.stringContaining("Entfernt am 2026-11-22")]]);
});

describe("numbers outside of Relay", () => {
  const errors = async (text: string) =>
    (await validateSpec(text)).errors
      .filter(({ rule }) => rule === "citations_exist")
      .map(({ line, detail }) => [line, detail]);

  test("that the Evidence lacks are refused, at their line", async () => {
    const text = withEvidence(SPEC, sources(), null).replace("agrees.", "agrees, Finding #99 and Gap #77 too.");
    expect(await errors(text)).toEqual([
      [5, "finding 99 is not in the Evidence; cite one that is, or drop it"],
      [5, "gap 77 is not in the Evidence; cite one that is, or drop it"],
    ]);
  });

  test("are refused as well where nothing was cited before", async () => {
    const text = withEvidence("## Problem\n\nIt fails.\n", sources(), null);
    expect(text).toContain("## Evidence\n\nNothing is cited by its number.");
    expect(await errors(text.replace("fails.", "fails (Finding #1)."))).toHaveLength(1);
  });

  test("are not checked in a text without Evidence, as earlier versions of Relay wrote it", async () => {
    expect(await errors(SPEC)).toEqual([]);
  });
});

import { type Lack, RISKS } from "../domain/plan.ts";
import { array, assert, boolean, constantFrom, integer, option, property, record, string, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { MODES } from "../domain/issue.ts";
import { markdownParser, piecesOf } from "../lib/markdown.ts";
import { spokenText } from "../lib/markdown-offsets.ts";
import { carriesMarker } from "../domain/marker.ts";
import { WRITTEN_LANGUAGES } from "../i18n/phrases.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import { replyVerdict } from "../approval/read-reply.ts";
import { HOSTILE, aFile, aPlan, aSpec, aTriage, facts, specOf } from "../../test/cases/plan-comments.ts";
import { planComment } from "./comment.ts";
import { triesOf } from "../../test/support/tries.ts";

const nobody = { participants: [], bot: "relay", origins: "later" } as const;

/** Whether each fold holds all that is between its tags, and the last line stands outside, as a browser sees it. */
function areFoldsWhole(comment: string): boolean {
  const tags = markdownParser
    .parse(comment, {})
    .filter(({ type }) => type === "html_block")
    .map(({ content, level }) => `${level} ${content.trim().split("\n")[0] ?? ""}`);
  const pieces = piecesOf(comment);
  const last = pieces.findLast(({ text }) => text.includes(" · "));
  return (
    tags.every((tag, at) => tag === (at % 2 === 0 ? "0 <details>" : "0 </details>")) &&
    tags.length % 2 === 0 &&
    last?.kind === "text"
  );
}

/** What a reader sees at first. */
function unfolded(comment: string): string {
  return comment.replaceAll(/^<details>$[^]*?^<\/details>$/gm, "");
}

/** Where GitLab looks for no commands. */
const CODE_TO_GITLAB = /^```.+?\n```$/gms;

/** What must hold for no comment, whatever the plan says. */
function harmIn(comment: string): string[] {
  const safe = safeComment(comment, nobody);
  const found = {
    "is too long": comment.length > 64_500,
    "is long outside of its folds": unfolded(comment).length > 25_000,
    "would not be posted as it is": safe.text !== comment || safe.changes.length > 0,
    "mentions somebody": /(?<![A-Za-z0-9])@[A-Za-z0-9_]/.test(spokenText(comment).replaceAll(/https?:\S+/g, "")),
    "gives a command": /^\s*\/[a-z_]{2,40}(?=\s|$)/im.test(comment.replaceAll(CODE_TO_GITLAB, "")),
    "leaves its folds": !areFoldsWhole(comment),
    "hides something": comment.includes("<!--") || carriesMarker(comment),
    "has half a character": !comment.isWellFormed(),
  };
  return Object.entries(found).flatMap(([harm, isSo]) => (isSo ? [harm] : []));
}

test("of a confidential issue in a repository that more people can read, the comment says in each language what they will see (R-SAFE-11)", () => {
  for (const language of WRITTEN_LANGUAGES) {
    const comment = planComment(facts({ neutral: true, language, plan: aPlan({ branch_name: "docs/42-issue" }) }));
    expect(comment).toContain("`Fix #42`");
    expect(comment.split("`docs/42-issue`")).toHaveLength(3);
    expect(harmIn(comment)).toEqual([]);
    expect(replyVerdict(comment)).not.toBe("affirmative");
  }
});

describe("a plan of one file", () => {
  test("says what its work lacks, and who can mend it, before anybody says yes (R-WORK-16)", () => {
    const worker = { agent: "claude", model: null, usd: null, hosts: [], sandbox: null };
    const lacks: Lack[] = [
      { what: "key", name: "claude" },
      { what: "setup", name: "npm ci" },
    ];
    const comment = planComment(facts({ runs: { setup: [], tests: [], worker, lacks } }));
    expect(comment).toContain("the coding agent `claude` (no bound on its cost, without a sandbox)");
    expect(comment).toContain(
      "**Not ready yet:** The set-up command `npm ci` fails on the default branch. Relay’s operator can fix it where this repository’s commands run; or `conventions.setup_commands` of `.relay.yml` can name other commands. The coding agent `claude` has no key for its model. Relay’s operator can fix this (`relay doctor` says how); until then, the work may fail.",
    );
    expect(planComment(facts())).not.toContain("Not ready");
  });

  test("fits on a screen, and names the file once, at its step and with its lines", () => {
    const comment = planComment(facts({ madeByRules: true }));
    expect(comment.split("\n").length).toBeLessThanOrEqual(15);
    expect(comment).toContain(
      "1. Put 'the' in place of 'teh'. — [`README.md:15`](https://git.example/o/r/blob/c1/README.md#L15): Correct a word.",
    );
    expect(comment.match(/README/g)).toHaveLength(2);
  });

  test("shows what runs, the risk and why, the version of the spec, time, branch and version", () => {
    const worker = {
      agent: "claude",
      model: "anthropic/claude-sonnet-4-5",
      usd: 5,
      hosts: ["registry.npmjs.org"],
      sandbox: "bubblewrap",
    };
    const runs = { setup: ["npm ci"], tests: ["npm test"], worker, lacks: [] };
    const comment = planComment(facts({ runs }));
    for (const part of [
      "**What will be run:** set-up `npm ci`; the coding agent `claude` (`anthropic/claude-sonnet-4-5`, at most $5.00, in the sandbox `bubblewrap`, network: `registry.npmjs.org`); checks `npm run lint`; tests `npm test`",
      "**Risk:** low — Only a text changes.",
      "**Spec:** [version 1](https://git.example/o/r/spec.md) · `5be1c70`",
      "_Plan 2 · 3fa9c1d · `docs/42-fix-typo-readme` · about 2 min_",
    ]) {
      expect(comment).toContain(part);
    }
  });

  test("names only checks where a person carries it out", () => {
    expect(planComment(facts({ mode: "plan", runs: null }))).toContain("**Checks:** `npm run lint`");
  });

  test("says nothing of what is not there", () => {
    const comment = planComment(facts({ spec: null, plan: aPlan({ validation_commands: [] }) }));
    expect(comment).not.toMatch(/Spec|Checks|be run|Security|Assumed|Decided|Not part|must look|without a model/);
  });

  test.each([
    ["CREATE", "1. Put 'the' in place of 'teh'. — `README.md` (create): Correct a word."],
    [
      "DELETE",
      "1. Put 'the' in place of 'teh'. — [`README.md`](https://git.example/o/r/blob/c1/README.md#L0) (delete): Correct a word.",
    ],
  ] as const)("names a file to %s as that", (operation, line) => {
    const file_changes = [aFile("README.md", { operation, change_summary: "Correct a word." })];
    expect(planComment(facts({ plan: aPlan({ file_changes }) }))).toContain(line);
  });

  test("tells the rule behind the risk before the words of a model, without the rest of the triage", () => {
    const said = (reasoning: string) => planComment(facts({ triage: aTriage({ reasoning, risk: "MEDIUM" }) }));
    expect(said("BUG (label bug). Risk MEDIUM: src/a.d.ts is part of a public interface. Decision NO: x.")).toContain(
      "**Risk:** medium — src/a.d.ts is part of a public interface  \n",
    );
    expect(said("Risk MEDIUM: src/a.d.ts is part of a public interface. It only adds an option.")).toContain(
      "medium — src/a.d.ts is part of a public interface. It only adds an option.",
    );
  });
});

describe("how to confirm", () => {
  test.each(WRITTEN_LANGUAGES)("names in %s a word that is understood as a yes", (language) => {
    const line = planComment(facts({ language }))
      .split("\n")
      .find((each) => each.includes("👍"));
    const [, word = ""] = /[“„«「]\s?(.+?)\s?[”“»」]/u.exec(line ?? "") ?? [];
    expect(replyVerdict(word).verdict).toBe("affirmative");
  });

  test("is no yes itself when somebody sends it back", () => {
    for (const language of WRITTEN_LANGUAGES) {
      expect(replyVerdict(planComment(facts({ language }))).verdict).not.toBe("affirmative");
    }
  });

  test("offers the thumbs-up only where it counts", () => {
    expect(planComment(facts({ thumbsUp: true }))).toContain("👍");
    expect(planComment(facts({ thumbsUp: false }))).not.toContain("👍");
  });

  test("says whose answer counts: writers, in mode plan the reporter too, at high risk maintainers only", () => {
    const said = (mode: (typeof MODES)[number], risk: (typeof RISKS)[number]) =>
      planComment(facts({ mode, triage: aTriage({ risk }) }));
    expect(said("implement", "LOW")).toContain("Anyone with write access to this repository can approve it.");
    expect(said("implement", "LOW")).not.toContain("reported");
    expect(said("plan", "MEDIUM")).toContain("and so can the person who reported the issue");
    expect(said("implement", "HIGH")).toContain("only maintainers of this repository can approve it");
    expect(said("plan", "HIGH")).toContain("only maintainers of this repository can approve it");
    expect(said("plan", "HIGH")).not.toContain("reported");
  });

  test("says what follows: work, or a task for a person", () => {
    expect(planComment(facts({ mode: "implement" }))).toContain("Then I’ll start the work.");
    expect(planComment(facts({ mode: "plan" }))).toContain("for a person to pick up");
  });
});

describe("why a person must look", () => {
  const many = Array.from({ length: 7 }, (_, index) => aFile(`src/${index}.ts`));
  test.each([
    ["HIGH", 1, "SIMPLE", "Vor dem Merge muss ein Maintainer die ganze Änderung lesen."],
    ["MEDIUM", 7, "SIMPLE", "Ein Maintainer muss das Ergebnis freigeben."],
    ["LOW", 7, "COMPLEX", "viele Dateien sind betroffen (7)"],
    ["LOW", 1, "COMPLEX", "die Änderung ist komplex"],
    ["LOW", 1, "SIMPLE", "Some other reason"],
  ] as const)("at risk %s with %i files, %s, is told in the people's language", (risk, number, effort, said) => {
    const plan = aPlan({ file_changes: many.slice(0, number), human_check_reason: "Some other reason" });
    const triage = aTriage({ risk, estimated_complexity: effort });
    const comment = planComment(facts({ plan, triage, language: "de" }));
    expect(comment).toContain(said);
    expect(comment).toContain("Entwurf");
    expect(planComment(facts({ plan, triage, language: "de", mode: "plan" }))).not.toContain("Entwurf");
  });
});

describe("a large plan", () => {
  const files = (count: number) => Array.from({ length: count }, (_, index) => aFile(`src/part/${index}.ts`));

  test("shows fifteen files and folds the others, deletions first", () => {
    const file_changes = [...files(39), aFile("src/old.ts", { operation: "DELETE" })];
    const comment = planComment(facts({ plan: aPlan({ file_changes }) }));
    const [shown = "", folded = ""] = comment.split("<details>");
    expect(shown).toContain("**Steps:** change 39, delete 1");
    expect(shown.match(/^ {3}- \[`/gm)).toHaveLength(15);
    expect(shown).toContain("`src/old.ts`](https://git.example/o/r/blob/c1/src/old.ts#L0) (delete)");
    expect(folded).toContain("<summary>25 more</summary>");
    expect(folded.match(/^- \[`/gm)).toHaveLength(25);
  });

  test("of 50,000 files says how many it does not show", () => {
    const comment = planComment(facts({ plan: aPlan({ file_changes: files(50_000) }) }));
    expect(harmIn(comment)).toEqual([]);
    const shown = (comment.match(/^- \[`/gm)?.length ?? 0) + 15;
    expect(comment).toContain(`… and ${50_000 - shown} more, not shown here`);
  });

  test("marks what it cuts, and keeps the name of a long path", () => {
    const path = `${"deep/".repeat(700)}name.ts`;
    const plan = aPlan({ file_changes: [aFile(path, { change_summary: "long ".repeat(10_000) })] });
    const step = /^1\..*$/m.exec(planComment(facts({ plan })))?.[0] ?? "";
    expect(step).toMatch(/`deep\/.*….*name\.ts`: long .*…$/);
    expect(step.length).toBeLessThan(600);
  });

  test("counts the assumptions that have no room", () => {
    const comment = planComment(facts({ assumptions: Array.from({ length: 300 }, () => "It is so. ".repeat(20)) }));
    expect(comment).toMatch(/… and 29\d more, not shown here/);
  });
});

describe("text of the plan and of the issue", () => {
  test.each(HOSTILE)("stays text: %j", (text) => {
    const plan = aPlan({
      plan_steps: [{ order: 1, description: text, command: text, files_involved: [] }],
      file_changes: [aFile(text, { change_summary: text }), aFile(`src/${text}.ts`, { change_summary: text })],
      validation_commands: [text, text],
      human_check_reason: text,
    });
    const triage = aTriage({ reasoning: text, security_flags: [text, text] });
    for (const one of [plan, { ...plan, file_changes: [] }]) {
      expect(
        harmIn(
          planComment(
            facts({
              plan: one,
              triage,
              assumptions: [text],
              spec: aSpec({ url: text, text: specOf(text), changes: { text, since: 1 } }),
            }),
          ),
        ),
      ).toEqual([]);
    }
  });

  test("is shown as it was written, where it is harmless", () => {
    const said = (text: string) => planComment(facts({ assumptions: [text] }));
    expect(said("Use `a|b` and my_name, see https://e.org/a_b?x=1&y=2.")).toContain(
      "Use `a|b` and my_name, see https://e.org/a_b?x=1&y=2.",
    );
    expect(said("Map<string> at 5 * 3")).toContain("Map&lt;string> at 5 \\* 3");
    expect(said("שלום {{number}} $t(again)")).toContain("שלום {{number}} \\$t(again)");
  });

  test("holds no secrets", () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const comment = planComment(
      facts({ assumptions: [`The token is ${secret}.`], plan: aPlan({ validation_commands: [`x ${secret}`] }) }),
    );
    expect(comment).not.toContain("a1B2c3D4e5");
    expect(comment).toContain("secret removed");
  });

  test("makes no link of an address that is no web page", () => {
    for (const url of [
      "javascript:alert(1)",
      "not an address",
      "data:text/html,x",
      `https://e.org/${"a".repeat(2_000)}`,
    ]) {
      expect(planComment(facts({ spec: aSpec({ url }) }))).toMatch(/\*\*Spec:\*\* version 1 · `5be1c70`$/m);
    }
    const url = "https://e.org/a(b)c d`|<x>?q=[1]#'z'";
    expect(planComment(facts({ spec: aSpec({ url }) }))).toMatch(
      /\*\*Spec:\*\* \[version 1\]\(https:[^\s()<>`|[\]]+\) · /m,
    );
  });

  test("cannot make the comment longer, louder or stranger, whatever it is", () => {
    const piece = constantFrom(
      ...HOSTILE,
      "`",
      "``",
      "\\",
      "@team",
      "<",
      "&",
      "\n",
      " ",
      "/close",
      "x",
      "_",
      "<".repeat(500),
      "`".repeat(300),
      "word ".repeat(200),
    );
    const text = array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(""));
    const anything = record({
      plan_steps: array(
        record({ order: integer({ min: 1 }), description: text, command: option(text), files_involved: array(text) }),
        { minLength: 1, maxLength: 10 },
      ),
      file_changes: array(
        record({
          path: text,
          operation: constantFrom("CREATE", "MODIFY", "DELETE"),
          change_summary: text,
          line_range: option(tuple(integer({ min: 1 }), integer({ min: 1 }))),
        }),
        { maxLength: 60 },
      ),
      validation_commands: array(text, { maxLength: 30 }),
      human_check_reason: option(text),
      estimated_duration: integer({ min: 1 }),
    });
    const rest = record({
      mode: constantFrom(...MODES),
      thumbsUp: boolean(),
      madeByRules: boolean(),
      together: boolean(),
      language: constantFrom(...WRITTEN_LANGUAGES, "uk"),
      assumptions: array(text, { maxLength: 30 }),
      spec: option(
        record({
          text: option(text.map(specOf)),
          version: integer({ min: 1 }),
          sha256: constantFrom("0".repeat(64)),
          url: option(string()),
          changes: option(record({ text, since: integer({ min: 1 }) })),
        }),
      ),
    });
    const judged = record({
      risk: constantFrom(...RISKS),
      reasoning: text,
      security_flags: array(text, { maxLength: 30 }),
    });
    assert(
      property(anything, rest, judged, (plan, over, triage) => {
        expect(harmIn(planComment(facts({ ...over, plan: aPlan(plan), triage: aTriage(triage) })))).toEqual([]);
      }),
      { numRuns: triesOf(150) },
    );
  });
});

test("a plan made from a spec whose cited code has changed says so in one line (R-SPEC-15)", () => {
  const spec = { text: null, version: 2, sha256: "ab".repeat(32), url: null, changes: null };
  for (const language of WRITTEN_LANGUAGES) {
    const told = (stale: string[]) => planComment(facts({ language, spec: { ...spec, stale } })).split("\n");
    const lines = told(["src/cart.ts:3", "src/tax.ts"]).filter((line) => !told([]).includes(line.trimEnd()));
    expect(lines.filter((line) => line.includes("`src/cart.ts:3`, `src/tax.ts`"))).toHaveLength(1);
  }
});

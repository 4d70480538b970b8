import { expect, test } from "vitest";
import { setSpecStage, specOf, submits } from "../../../test/support/spec-agent-fixture.ts";
import { message, specInput } from "../../../test/support/spec-input.ts";
import type { SpecInput } from "../generator.ts";

const stage = setSpecStage();
const OLD = specOf("L0").replaceAll(" (Finding #1)", "");
const NEW = OLD.replace("and says nothing", "and prints no message");

const revision = (
  messages = [message({ seq: 1, author: "bob", content: "Please say in the spec that no message is printed." })],
): SpecInput =>
  specInput({
    title: "Last transaction is lost",
    body: "It is missing.",
    messages,
    existing: {
      content: OLD,
      ref: {
        version: 1,
        backend: "local",
        path: "relay_specs/x/spec.md",
        updated_at: "2026-11-20T09:30:00Z",
        sha256: "a".repeat(64),
        format: "markdown",
      },
    },
  });

test("a revision starts from the spec as it is, and logs what changed and who asked", async () => {
  const logged = `${NEW}\n## Changelog\n\n- 2026-11-21: tells that no message is printed, asked by @bob (message 1)\n`;
  stage.script([submits(logged, { complexity: "L0", changelog: "Tells that no message is printed, asked by @bob" })]);
  const spec = await stage.run(revision());
  expect(spec).toMatchObject({
    validationStatus: "valid",
    changelog: "tells that no message is printed, asked by @bob (message 1)",
  });
  expect(spec.markdown).toContain("asked by @bob (message 1)");
  expect(stage.requests()[0]).toContain(
    "Written at 2026-11-20T09:30:00Z. What people who decide have written since then: 1.",
  );
  expect(stage.requests()[0]).toContain("Banks export statements with and without a newline at the end.");
});

test("a change that is told beside the document gets into it, after the older ones", async () => {
  stage.script([submits(NEW, { changelog: "No message is printed, asked by @bob" })]);
  const first = await stage.run(revision());
  expect(first.markdown).toMatch(
    /\n## Changelog\n\n- 2026-11-21: No message is printed, asked by @bob \(message 1\)\n$/,
  );
  const again = revision([message({ seq: 2, author: "eve", content: "Take four rows instead of three." })]);
  const content = first.markdown;
  const existing = again.existing === null ? null : { ...again.existing, content };
  stage.script([submits(content.replace("three rows", "four rows"), { changelog: "Four rows." })]);
  const second = await stage.run({ ...again, existing });
  expect(second.markdown).toMatch(/asked by @bob \(message 1\)\n- 2026-11-21: Four rows — @eve \(message 2\)\n$/);
});

test("a change that is told with its date has one date", async () => {
  stage.script([submits(NEW, { changelog: "- 2026-11-20: No message is printed, asked by @bob" })]);
  const { markdown, changelog } = await stage.run(revision());
  expect(changelog).toBe("No message is printed, asked by @bob (message 1)");
  expect(markdown).toMatch(/\n- 2026-11-21: No message is printed, asked by @bob \(message 1\)\n$/);
});

test("a change of the document alone is told as the changelog", async () => {
  stage.script([submits(`${NEW}\n## Changelog\n\n- 2026-11-21: no message, asked by @bob\n`)]);
  expect((await stage.run(revision())).changelog).toBe("no message, asked by @bob (message 1)");
});

test("a revision that says nothing of what it changes, or for whom, is logged by the request itself", async () => {
  stage.script([submits(NEW)]);
  const { markdown } = await stage.run(revision());
  expect(markdown).toMatch(
    /\n- 2026-11-21: asked by @bob \(message 1\): Please say in the spec that no message is printed\n$/,
  );
});

test("what is handed in unchanged is the spec as it is, also when it was approved meanwhile", async () => {
  const before = revision();
  stage.script([submits(OLD, { complexity: "L0", complexity_reason: "one loop" })]);
  const first = await stage.run({ ...before, existing: null });
  const content = first.markdown.replace(/^\*\*Status:\*\* .*$/m, "**Status:** Approved");
  const existing = before.existing === null ? null : { ...before.existing, content };
  stage.script([submits(first.markdown, { complexity_reason: "two loops" })]);
  const spec = await stage.run({ ...before, existing, now: new Date("2026-12-01T00:00:00Z") });
  expect(spec).toMatchObject({ markdown: content, changelog: "", validationStatus: "valid" });
});

test("a model that rewords, drops, moves and renumbers gets all of it back once; only what was asked for changes", async () => {
  const second =
    "| 1 | Cover both endings | `src/import/lines.test.ts` | a test fails without task 2 | 2 |\n| 2 | Hand on what is left | `src/import/lines.ts` | both scenarios pass | - |";
  const careless = NEW.replace("The fix hands on what is left when the input ends.", "We flush the rest at the end.")
    .replace("three transactions are added, and no empty one", "nothing empty is added")
    .replace(/#### Scenario: No newline at the end[^]*?(?=####)/, "")
    .replace(/\| 1 \|[^]*\| 1 \|(?=\n)/, second);
  const told = { changelog: "No message is printed." };
  stage.script([submits(careless, told), submits(careless, told)]);
  const { markdown, validationStatus } = await stage.run(revision());
  const below = (text: string) => text.slice(text.indexOf("## TL;DR")).split("\n## Changelog")[0];
  expect(below(markdown)).toBe(below(NEW));
  expect(markdown).toMatch(/\n- 2026-11-21: No message is printed — @bob \(message 1\)\n$/);
  expect(validationStatus).toBe("valid");
  expect(stage.requests()).toHaveLength(2);
  expect(stage.requests()[1]).toContain("revision_minimal");
});

test("what a model changes for a reason that it names stays changed", async () => {
  const more = NEW.replace("three transactions are added, and no empty one", "nothing empty is added");
  const changes = [{ part: "Scenario: Newline at the end", because: "message 1" }];
  stage.script([submits(more, { changes })]);
  expect((await stage.run(revision())).markdown).toContain("nothing empty is added");
  expect(stage.requests()).toHaveLength(1);
});

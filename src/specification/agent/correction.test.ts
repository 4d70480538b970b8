import { describe, expect, test } from "vitest";
import { explores, setSpecStage, specOf, submits } from "../../../test/support/spec-agent-fixture.ts";
import { finding, gap, specInput } from "../../../test/support/spec-input.ts";

const stage = setSpecStage();
const L0 = specOf("L0");
const L1 = specOf("L1");

const input = () =>
  specInput({
    title: "Last transaction is lost",
    body: "The last line of my statement is missing after the import.",
    findings: [finding(1, { synthesis: "Lines are handed on at newlines.", sources: [] })],
  });

/** What the last request told the model about its spec. */
function told(): string {
  const messages = stage.bodies().at(-1)?.["messages"];
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return JSON.stringify(last).replaceAll(String.raw`\n`, "\n");
}

describe("a spec that breaks rules", () => {
  test("goes back with exactly these, the lines, and the document, and is taken when mended", async () => {
    const broken = L0.replace("- **THEN** three transactions are added\n", "").replace(
      "#### Scenario: Newline",
      "#### Scenario: With one",
    );
    stage.script([submits(broken), submits(L0)]);
    expect(await stage.run(input())).toMatchObject({ validationStatus: "valid", problems: [] });
    expect(told()).toMatch(/- error scenario_format, line \d+: the scenario “No newline at the end” has no THEN/);
    expect(told()).toContain("    #### Scenario: No newline at the end");
    expect(stage.requests()[1]).toContain("#### Scenario: With one");
  });

  test("is kept as partial after two corrections, in the version that breaks the fewest", async () => {
    const none = "I could not find out more.";
    stage.script([
      submits(none, { complexity: "L0" }),
      submits(L0.replace("Finding #1", "Finding #9"), { complexity: "L0" }),
      submits(none, { complexity: "L0" }),
    ]);
    const spec = await stage.run(input());
    expect(spec).toMatchObject({ validationStatus: "partial", complexity: "L0" });
    expect(spec.problems.map((problem) => problem.rule)).toEqual(["citations_exist"]);
    expect(spec.markdown).toContain("Finding #9");
    expect(stage.requests()).toHaveLength(3);
  });

  test("is kept as it was when the model fails meanwhile", async () => {
    stage.script([submits(L0.replace("Finding #1", "Finding #9")), { kind: "status", status: 400, message: "no" }]);
    expect(await stage.run(input())).toMatchObject({ validationStatus: "partial" });
  });

  test("may be mended by a look at the code, if one is left", async () => {
    const wrong = L0.replace("lines.ts:31", "lines.ts:3100");
    stage.script([explores("a"), submits(wrong), explores("b"), submits(wrong), explores("c"), submits(L0)]);
    expect(await stage.run(input())).toMatchObject({ validationStatus: "valid" });
    expect(stage.asked).toEqual(["a", "b"]);
    expect(stage.requests()[5]).toContain("Explore limit reached");
    expect(stage.requests()[4]).toContain("What is known of b.");
  });
});

describe("invented evidence", () => {
  test.each([
    ["a gap", "Finding #1", "Gap #3", "gap 3 does not exist"],
    ["a finding", "Finding #1", "Finding #2", "finding 2 does not exist"],
    ["a message", "Finding #1", "message 4", "message 4 does not exist"],
    ["a file", "`src/import/lines.ts:31`", "`src/import/rest.ts:31`", "there is no such file in the repository"],
    ["a line", "lines.ts:31", "lines.ts:99-101", "the file has 100 lines"],
    ["a place outside of the repository", "`src/import/lines.ts:31`", "`../../etc/passwd:1`", "there is no such file"],
    ["a touch point", "| `src/import/lines.ts` |", "| `src/import/rest.ts` |", "is not in the repository"],
  ])("that is %s goes back", async (_, from, to, why) => {
    stage.script([submits(L0.replace(from, to)), submits(L0)]);
    expect(await stage.run(input())).toMatchObject({
      validationStatus: "valid",
      markdown: expect.not.stringContaining(to),
    });
    expect(told()).toContain(why);
  });
});

describe("warnings", () => {
  test("a spec that is too long for its level goes back once, and is kept when the model insists", async () => {
    const long = `${L0}\n${"More words.\n\n".repeat(30)}`;
    stage.script([submits(long), submits(L0)]);
    expect((await stage.run(input())).metadata.line_count).toBeLessThan(60);
    expect(told()).toMatch(/- warning too_long, line 60: the spec has \d+ lines; a spec of L0 should stay under 60/);
    stage.script([submits(long), submits(long)]);
    expect(await stage.run(input())).toMatchObject({ validationStatus: "valid" });
    expect(stage.requests()).toHaveLength(2);
  });

  test("a decision without evidence and a settled question that is nowhere go back", async () => {
    const given = { ...input(), closedGaps: [gap({ number: 1 }), gap({ number: 2 })] };
    const L1here = L1.replaceAll(/`src\/[^`]+`/g, "`src/import/lines.ts`");
    stage.script([submits(L1here.replace("Gap #1: the", "The"), { complexity: "L1" }), submits(L0)]);
    await stage.run(given);
    expect(told()).toMatch(/warning decisions_have_context, line \d+/);
    expect(told()).toMatch(/warning gaps_covered, line \d+: gap 1 was settled/);
  });
});

test("attempts and corrections send the material unchanged, so that it is cached", async () => {
  stage.script([submits(L0.replace("Finding #1", "Finding #9")), submits(L0)]);
  await stage.run(input());
  const [first, second] = stage.bodies().map((body) => body["messages"]);
  if (!Array.isArray(first) || !Array.isArray(second)) throw new Error("no messages");
  expect(second.slice(0, first.length)).toEqual(first);
  expect(second.map((one) => one.role)).toEqual(["system", "user", "assistant", "user"]);
});

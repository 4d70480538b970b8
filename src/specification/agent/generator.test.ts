import { describe, expect, test } from "vitest";
import { PROVIDERS } from "../../adapters/models/providers/registry.ts";
import { calls, explores, setSpecStage, specOf, submits } from "../../../test/support/spec-agent-fixture.ts";
import { finding, gap, specInput } from "../../../test/support/spec-input.ts";

const stage = setSpecStage();

const bug = () =>
  specInput({
    title: "Last transaction is lost",
    body: "The last line of my statement is missing after the import.",
    findings: [finding(1, { synthesis: "Lines are handed on at newlines.", sources: [] })],
  });

const feature = () =>
  specInput({
    title: "Webhooks for finished builds",
    body: "We poll all the time.",
    findings: [
      finding(1, { synthesis: "71% of requests poll.", sources: [] }),
      finding(2, { synthesis: "The job table retries.", sources: [] }),
    ],
    closedGaps: [1, 2, 3]
      .map((number) => gap({ number, closedNote: `answer ${number}` }))
      .concat(gap({ number: 4, closedReason: "inferred", closedNote: "64 KiB are fine" })),
  });

const L0 = specOf("L0");

describe("a spec", () => {
  test("knows the places that its writer was shown", async () => {
    const input = specInput({
      title: "Lost",
      body: "See src/import/lines.ts:3.",
      findings: [finding(1, { synthesis: "Lines.", sources: [{ location: "src/import/lines.ts:9-12", snippet: "" }] })],
    });
    stage.script([
      explores("the job table"),
      calls("read_lines", { path: "src/notify/mail.ts", start: 4, end: 6 }),
      submits(L0),
    ]);
    const { shown } = await stage.generator({ look: stage.look() }).generate(input, null);
    expect(shown).toEqual([
      "src/import/lines.ts:9-12",
      "src/import/lines.ts:3",
      "src/jobs/queue.ts:22-61",
      "src/notify/mail.ts:4-6",
    ]);
  });

  test("of a bug is taken as the model wrote it, below a head of Relay's own", async () => {
    stage.script([submits(L0, { complexity: "L0", complexity_reason: "one loop in one file" })]);
    const spec = await stage.run(bug());
    expect(spec).toMatchObject({
      validationStatus: "valid",
      problems: [],
      complexity: "L0",
      complexityReason: "one loop in one file",
      changelog: "",
      summary: ["one", "two", "three", "four", "five"],
    });
    expect(spec.markdown.split("\n").slice(0, 8)).toEqual([
      "# Spec: Import keeps the last row of a CSV without a final newline",
      "",
      "**Status:** Proposed (its issue tells the verdict)  ",
      "**Issue:** local/demo#7  ",
      "**Last updated:** 2026-11-21T08:00:00.000Z  ",
      "**Complexity:** L0 (one loop in one file)",
      "",
      "## TL;DR",
    ]);
    expect(spec.markdown.slice(spec.markdown.indexOf("## TL;DR"))).toBe(L0.slice(L0.indexOf("## TL;DR")));
    expect(stage.requests()).toHaveLength(1);
  });

  test("of a feature is written with two looks at the code, whose answers the model gets", async () => {
    stage.script([explores("the job table", "the mail"), submits(specOf("L2"))]);
    const spec = await stage.run({ ...feature(), complexityHint: "L1" });
    expect(spec).toMatchObject({ validationStatus: "valid", complexity: "L2" });
    expect(spec.metadata).toMatchObject({ decision_count: 4, assumption_count: 2, task_count: 5 });
    expect(stage.asked).toEqual(["the job table", "the mail"]);
    expect(stage.requests()[1]).toContain("What is known of the mail.");
  });

  test("may be looked up for twice; then the tool says so", async () => {
    stage.script([explores("a", "b", "c"), submits(L0)]);
    await stage.run(bug());
    expect(stage.asked).toEqual(["a", "b"]);
    const told =
      "Explore limit reached (max 2 calls). Please call submit_spec with your best effort based on the context provided.";
    const results = stage.bodies()[1]?.["messages"];
    expect(results).toEqual(expect.arrayContaining([expect.objectContaining({ role: "tool", content: told })]));
  });

  test("is written also where nobody can look at the code", async () => {
    stage.script([explores("a"), explores("b"), submits(L0)]);
    const explore = async () => await Promise.reject(new Error("the mirror at /srv/secret is gone"));
    expect(await stage.run(bug(), { explore })).toMatchObject({ validationStatus: "valid" });
    expect(stage.requests().join("")).not.toContain("/srv/secret");
  });

  test("counts as first handed in, where one answer hands in two", async () => {
    const [one, two] = [submits(L0), submits(L0.replace("Import keeps", "Export keeps"))];
    stage.script([{ kind: "answer", calls: [...(one.calls ?? []), ...(two.calls ?? [])] }]);
    expect((await stage.run(bug())).markdown).toContain("# Spec: Import keeps");
  });
});

describe.each(PROVIDERS)("over the protocol of %s", (provider) => {
  const other = setSpecStage(provider);

  test("a spec is looked up for, handed in, corrected and kept", async () => {
    other.script([explores("a"), submits(L0.replace("Finding #1", "Finding #9")), submits(L0, { complexity: "L0" })]);
    expect(await other.run(bug())).toMatchObject({ validationStatus: "valid", complexity: "L0" });
    expect(other.asked).toEqual(["a"]);
    expect(other.requests().join("")).toContain("finding 9 does not exist");
  });
});

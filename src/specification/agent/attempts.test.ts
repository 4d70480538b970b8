import { describe, expect, test } from "vitest";
import type { Turn } from "../../../test/mock-model/server.ts";
import { explores, setSpecStage, specOf, submits } from "../../../test/support/spec-agent-fixture.ts";
import { finding, message, specInput } from "../../../test/support/spec-input.ts";

const stage = setSpecStage();
const L0 = specOf("L0");
const words: Turn = { kind: "answer", text: "Here is my spec: it should work." };
const bug = () =>
  specInput({
    title: "Last transaction is lost",
    body: "The last line of my statement is missing after the import.",
    findings: [finding(1, { synthesis: "Lines are handed on at newlines.", sources: [] })],
  });

describe("attempts", () => {
  test("end after three that brought nothing, with what happened", async () => {
    stage.script([words], { forever: true });
    await expect(stage.run(bug())).rejects.toMatchObject({
      code: "invalid",
      message: "openai-compatible/writer ended its work without handing in a spec",
    });
    // Each was reminded once.
    expect(stage.requests()).toHaveLength(6);
  });

  test.each<[string, Turn[]]>([
    ["words without a spec, also after a reminder", [words, words]],
    ["a refusal", [{ kind: "answer", text: "I will not.", finish: "refused" }]],
    [
      "an answer cut for its length, again and again",
      Array.from({ length: 3 }, () => ({ ...words, finish: "length" as const })),
    ],
    [
      "arguments that are no JSON, again and again",
      Array.from({ length: 3 }, (_, n) => ({
        ...submits(""),
        calls: [{ tool: "submit_spec", input: `{"spec_markdown": "${n}` }],
      })),
    ],
    ["300 KB", [submits("word ".repeat(60_000))]],
  ])("go on after %s", async (_, turns) => {
    stage.script([...turns, submits(L0)]);
    expect(await stage.run(bug())).toMatchObject({ validationStatus: "valid" });
    expect(stage.requests()).toHaveLength(turns.length + 1);
  });

  test("take a spec that a model wrote as its answer, when a reminder did not help", async () => {
    stage.script([
      { kind: "answer", text: `\`\`\`markdown\n${L0}\`\`\`` },
      { kind: "answer", text: "I did." },
    ]);
    const spec = await stage.run(bug());
    expect(spec).toMatchObject({ validationStatus: "valid", complexity: "L0" });
    expect(spec.summary[0]).toMatch(/^A CSV file/);
    expect(stage.requests()).toHaveLength(2);
  });

  test("share their looks: what was found is told, and the limit stays", async () => {
    stage.script([explores("a"), words, words, explores("b"), explores("c"), submits(L0)]);
    await stage.run(bug());
    expect(stage.asked).toEqual(["a", "b"]);
    expect(stage.requests()[3]).toContain("What is known of a.");
    expect(stage.requests()[5]).toContain("Explore limit reached");
  });

  test("end when a model does nothing but look", async () => {
    stage.script([explores("again")], { forever: true });
    await expect(stage.run(bug())).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(/repeats/),
    });
    expect(stage.asked).toEqual(["again", "again"]);
  });

  test("end when the spec has cost what it may", async () => {
    const dear: Turn = { ...explores("a"), usage: { input: 1_000_000 } };
    stage.script([dear, words, words, submits(L0)]);
    await expect(stage.run(bug(), { limits: { costUsd: 1 } })).rejects.toMatchObject({ code: "too_large" });
    expect(stage.requests()).toHaveLength(1);
  });

  test("are not repeated where the server refuses for good", async () => {
    stage.script([{ kind: "status", status: 401, message: "wrong key" }], { forever: true });
    await expect(stage.run(bug())).rejects.toMatchObject({ code: "config", retryable: false });
    expect(stage.requests()).toHaveLength(1);
  });

  test("are left to the job, where the server is busy", async () => {
    stage.script([{ kind: "status", status: 429, headers: { "retry-after": "3600" } }], { forever: true });
    await expect(stage.run(bug())).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 3_600_000 });
    expect(stage.requests()).toHaveLength(1);
  });
});

describe("in one run", () => {
  test.each<[string, unknown]>([
    ["no document", { spec_summary: ["a"] }],
    ["an empty one", { spec_markdown: "  \n", spec_summary: ["a"] }],
    ["a level that there is not", { spec_markdown: L0, spec_summary: ["a"], complexity: "huge" }],
    ["a document that is too large", { spec_markdown: "word ".repeat(41_000), spec_summary: ["a"] }],
  ])("a submission with %s is told what is wrong, and mended", async (_, submission) => {
    const off: Turn = { kind: "answer", calls: [{ tool: "submit_spec", input: JSON.stringify(submission) }] };
    stage.script([off, submits(L0)]);
    expect(await stage.run(bug())).toMatchObject({ validationStatus: "valid" });
    expect(stage.requests()[1]).toMatch(/do not fit the tool's schema.*(?:spec_markdown|complexity):/);
  });

  test("a prompt that the model's context does not take is made again with less of the material", async () => {
    const long = {
      ...bug(),
      messages: Array.from({ length: 400 }, (_, n) => message({ seq: n + 1, content: "rain ".repeat(200) })),
    };
    stage.script([submits(L0)]);
    expect(await stage.run(long, { limits: { promptTokens: 40_000 } })).toMatchObject({ validationStatus: "valid" });
    const sent = stage.requests()[0] ?? "";
    expect(sent.length).toBeLessThan(160_000);
    expect(sent).toContain("<omitted messages=");
    await expect(stage.run(long, { limits: { promptTokens: 500 } })).rejects.toMatchObject({ code: "too_large" });
    expect(stage.requests()).toHaveLength(1);
  });
});

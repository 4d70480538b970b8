import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type EvalCase, readCases } from "./cases.ts";
import { type CaseOutcome, countWords, measureCase, renderSummary, summarise } from "./measure.ts";

const USAGE = {
  costUsd: 0.25,
  calls: 2,
  agentRuns: 0,
  unpricedCalls: 1,
  inputTokens: 900,
  cachedTokens: 300,
  outputTokens: 80,
};

const CASE: EvalCase = {
  id: "one",
  issue: "issue.md",
  repo: ".",
  key_questions: [
    { id: "time zone", about: [["time zone", "zeitzone"], ["which"]] },
    { id: "steps", topic: "reproduction", about: [] },
    { id: "rounding", about: [["round"]] },
  ],
  forbidden_questions: [{ id: "the code tells the file", about: [["which file", "where"]] }],
  gold_files: ["src/a.ts", "src/b.ts"],
};

const asked = (question: string, topic: "reproduction" | null = null) => ({
  number: 1,
  question,
  // Says what was looked at; it is not what is asked for.
  evidence: "found where totals are rounded",
  topic,
});

const OUTCOME: CaseOutcome = {
  asked: [asked("Which Time Zone counts?"), asked("How can I see it?", "reproduction"), asked("Where is the code?")],
  foundFiles: ["src/a.ts", "src/c.ts", "src/d.ts"],
  spec: {
    complexity: "L1",
    valid: true,
    words: 300,
    plannedFiles: ["src/a.ts"],
    statements: 4,
    coveredStatements: 3,
    citations: 10,
    wrongCitations: 1,
  },
  usage: USAGE,
  ms: 1_000,
};

describe("the measures of a case", () => {
  const measures = measureCase(CASE, OUTCOME);

  test("know key questions by words, in whatever case, or by topic; reasons do not count", () => {
    expect(measures.keyQuestions).toEqual({ expected: 3, covered: ["time zone", "steps"], missed: ["rounding"] });
  });

  test("know questions that should not have been asked", () => {
    expect(measures.falseAsks).toEqual([{ question: "Where is the code?", forbidden: "the code tells the file" }]);
  });

  test("hold files against the gold, those found and those planned", () => {
    expect(measures.found).toEqual({ named: 3, right: 1, gold: 2 });
    expect(measures.planned).toEqual({ named: 1, right: 1, gold: 2 });
  });

  test("count words as readers do", () => {
    expect(countWords("It's two `a.b` words.")).toBeGreaterThan(3);
    expect(countWords("仕様書を更新しました")).toBeGreaterThan(2);
    expect(countWords("")).toBe(0);
  });
});

describe("the summary of a set", () => {
  test("sums before it divides, and leaves out what could not be played", () => {
    const sum = summarise([
      { id: "one", kind: "measured", outcome: OUTCOME, measures: measureCase(CASE, OUTCOME) },
      { id: "two", kind: "failed", error: "no repository" },
    ]);
    expect(sum).toMatchObject({
      cases: 2,
      failed: 1,
      key_question_coverage: 2 / 3,
      false_ask_rate: 1 / 3,
      found_files: { precision: 1 / 3, recall: 1 / 2 },
      planned_files: { precision: 1, recall: 1 / 2 },
      statements_covered: 0.75,
      citation_validity: 0.9,
      words_per_level: { L1: 300 },
      cost_usd: 0.25,
      unpriced_calls: 1,
    });
    expect(renderSummary("m", sum)).toContain("$0.25, and 1 call(s) of unknown price");
  });

  test("of nothing has no shares, rather than shares of nought", () => {
    expect(summarise([])).toMatchObject({ key_question_coverage: null, false_ask_rate: null, citation_validity: null });
  });
});

describe("a case set", () => {
  const set = async (text: string) => {
    const folder = await mkdtemp(join(tmpdir(), "relay-cases-"));
    onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "cases.jsonl"), text);
    return { folder, file: join(folder, "cases.jsonl") };
  };

  test("has paths from its own folder, and defaults for what is left out", async () => {
    const { folder, file } = await set('{"id":"a","issue":"a.md","repo":"../code"}\n\n');
    expect(await readCases(file)).toEqual([
      {
        id: "a",
        issue: join(folder, "a.md"),
        repo: join(folder, "../code"),
        key_questions: [],
        forbidden_questions: [],
        gold_files: [],
      },
    ]);
  });

  test.each([
    ["{", /cases\.jsonl:1: not valid JSON/],
    ['{"id":"a","issue":"a.md"}', /cases\.jsonl:1: repo: /],
    ['{"id":"../a","issue":"a.md","repo":"."}', /cases\.jsonl:1: id: must be letters/],
    ['{"id":"a","issue":"a.md","repo":".","ref":"--upload-pack=x"}', /ref: must be the name/],
    ['{"id":"a","issue":"a.md","repo":".","gold":[]}', /Unrecognized key: "gold"/],
    ['{"id":"a","issue":"a.md","repo":"."}\n{"id":"a","issue":"b.md","repo":"."}', /cases\.jsonl:2: there are two/],
    ["\n", /holds no case/],
  ])("that is wrong is refused with file, line and key: %j", async (text, message) => {
    await expect(readCases((await set(text)).file)).rejects.toThrow(message);
  });

  test("that is not there is told as such", async () => {
    await expect(readCases("no/such/cases.jsonl")).rejects.toThrow(
      /^cannot read the case set no\/such\/cases\.jsonl: there is no such file$/,
    );
  });
});

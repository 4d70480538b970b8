import type { Gap } from "../../domain/gap.ts";
import type { Complexity } from "../../domain/spec.ts";
import type { IssueUsage } from "../../storage/model-calls.ts";
import type { EvalCase, KeyQuestion } from "./cases.ts";
import { dollars } from "../costs.ts";
import { cut, oneLine } from "../../lib/text.ts";

/** The outcome of one case, before comparison with the expectations. */
export interface CaseOutcome {
  asked: Pick<Gap, "number" | "question" | "evidence" | "topic">[];
  /** Files that findings point at. */
  foundFiles: string[];
  spec: {
    complexity: Complexity;
    valid: boolean;
    words: number;
    /** Files that its tasks touch, without new ones. */
    plannedFiles: string[];
    /** What people stated, and what of it is in the spec (R-SPEC-16). */
    statements: number;
    coveredStatements: number;
    citations: number;
    /** Citations of something that does not exist. */
    wrongCitations: number;
  } | null;
  usage: IssueUsage;
  ms: number;
}

/** Shares are from 0 to 1, and null if there is nothing to take a share of. */
export interface CaseMeasures {
  keyQuestions: { expected: number; covered: string[]; missed: string[] };
  asked: number;
  /** Questions that should not have been asked, each with the expectation that forbids it. */
  falseAsks: { question: string; forbidden: string }[];
  found: Hits;
  planned: Hits | null;
}

/** Number of files named, correct ones among them, and expected ones. */
export interface Hits {
  named: number;
  right: number;
  gold: number;
}

/** Compares a case's outcome with its hidden expectations (R-OBS-4). */
export function measureCase(one: EvalCase, outcome: CaseOutcome): CaseMeasures {
  const covered = one.key_questions.filter((key) => outcome.asked.some((asked) => isAbout(asked, key)));
  return {
    keyQuestions: {
      expected: one.key_questions.length,
      covered: covered.map((key) => key.id),
      missed: one.key_questions.filter((key) => !covered.includes(key)).map((key) => key.id),
    },
    asked: outcome.asked.length,
    falseAsks: outcome.asked.flatMap((asked) => {
      const forbidden = one.forbidden_questions.find((question) => mentionsAll(asked, question.about));
      return forbidden === undefined ? [] : [{ question: asked.question, forbidden: forbidden.id }];
    }),
    found: hitsOf(outcome.foundFiles, one.gold_files),
    planned: outcome.spec === null ? null : hitsOf(outcome.spec.plannedFiles, one.gold_files),
  };
}

/** Whether a question is this key question, by its topic or its words. */
export function isAbout(asked: CaseOutcome["asked"][number], key: KeyQuestion): boolean {
  if (key.topic !== undefined && asked.topic === key.topic) return true;
  return key.about.length > 0 && mentionsAll(asked, key.about);
}

/** Only the question itself is compared, not its reasons. */
function mentionsAll({ question }: CaseOutcome["asked"][number], groups: readonly string[][]): boolean {
  const text = question.normalize("NFKC").toLowerCase();
  return groups.every((words) => words.some((word) => text.includes(word.normalize("NFKC").toLowerCase())));
}

function hitsOf(named: readonly string[], gold: readonly string[]): Hits {
  const files = new Set(named);
  return { named: files.size, right: gold.filter((file) => files.has(file)).length, gold: gold.length };
}

/** Word count, also for languages without spaces. */
export function countWords(text: string): number {
  return [...new Intl.Segmenter("en", { granularity: "word" }).segment(text)].filter((part) => part.isWordLike).length;
}

/** A case that was played, or why it could not be. */
export type PlayedCase = { id: string } & (
  | { kind: "measured"; outcome: CaseOutcome; measures: CaseMeasures }
  | { kind: "failed"; error: string }
);

/** The measures of a whole set (R-OBS-4). Shares are from 0 to 1, and null if there is nothing to take a share of. */
export interface EvalSummary {
  cases: number;
  failed: number;
  specs: number;
  valid_specs: number;
  questions_asked: number;
  key_question_coverage: number | null;
  false_ask_rate: number | null;
  found_files: { precision: number | null; recall: number | null };
  planned_files: { precision: number | null; recall: number | null };
  statements_covered: number | null;
  citation_validity: number | null;
  words_per_level: Partial<Record<Complexity, number>>;
  calls: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost_usd: number;
  /** Calls without a known price; they are not in the cost. */
  unpriced_calls: number;
  ms: number;
}

/** Sums first, then divides: cases with many questions weigh more. */
export function summarise(played: readonly PlayedCase[]): EvalSummary {
  const done = played.filter((one) => one.kind === "measured");
  const total = (of: (one: (typeof done)[number]) => number) => done.reduce((sum, one) => sum + of(one), 0);
  const specs = done.flatMap((one) => (one.outcome.spec === null ? [] : [one.outcome.spec]));
  const citations = specs.reduce((sum, spec) => sum + spec.citations, 0);
  const wrong = specs.reduce((sum, spec) => sum + spec.wrongCitations, 0);
  return {
    cases: played.length,
    failed: played.length - done.length,
    specs: specs.length,
    valid_specs: specs.filter((spec) => spec.valid).length,
    questions_asked: total((one) => one.measures.asked),
    key_question_coverage: share(
      total((one) => one.measures.keyQuestions.covered.length),
      total((one) => one.measures.keyQuestions.expected),
    ),
    false_ask_rate: share(
      total((one) => one.measures.falseAsks.length),
      total((one) => one.measures.asked),
    ),
    found_files: sharesOf(done.map((one) => one.measures.found)),
    planned_files: sharesOf(done.flatMap((one) => (one.measures.planned === null ? [] : [one.measures.planned]))),
    statements_covered: share(
      specs.reduce((sum, spec) => sum + spec.coveredStatements, 0),
      specs.reduce((sum, spec) => sum + spec.statements, 0),
    ),
    citation_validity: share(citations - wrong, citations),
    words_per_level: wordsPerLevel(specs),
    calls: total((one) => one.outcome.usage.calls),
    input_tokens: total((one) => one.outcome.usage.inputTokens),
    cached_tokens: total((one) => one.outcome.usage.cachedTokens),
    output_tokens: total((one) => one.outcome.usage.outputTokens),
    cost_usd: total((one) => one.outcome.usage.costUsd),
    unpriced_calls: total((one) => one.outcome.usage.unpricedCalls),
    ms: total((one) => one.outcome.ms),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Cases without gold files have no measures of files. */
function sharesOf(all: readonly Hits[]): { precision: number | null; recall: number | null } {
  const hits = all.filter((one) => one.gold > 0);
  const sum = (of: (one: Hits) => number) => hits.reduce((total, one) => total + of(one), 0);
  const right = sum((one) => one.right);
  return {
    precision: share(
      right,
      sum((one) => one.named),
    ),
    recall: share(
      right,
      sum((one) => one.gold),
    ),
  };
}

function wordsPerLevel(
  specs: readonly { complexity: Complexity; words: number }[],
): Partial<Record<Complexity, number>> {
  const levels = [...new Set(specs.map((spec) => spec.complexity))].toSorted();
  return Object.fromEntries(
    levels.map((level) => {
      const words = specs.filter((spec) => spec.complexity === level).map((spec) => spec.words);
      return [level, Math.round(words.reduce((sum, count) => sum + count, 0) / words.length)];
    }),
  );
}

/** One case on a line, with its mistakes below. */
export function renderCase(one: PlayedCase): string {
  if (one.kind === "failed") return `${one.id}: could not be played: ${one.error}\n`;
  const { outcome, measures } = one;
  const { keyQuestions, found } = measures;
  const spec = outcome.spec;
  const parts = [
    `${measures.asked} asked`,
    `key questions ${keyQuestions.covered.length}/${keyQuestions.expected}`,
    `files ${found.right}/${found.gold} in ${found.named} found`,
    ...(measures.planned === null
      ? []
      : [`${measures.planned.right}/${measures.planned.gold} in ${measures.planned.named} planned`]),
    spec === null ? "no spec" : `spec ${spec.complexity}, ${spec.valid ? "valid" : "partial"}, ${spec.words} words`,
    ...(spec === null
      ? []
      : [
          `statements ${spec.coveredStatements}/${spec.statements}`,
          `citations ${spec.citations - spec.wrongCitations}/${spec.citations}`,
        ]),
  ];
  const missed = keyQuestions.missed.map((id) => `    not asked: ${id}\n`);
  const falseAsks = measures.falseAsks.map(
    ({ question, forbidden }) => `    should not ask (${forbidden}): ${cut(oneLine(question), 160)}\n`,
  );
  return `${one.id}: ${parts.join(", ")}\n${[...missed, ...falseAsks].join("")}`;
}

/** The measures of the set, one a line. */
export function renderSummary(model: string, sum: EvalSummary): string {
  const words = Object.entries(sum.words_per_level).map(([level, count]) => `${level} ${count}`);
  const unpriced = sum.unpriced_calls > 0 ? `, and ${sum.unpriced_calls} call(s) of unknown price` : "";
  const rows: [string, string][] = [
    ["model", model],
    ["cases", sum.failed === 0 ? String(sum.cases) : `${sum.cases}, ${sum.failed} could not be played`],
    ["key-question coverage", percent(sum.key_question_coverage)],
    ["false-ask rate", `${percent(sum.false_ask_rate)} of ${sum.questions_asked} asked`],
    ["files found", `precision ${percent(sum.found_files.precision)}, recall ${percent(sum.found_files.recall)}`],
    ["files planned", `precision ${percent(sum.planned_files.precision)}, recall ${percent(sum.planned_files.recall)}`],
    ["specs", `${sum.specs}, ${sum.valid_specs} valid`],
    ["statements covered", percent(sum.statements_covered)],
    ["citation validity", percent(sum.citation_validity)],
    ["words per level", words.length === 0 ? "-" : words.join(", ")],
    ["tokens", `${sum.input_tokens} in (${sum.cached_tokens} cached), ${sum.output_tokens} out, ${sum.calls} call(s)`],
    ["cost", `${dollars(sum.cost_usd)}${unpriced}`],
    ["time", `${(sum.ms / 1_000).toFixed(1)} s`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(24)}${value}\n`).join("");
}

function percent(fraction: number | null): string {
  return fraction === null ? "-" : `${Math.round(fraction * 100)} %`;
}

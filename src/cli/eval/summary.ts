import type { Complexity } from "../../domain/spec.ts";
import type { CaseMeasures, CaseOutcome, Hits } from "./measure.ts";

/** A case that was played, or why it could not be. */
export type PlayedCase = { id: string } & (
  | { kind: "measured"; outcome: CaseOutcome; measures: CaseMeasures }
  | { kind: "failed"; error: string }
);

/** The measures of a whole set (R-OBS-4). Shares are from 0 to 1, and null where there is nothing to share. */
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

/** Sums before it divides: a case with many questions weighs more than one with few. */
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

/** Cases without gold files say nothing about files. */
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

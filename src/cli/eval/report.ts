import { dollars } from "../costs.ts";
import type { EvalSummary, PlayedCase } from "./summary.ts";

/** One case as a line, and what went wrong in it below. */
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
    ...(spec === null ? [] : [`citations ${spec.citations - spec.wrongCitations}/${spec.citations}`]),
  ];
  const missed = keyQuestions.missed.map((id) => `    not asked: ${id}\n`);
  const falseAsks = measures.falseAsks.map(
    ({ question, forbidden }) => `    should not ask (${forbidden}): ${oneLine(question)}\n`,
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
    ["citation validity", percent(sum.citation_validity)],
    ["words per level", words.length === 0 ? "-" : words.join(", ")],
    ["tokens", `${sum.input_tokens} in (${sum.cached_tokens} cached), ${sum.output_tokens} out, ${sum.calls} call(s)`],
    ["cost", `${dollars(sum.cost_usd)}${unpriced}`],
    ["time", `${(sum.ms / 1_000).toFixed(1)} s`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(24)}${value}\n`).join("");
}

function percent(share: number | null): string {
  return share === null ? "-" : `${Math.round(share * 100)} %`;
}

function oneLine(text: string): string {
  const folded = text.replaceAll(/\s+/g, " ");
  return folded.length > 160 ? `${folded.slice(0, 159)}…` : folded;
}

import { QUOTED } from "../../approval/list-answers.ts";
import { gherkinIn } from "../../domain/issue-text/gherkin.ts";
import { isNegated } from "../../domain/issue-text/negation.ts";
import { isQuestion, sentencesOf } from "../../domain/issue-text/sentences.ts";
import { onlyAsksForFix } from "../../domain/statements/sentence.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { shared, significantWords } from "../../domain/text/significant-words.ts";
import type { SpecInput } from "../generator.ts";
import { saysSame } from "./heard.ts";
import type { Said } from "./own-words.ts";
import { expectation, plain } from "./plain.ts";

const MOST_CRITERIA = 8;

/** The acceptance criteria of which the discussion does not speak, and an answer to what must pass. */
export function criteriaOf(
  { reading, statements }: SpecInput,
  acceptance: Said | null,
  spokenOf: readonly string[],
): Said[] {
  const overruled = statements.statements.filter((one) => one.message === null && one.supersededBy !== null);
  const own = reading.acceptanceCriteria
    .filter((criterion) => !spokenOf.includes(criterion))
    .filter((criterion) => !overruled.some(({ text }) => text === criterion || saysSame(text, criterion)))
    .map((text) => ({ text, gap: null }));
  const answer = acceptance?.gap == null || onlyAsksForFix(acceptance.text, reading.title) ? [] : [acceptance];
  return [...answer, ...own]
    .filter(({ text, gap }) => plain(text) !== "" && !(gap === null && isQuestion(expectation(text))))
    .slice(0, MOST_CRITERIA);
}

/**
 * The acceptance criteria that the discussion may have refused or changed: people answer them, or they share words
 * with what people decided. A scenario with all its steps stands beside that, unless a no speaks of it.
 */
export function criteriaSpokenOf({ reading }: Pick<SpecInput, "reading">, record: readonly Statement[]): string[] {
  const texts = record.map(({ text }) => text);
  const quoted = texts.flatMap((text) => text.match(QUOTED) ?? []).join("\n");
  const said = texts.map((text) => text.replaceAll(QUOTED, "")).join("\n");
  const discussed = significantWords(said);
  const refused = sentencesOf(said).flatMap(({ text }) => (isNegated(text) ? [significantWords(text)] : []));
  return reading.acceptanceCriteria.filter((criterion) => {
    if (quoted.includes(plain(criterion).slice(0, ALIKE))) return true;
    const words = significantWords(criterion);
    return isScenario(criterion) ? refused.some((no) => shared(words, no) >= SHARED) : shared(words, discussed) > 0;
  });
}

/** Characters at its beginning by which a quoted criterion is known. */
const ALIKE = 40;
/** Words that a refusal has in common with the scenario that it refuses. */
const SHARED = 2;

/** Whether a criterion tells all the steps of a case. */
export function isScenario(criterion: string): boolean {
  return gherkinIn(criterion)?.given !== undefined;
}

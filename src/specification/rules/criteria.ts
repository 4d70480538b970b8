import { isQuestion } from "../../domain/issue-text/sentences.ts";
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

/** The acceptance criteria that people answer, or that share words with what they decided. */
export function criteriaSpokenOf({ reading }: Pick<SpecInput, "reading">, record: readonly Statement[]): string[] {
  const texts = record.map(({ text }) => text);
  const quoted = texts.flatMap((text) => text.match(QUOTED) ?? []).join("\n");
  const discussed = significantWords(texts.map((text) => text.replaceAll(QUOTED, "")).join("\n"));
  return reading.acceptanceCriteria.filter(
    (criterion) =>
      quoted.includes(plain(criterion).slice(0, ALIKE)) || shared(significantWords(criterion), discussed) > 0,
  );
}

const QUOTED = /“[^”]*”/g;
/** Characters at its beginning by which a quoted criterion is known. */
const ALIKE = 40;

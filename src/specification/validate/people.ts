import type { Section, SpecDocument } from "../../domain/spec-document/document.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { shared, significantWords } from "../../domain/text/significant-words.ts";
import { cut } from "../../lib/text.ts";
import { expectation } from "../rules/plain.ts";
import { type SpecProblem, error, warning } from "./rules.ts";

/** How far a spec takes a statement up: the share of its words in the line that says most, and whether one cites it. */
interface TakenUp {
  words: number;
  isCited: boolean;
}

/** Share of a statement's words that one line must say. */
const MOST_WORDS = 0.6;
/** Added to the share by a line that has all of its code. */
const FOR_CODE = 0.2;
/** Sections where a statement has an effect; unknown ones may hold open questions. */
const WITH_EFFECT = new Set<Section["key"]>(["criteria", "goals", "decisions", "assumptions", null]);
/** Problems that are listed one by one. */
const LISTED = 20;
const SHOWN = 160;

/** Tells for each statement how the spec takes it up: in a scenario, goal, non-goal, decision or assumption (R-SPEC-16). */
export function statementsTakenUp(document: SpecDocument, statements: readonly Statement[]): Map<Statement, TakenUp> {
  const units = unitsOf(document).map(unit);
  const told = document.problem.split(/\n+/).map(unit);
  const cited = (alsoProblem: boolean) =>
    new Set(
      document.citations.flatMap((citation) => {
        const section = document.sections.findLast(({ line }) => line <= citation.line);
        const counts = section && (WITH_EFFECT.has(section.key) || (alsoProblem && section.key === "problem"));
        return citation.kind === "message" && counts ? [Number(citation.id)] : [];
      }),
    );
  const effective = cited(false);
  const mentioned = cited(true);
  return new Map(
    statements
      .filter((statement) => statement.supersededBy === null)
      .map((statement) => {
        // What is about the fault may stand where the fault is told.
        const isFact = statement.kind === "fact";
        // A spec says what is wanted without the words for who wants it.
        const said = unit(expectation(statement.text));
        const words = Math.max(0, ...(isFact ? [...units, ...told] : units).map((one) => shareOf(said, one)));
        const messages = [statement.message, statement.agreedIn];
        const numbers = isFact ? mentioned : effective;
        return [statement, { words, isCited: messages.some((seq) => seq !== null && numbers.has(seq)) }];
      }),
  );
}

/** The statements that stand, and are nowhere in the spec. */
export function uncovered(document: SpecDocument, statements: readonly Statement[]): Statement[] {
  return [...statementsTakenUp(document, statements)].flatMap(([statement, how]) =>
    how.words < MOST_WORDS && !how.isCited ? [statement] : [],
  );
}

/** The rule `people_covered`. */
export function peopleCovered(document: SpecDocument, statements: readonly Statement[]): SpecProblem[] {
  const missing = uncovered(document, statements);
  const { lineCount } = document;
  const first = missing.filter(({ decides }) => decides);
  const problems = [
    ...first.map((statement) => error("people_covered", lineCount, detailOf(statement))),
    ...missing.flatMap((one) => (one.decides ? [] : [warning("people_covered", lineCount, detailOf(one))])),
  ];
  if (problems.length <= LISTED) return problems;
  const rest = `${problems.length - LISTED} more statements of people are nowhere in the spec`;
  const counted = first.length > LISTED ? error : warning;
  return [...problems.slice(0, LISTED), counted("people_covered", lineCount, rest)];
}

const BELONGS = {
  wish: "make it a scenario",
  bound: "make it a non-goal, or a scenario of what stays",
  fact: "put it into the problem statement, or into GIVEN of its scenario",
  decision: "put it into the Decision Log",
};

function detailOf({ kind, text, author, message, decides }: Statement): string {
  const from = message === null ? "in the issue's text" : `in message ${message}`;
  const where = decides ? BELONGS[kind] : `@${author} does not decide here, so make it an assumption or a question`;
  const cite = message === null ? "in its words" : `and cite \`message ${message}\``;
  return `a ${kind} of @${author} ${from} is nowhere in the spec: “${cut(text, SHOWN)}”; ${where}, ${cite}`;
}

/** What stands together in the spec. */
function unitsOf({ requirements, looseScenarios, goals, nonGoals, decisions, assumptions }: SpecDocument): string[] {
  const scenario = ({ name, steps }: (typeof looseScenarios)[number]) =>
    [name, ...steps.map(({ text }) => text)].join("\n");
  return [
    ...requirements.flatMap(({ name, statement, scenarios }) => [
      `${name}\n${statement}`,
      ...scenarios.map((one) => `${statement}\n${scenario(one)}`),
    ]),
    ...looseScenarios.map(scenario),
    ...[...goals, ...nonGoals].map(({ text }) => text),
    ...decisions.map((one) => `${one.decision}\n${one.context}\n${one.consequences}`),
    ...assumptions.map((one) => `${one.assumption}\n${one.ifWrong}`),
  ];
}

interface Unit {
  text: string;
  words: ReadonlySet<string>;
  code: string[];
}

function unit(text: string): Unit {
  const code = [...text.matchAll(/`([^`\n]{2,80})`/g)].map((found) => found[1] ?? "");
  // An address is cited by what is said about it.
  const words = significantWords(text.replaceAll(/https?:\/\/\S+/g, " "));
  return { text, words: words.size > 2 ? words : significantWords(text), code };
}

/** The share of the words of a statement that the unit says. */
function shareOf(said: Unit, { text, words }: Unit): number {
  const found = shared(said.words, words);
  if (said.words.size === 0 || found < Math.min(2, said.words.size)) return 0;
  const hasCode = said.code.length > 0 && said.code.every((name) => text.includes(name));
  return found / said.words.size + (hasCode ? FOR_CODE : 0);
}

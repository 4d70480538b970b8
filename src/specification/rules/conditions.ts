import { EXPECTS, SHOULD } from "../../domain/issue-text/aspect-words.ts";
import { FAULT } from "../../domain/issue-text/kind.ts";
import { type GherkinSteps, gherkinIn } from "../../domain/issue-text/gherkin.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { plainText } from "../../domain/issue-text/markdown.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import { WORKS, sentencesOfIssue } from "./bounds.ts";
import { phrase } from "./plain.ts";

const CONDITION =
  /^(?:when(?:ever)?|if|wenn|falls|sobald|если|когда|при|si|cuando|quand|lorsque|se|quando|(?:lorsqu|s)['’](?=\p{L}))\s*(?<=[\s'’])(.{3,}?),\s*(?:then\s+|dann\s+|то\s+|entonces\s+|alors\s+|então\s+)?(.{3,})$/iu;
const ARROW = /^(.{3,}?)\s*(?:→|⇒|->|=>)\s*(.{3,})$/u;

/** Splits `Given X, when Y, then Z`, `If X, Y` and `X → Y` into their parts. */
export function conditionIn(text: string): GherkinSteps | null {
  const steps = gherkinIn(text);
  if (steps !== null) return steps;
  const match = CONDITION.exec(text) ?? ARROW.exec(text);
  // A split inside a code span does not count.
  const isWhole = match !== null && (match[1]?.match(/`/g)?.length ?? 0) % 2 === 0;
  return isWhole ? { when: match[1] ?? "", outcome: match[2] ?? "" } : null;
}

/** Removes the word that the step's own keyword says already. */
export function withoutWhen(text: string): string {
  return text.replace(
    /^(?:(?:when(?:ever)?|wenn|когда|cuando|quand|lorsque?|quando)(?=[\s'’])['’\s]\s*|当\s*)(?=\S)/iu,
    "",
  );
}

/** A clause before the main one that says when something happens. */
const LEADING: readonly RegExp[] = [
  /^(?:[\p{L}]+,\s+)?(?:when(?:ever)?|if|wenn|falls|sobald|если|когда|si|cuando|quand|lorsque|se|quando)\s+(?!(?:i|we) (?:understand|remember|recall)|possible|needed|so\b)([^,]{8,160}),\s+\S/iu,
  /^((?:after|while|as soon as|once|nachdem|beim?|после|при|tras|al|après|en|après|ao|após|depois de)\s+[^,]{8,160}),\s+\S/iu,
  /^(?:当|如果)?([^，,。]{2,80}?)(?:的时候|时|的情况下|之?后)[，,]/u,
  /^([^、,。]{2,80}?(?:場合|とき|時|際))(?:に|は|には)?[、,]/u,
  /^([^、,。]{2,80}?(?:すると|したら|ると|くと|むと|すと))[、,]/u,
];
/** The same after the main one: “it fails when …”. */
const TRAILING =
  /(?:^|[\s,])(?:when(?:ever)?|if|wenn|sobald|когда|если|cuando|quand|lorsque|quando)\s+(?!(?:possible|needed|not|so)\b)(.{8,140})$/iu;

function leadingIn(texts: readonly string[]): (string | undefined)[] {
  return texts.map((text) => LEADING.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined));
}

function trailingIn(texts: readonly string[]): (string | undefined)[] {
  return texts.map((text) => TRAILING.exec(text.replace(/[.!。]$/, ""))?.[1]);
}

/** The case in which a fault is said to occur, from the sentences that tell of it and its title; null if none says it. */
export function occasionIn(reading: IssueReading): string | null {
  const { title, acceptanceCriteria: criteria } = reading;
  // The case of one criterion is not that of another.
  const isJudged = (text: string) =>
    criteria.some((one) => one.includes(plainText(text)) && (criteria.length > 1 || gherkinIn(one) !== null));
  const told = sentencesOfIssue(reading).filter(
    (text) =>
      !isJudged(text) &&
      text.length <= 320 &&
      !/[?？:：]$/.test(text) &&
      !WORKS.test(text) &&
      !EXPECTS.test(text) &&
      !SHOULD.test(text),
  );
  const [faults, others] = [told.filter((text) => FAULT.test(text)), told.filter((text) => !FAULT.test(text))];
  // What tells of the fault comes before what tells of something else.
  const found = [...leadingIn(faults), ...trailingIn([title, ...faults]), ...leadingIn(others)];
  const closed = found.find((one) => one !== undefined && isClosed(one));
  return closed === undefined ? null : phrase(closed, 200);
}

/** Not cut inside code or brackets. */
function isClosed(text: string): boolean {
  return (
    !/[:：]/.test(text.replaceAll(/`[^`]*`/g, "")) &&
    (text.match(/`/g)?.length ?? 0) % 2 === 0 &&
    text.split("(").length === text.split(")").length
  );
}

const GOAL =
  /^(?:(?:the|our|das|le|la|el|o|a)\s+)?(?:goal|target|aim|ziel(?:wert)?|objectif|cible|objetivo|meta|цель|目标|目標)(?:\s+is)?\s*[:：]\s*(?=\S)/iu;

/** A goal with a value, as those who decide named it: “Goal: the year in under 40 s”; null without one. */
export function goalIn(decisions: readonly string[]): { text: string; gap: null } | null {
  const said = decisions.flatMap((text) => sentencesOf(text)).map(({ text }) => text);
  const goal = said.findLast((text) => GOAL.test(text) && /\d|`/.test(text));
  return goal === undefined ? null : { text: goal.replace(GOAL, ""), gap: null };
}

import { parseSpec } from "../../domain/spec-document/parse.ts";
import { isNegated } from "../../domain/issue-text/negation.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import { forbidsPlaces } from "../../domain/statements/places-meant.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { anyWord, beginsWith } from "../../domain/statements/words.ts";
import type { Translate } from "../../i18n/phrases.ts";
import type { SpecInput } from "../generator.ts";
import { statementsTakenUp } from "../validate/people.ts";
import { STAYS, WORKS } from "./bounds.ts";
import { conditionIn } from "./conditions.ts";
import { shared, significantWords } from "../../domain/text/significant-words.ts";
import { phrase, plain } from "./plain.ts";

/** Statements of people that nothing else in the spec says, each for the place where it belongs. */
export interface Heard {
  wishes: Statement[];
  /** What is out, and what stays as it is. */
  bounds: Statement[];
  stays: Statement[];
  decisions: Statement[];
  /** What the issue's own text wants to be done first, as far as it is the reporter's fix. */
  tried: Statement[];
  /** Facts that tell in which case the fault occurs. */
  cases: Statement[];
  facts: Statement[];
  /** Of people who do not decide: never more than an assumption. */
  hearsay: Statement[];
}

/** Words with which a fact narrows the case in which something happens. */
const NARROWS = anyWord("narrows", String.raw`\p{L}`);

/** Characters of an answer that the Decision Log shows. */
const SHOWN_ANSWER = 150;

/** Words that `STAYS` leaves to the sentence around them. */
const KEEPS = anyWord("staysSo");

function stays(statement: Statement): boolean {
  return !isHandsOff(statement) && (STAYS.test(statement.text) || KEEPS.test(statement.text));
}

/** Orders to leave something as it is: they limit the work, and nothing that the program does shows them. */
const HANDS_OFF = anyWord("handsOff");

/** Whether a comment’s sentence only orders to leave something as it is. */
export function isHandsOff({ message, text }: Pick<Statement, "message" | "text">): boolean {
  return message !== null && HANDS_OFF.test(text);
}

/** Share of its words with which a statement counts as said: its own line costs little. */
const NEARLY_ALL = 0.8;

/**
 * The statements that a draft leaves out. A message cited for one of its statements may hold others. A draft that names a
 * file does not say that nobody is to touch it.
 */
export function leftOut(
  draft: string,
  { statements, closedGaps }: Pick<SpecInput, "statements" | "closedGaps">,
  forbiddenIn: (statement: Statement) => readonly string[] = () => [],
): Statement[] {
  const own = statements.statements;
  const answers = closedGaps.flatMap(({ closedReason, closedNote }) =>
    closedReason === "answered" && closedNote !== null && closedNote.length <= SHOWN_ANSWER ? [closedNote] : [],
  );
  const perMessage = Map.groupBy(own, ({ message }) => message);
  return [...statementsTakenUp(parseSpec(draft), own)].flatMap(([statement, how]) => {
    const isOnly = perMessage.get(statement.message)?.length === 1;
    const isCited = how.isCited && (isOnly || answers.some((answer) => answer.includes(statement.text)));
    return (how.words >= NEARLY_ALL || isCited) && forbiddenIn(statement).length === 0 ? [] : [statement];
  });
}

/** Sorts statements to their places; one that says what another said before is left out. */
export function heardIn(
  statements: readonly Statement[],
  {
    isRequest,
    reporter,
    proposal,
    record,
    byReporter,
  }: {
    isRequest: boolean;
    reporter: string;
    proposal: string | null;
    record: readonly Statement[];
    /** Whether the reporter wrote a message. */
    byReporter: (message: number) => boolean;
  },
): Heard {
  const recorded = new Set(record.map(({ message }) => message));
  // The issue's own text is what the spec is about, whoever wrote it; it has no message to cite.
  const hearsay = statements.filter(({ decides, message }) => !decides && message !== null);
  const of = (...kinds: Statement["kind"][]) =>
    statements.filter(
      (one) =>
        kinds.includes(one.kind) &&
        !hearsay.includes(one) &&
        !(
          recorded.has(one.message) &&
          !(one.kind === "bound" && leavesOut(one)) &&
          (isRequest || record.length > 1 || one.kind !== "wish")
        ),
    );
  const wishes = [...of("wish"), ...of("decision").filter(({ message }) => message === null)];
  const tried = wishes.filter(({ text, message }) => message === null && proposal !== null && saysSame(text, proposal));
  // What a comment wants of something new is clear beside the other decisions, unless it names its own case.
  const isSettled = ({ message, text }: Statement) =>
    message !== null && (record.length > 1 || (isRequest && (record.length > 0 || !namesCase(text))));
  const settledFacts = of("fact").filter((one) => isRequest && one.message !== null && one.author !== reporter);
  // “All GETs except /health” sets limits to what is wanted, and leaves nothing out.
  const loose = of("bound").filter((one) => one.message !== null && !leavesOut(one) && !stays(one));
  const decisions = [
    ...record,
    // The record has all that those who decide say; what they take up of others stands beside it.
    ...of("decision").filter(
      ({ message, agreedIn }) =>
        message !== null && (record.length === 0 || (agreedIn !== null && !byReporter(agreedIn))),
    ),
    ...wishes.filter((one) => isWay(one) || isSettled(one)),
    ...loose,
    ...settledFacts,
  ];
  const isCase = ({ text }: Statement) => !isRequest && NARROWS.test(text) && !WORKS.test(text);
  return {
    wishes: wishes.filter((one) => !tried.includes(one) && !decisions.includes(one)),
    bounds: of("bound").filter((one) => !stays(one) && !decisions.includes(one)),
    stays: of("bound").filter((one) => stays(one)),
    decisions: decisions.toSorted((a, b) => (a.message ?? 0) - (b.message ?? 0)),
    // Once it was discussed, what the text of a request wants is no decision.
    tried: isRequest && record.length > 0 ? [] : tried,
    cases: of("fact").filter(isCase),
    facts: of("fact").filter((one) => !isCase(one) && !decisions.includes(one)),
    // What a decision answers is told there.
    hearsay: hearsay.filter((one) => !decisions.some(({ text }) => text.includes(one.text))),
  };
}

/** The messages of those who decide beside those that have places of their own. */
export function recordBeside(
  placed: readonly (number | null | undefined)[],
  { record }: Pick<SpecInput["statements"], "record">,
): Statement[] {
  return record.filter((one) => !placed.includes(one.message) && !sparesOnly(one));
}

/** Whether a message orders nothing but to leave places as they are: such orders are Non-goals. */
function sparesOnly(one: Statement): boolean {
  return sentencesOf(one.text).every(({ text }) => {
    const part = { ...one, text };
    return (forbidsPlaces(text) || isHandsOff(part)) && leavesOut(part);
  });
}

/** An order to leave something out or as it is, and no wish that says “only” or “no” on its way. */
function leavesOut({ message, text }: Statement): boolean {
  const [first = text, ...others] = text.split(/[,;:，；：、]\s*/u);
  const ordersIn = (part: string) => isHandsOff({ message, text: part }) || forbidsPlaces(part);
  return (
    isNegated(text.trim().split(/\s+/, 4).join(" ").slice(0, 40)) ||
    // “Exit 1, and don't touch the row” asks for something first.
    (ordersIn(text) && (others.length === 0 || ordersIn(first) || !/\p{L}+ \p{L}+/u.test(first)))
  );
}

/** Names the case that it is about: a condition, or a command of its own. */
function namesCase(text: string): boolean {
  return conditionIn(text) !== null || COMMAND.test(text);
}

const COMMAND = /`[a-z][\w./-]+ [^`]{2,}`/;

/** Proposes how it is to be done: no outcome that a test could see. */
const WAY = beginsWith("way");

export function isWay({ message, text }: Statement): boolean {
  return message !== null && WAY.test(text);
}

/** Whether two texts say the same in nearly the same words. */
export function saysSame(one: string, other: string): boolean {
  const [a, b] = [significantWords(one), significantWords(other)];
  const fewer = Math.min(a.size, b.size);
  return fewer > 1 && shared(a, b) >= fewer * NEARLY_ALL;
}

const MOST = 300;

/** A statement with the message to cite. */
export function quoted({ text, message }: Statement): string {
  return message === null ? phrase(text, MOST) : `${phrase(text, MOST)} (message ${message})`;
}

/** Who decided, in which message. */
export function contextOf({ author, message, agreedIn }: Statement, say: Translate<"spec">): string {
  const login = plain(author, 60);
  const by = message === null ? say("decided_in_issue", { login }) : `message ${message}: @${login}`;
  return agreedIn === null ? by : `${by}; ${say("agreed_in", { seq: agreedIn })}`;
}

/** What somebody without a say stated, as an assumption and what to do if it is wrong. */
export function assumptionOf({ kind, text, author, message }: Statement, say: Translate<"spec">): [string, string] {
  const slots = { text: phrase(text, MOST), login: plain(author, 60), seq: message ?? 0 };
  return kind === "fact"
    ? [say("hearsay_fact", slots), say("wrong_hearsay")]
    : [say("hearsay_wish", slots), say("wrong_hearsay_wish")];
}

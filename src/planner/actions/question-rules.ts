import type { ActionBatch, ActionProblem } from "../../domain/action.ts";
import { anyPhrase } from "../../domain/issue-text/phrases.ts";
import { type BatchState, type Complaint, quoted } from "./batch-state.ts";
import type { ProjectedGap, Projection } from "./projection.ts";
import phrases from "./stock-phrases.json" with { type: "json" };

/* Rules for the questions that people are asked, whoever plans (R-PLAN-15). */

/** Questions that wait for answers at a time, and if all of them are blocking. */
const ROUND = 3;
const BLOCKING_ROUND = 4;
/** Words of a comment that asks questions; a piece of code counts as one. */
const WORDS = 200;

const STOCK = anyPhrase(phrases.questions);
const GO_AHEAD = anyPhrase(phrases.go_ahead);
const THANKS = new RegExp(
  `^(?:@[\\w-]+[,:]?\\s*)*(?:\\p{Extended_Pictographic}|${anyPhrase(phrases.thanks).source})`,
  "iu",
);
/** `src/a.ts`, `a.ts`, `src/a.ts:3-9`, `Makefile:3`, or in backticks `bin/relay`. */
const PLACE = /[\w-]{2,}\.[a-z][a-z0-9]{0,11}\b|\/[\w-]+\.[a-z][a-z0-9]{0,11}\b|[\w.-]+:\d+|`[^`\s]+\/[^`\s]+`/u;

/** The problems of what is asked after the whole batch has run. Pure. */
export function judgeQuestions(batch: ActionBatch, projection: Projection, state: BatchState): ActionProblem[] {
  const open = projection.gaps.filter((gap) => gap.status === "open");
  const asked = open.flatMap(({ askedBy, ...gap }) => (askedBy === null ? [] : [{ ...gap, index: askedBy }]));
  const comments = batch.actions.flatMap((action, index) =>
    action.type === "post_comment" ? [{ index, text: action.data.content }] : [],
  );
  return [
    ...judgeRound(open, asked),
    ...asked.flatMap(({ index, ...gap }) =>
      [...judgeQuestion(gap, state), ...judgeWritten(gap, comments)].map((complaint) => ({ index, ...complaint })),
    ),
    ...comments.flatMap(({ index, text }) =>
      judgeComment(text, { asked, isOpen: open.length > 0 }).map((complaint) => ({ index, ...complaint })),
    ),
  ];
}

type Asked = Omit<ProjectedGap, "askedBy">;

function judgeRound(open: readonly Pick<Asked, "severity">[], asked: readonly { index: number }[]): ActionProblem[] {
  const most = open.every(({ severity }) => severity === "blocking") ? BLOCKING_ROUND : ROUND;
  const last = asked.at(-1);
  if (last === undefined || open.length <= most) return [];
  const detail = `${open.length} questions would wait for answers; at most 3 may, or 4 that are all blocking; keep the rest with "pending": true, or close them as inferred`;
  return [{ index: last.index, rule: "question_limit", detail }];
}

function judgeQuestion({ number, question, evidence, severity }: Asked, state: BatchState): Complaint[] {
  const complaints: Complaint[] = [];
  if (severity === "low") {
    const detail = `question ${number} is low, so it is not worth asking; close it as inferred with its default`;
    complaints.push({ rule: "question_low", detail });
  }
  const stock = STOCK.exec(plain(question));
  if (stock !== null) {
    const detail = `question ${number} is a stock phrase (${quoted(stock[0])}); ask about one case, with its choices, or drop it`;
    complaints.push({ rule: "question_stock", detail });
  }
  if (evidence !== null && evidence.trim() !== "" && !namesPlace(evidence, state)) {
    const detail = `the evidence of question ${number} names nothing that can be looked up; name a place (src/a.ts:12), a message (#3), or the issue's text (#${state.issue})`;
    complaints.push({ rule: "question_evidence", detail });
  }
  return complaints;
}

function namesPlace(evidence: string, { messages, issue }: BatchState): boolean {
  const numbers = [...evidence.matchAll(/#([\w.-]*\w)/g)].map((found) => found[1]);
  const isMessage = (number: string | undefined) => messages.some(({ seq }) => String(seq) === number);
  return PLACE.test(evidence) || numbers.some((number) => number === issue || isMessage(number));
}

/** A question that is stored but missing from every comment would never be answered. */
function judgeWritten({ number }: Asked, comments: readonly { text: string }[]): Complaint[] {
  if (comments.some(({ text }) => holdsNumber(text, number))) return [];
  const detail = `question ${number} is asked, and no comment of this batch holds it as **${number}.**; write it into the comment to its respondent, or close it in the same action if it is your own assumption`;
  return [{ rule: "gap_comment", detail }];
}

function judgeComment(text: string, given: { asked: readonly { number: number }[]; isOpen: boolean }): Complaint[] {
  const complaints: Complaint[] = [];
  if (THANKS.test(text.trim())) {
    complaints.push({ rule: "comment_opening", detail: "it opens with thanks or an emoji; begin with what matters" });
  }
  if (given.isOpen && GO_AHEAD.test(plain(text))) {
    const detail = "it asks for the go-ahead while questions are open; drop that, and ask when they are answered";
    complaints.push({ rule: "go_ahead_alone", detail });
  }
  const words = given.asked.some(({ number }) => holdsNumber(text, number)) ? wordsIn(text) : 0;
  if (words > WORDS) {
    const detail = `the comment with the questions has ${words} words, at most ${WORDS} fit; keep each question, why it matters and its default`;
    complaints.push({ rule: "comment_words", detail });
  }
  return complaints;
}

function holdsNumber(text: string, number: number): boolean {
  return new RegExp(`(?<!\\d)${number}(?!\\d)`).test(text);
}

function plain(text: string): string {
  return withoutCode(text).replaceAll("’", "'");
}

function withoutCode(text: string): string {
  return text.replaceAll(/```.*?(?:```|$)/gs, " code ").replaceAll(/`[^`\n]*`/g, " code ");
}

const SIGN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
/** Characters that count as a word in scripts without spaces. */
const SIGNS_PER_WORD = 2.5;

function wordsIn(text: string): number {
  const told = withoutCode(text);
  const signs = told.match(SIGN)?.length ?? 0;
  const spaced = told.replaceAll(SIGN, " ").match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0;
  return spaced + Math.round(signs / SIGNS_PER_WORD);
}

import { isFragment } from "../../lib/text.ts";
import type { Topic } from "../../domain/gap.ts";
import { sameLogin } from "../../domain/login.ts";
import { isQuestion, sentencesOf } from "../../domain/issue-text/sentences.ts";
import { isRival } from "../../domain/statements/rival-values.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { beginsWith } from "../../domain/statements/words.ts";
import { shared, significantWords } from "../../domain/text/significant-words.ts";
import { LONGEST_MESSAGE } from "../../approval/record.ts";
import type { Answer } from "./facts.ts";
import { contextOf as saidBy } from "./heard.ts";
import { numberedTable } from "./markdown.ts";
import { shown } from "./places.ts";
import { expectation, phrase, sentence, wholePhrase } from "./plain.ts";
import { DECISION, type Parts } from "./sections.ts";

const CONSEQUENCE: Record<Topic, "consequence_case" | "consequence_scenario" | "consequence_scope"> = {
  reproduction: "consequence_case",
  actual: "consequence_case",
  expected: "consequence_scenario",
  acceptance: "consequence_scenario",
  scope: "consequence_scope",
  compatibility: "consequence_scope",
};

const THANKS = beginsWith("thanks");

/** How much a statement says of what another one said before, or sets in place of it. */
function nearness(one: Statement, before: Statement): number {
  const found = shared(significantWords(before.text), significantWords(one.text));
  return found + (isRival(one.text, before.text) ? 0.5 : 0);
}

/** One row per answer, and one for the place where the work begins. */
export function decisionsOf({ input, facts, tasks, say }: Parts, withPlace: boolean): string {
  const { statements, record } = input.statements;
  const isTold = (old: Statement) => record.some(({ message }) => message === old.message);
  // Of a message that says several things, the one that speaks most of the same took its place.
  const replacedBy = (one: Statement) => {
    const by = one.agreedIn ?? one.message;
    const said = statements.filter(({ kind, message, agreedIn }) => kind !== "fact" && (agreedIn ?? message) === by);
    return statements.filter((old) => {
      if (old.supersededBy === null || old.supersededBy !== by) return false;
      const nearest = said.toSorted((a, b) => nearness(b, old) - nearness(a, old))[0];
      return nearest === one || (record.includes(one) && nearest?.message === one.message && !isTold(old));
    });
  };
  const isReporters = ({ author }: Statement) => sameLogin(author, input.issue.reporter);
  const isRanked = record.some((one) => !isReporters(one));
  const lasting = record.findLast((one) => !isRanked || !isReporters(one));
  const consequenceOf = (one: Statement) => {
    const sentences = sentencesOf(one.text);
    const isPut = sentences.some(({ text }) => isQuestion(text));
    // “Thanks. Which version?” decides nothing.
    if (isPut && sentences.every(({ text }) => isQuestion(text) || THANKS.test(text))) return say("consequence_open");
    if (!record.includes(one)) return say("consequence_plan");
    if (isRanked && isReporters(one)) return say(isPut ? "consequence_asked" : "consequence_reporter");
    return say(one === lasting ? "consequence_plan" : "consequence_unless");
  };
  const rows = facts.answers.map((answer) => [
    decided(answer) || `Gap #${answer.gap.number}`,
    contextOf(answer, say),
    answer.gap.topic === null ? say("consequence_plan") : say(CONSEQUENCE[answer.gap.topic]),
  ]);
  rows.push(
    ...[...facts.heard.decisions, ...facts.heard.tried].map((one) => [
      record.includes(one) ? wholePhrase(one.text, LONGEST_MESSAGE) : sentence(phrase(expectation(one.text), 300)),
      [
        saidBy(one, say),
        ...replacedBy(one).map((old) =>
          say("in_place_of", { text: say("quoted", { text: phrase(old.text, 80) }), by: saidBy(old, say) }),
        ),
      ].join("; "),
      consequenceOf(one),
    ]),
  );
  const [place] = facts.kind === "docs" ? [...facts.docs, ...facts.places] : facts.places;
  const task = tasks.findIndex((one) => place !== undefined && one.touchPoints.includes(place.path)) + 1;
  if (place && withPlace) {
    rows.push([
      say("decision_place", { place: shown(place) }),
      `Finding #${place.finding}: ${say(`tie_${place.tie}`)}`,
      say("consequence_task", { number: task }),
    ]);
  }
  return numberedTable(["Decision", "Context (Gap/Finding)", "Consequences"], rows);
}

/** An answer of a word or a number with its question. */
function decided({ gap }: Answer): string {
  const text = phrase(gap.closedNote ?? "", DECISION);
  return sentence(text !== "" && isFragment(text) ? `${phrase(gap.question, 80)} ${text}` : text);
}

function contextOf({ gap, message }: Answer, say: Parts["say"]): string {
  const question = `Gap #${gap.number} (${say("quoted", { text: phrase(gap.question, 80) })})`;
  if (!message) return question;
  return `${question}, ${say("decision_by", { login: message.author, day: message.day, seq: message.seq })}`;
}

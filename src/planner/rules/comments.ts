import type { Gap, Respondent, Severity } from "../../domain/gap.ts";
import type { Translate } from "../../i18n/messages.ts";
import type { QuestionKey } from "../../i18n/questions.ts";

/** A question before it is stored, with the number that it will get. */
export interface Question {
  number: number;
  question: string;
  why: string;
  severity: Severity;
  respondent: Respondent;
  proposedDefault: string;
}

type Phrases = Translate<QuestionKey>;

/** One comment for one respondent: numbered, tagged, each with why it matters and what is assumed without an answer (R-PLAN-6). */
export function questionComment(login: string, questions: Question[], say: Phrases): string {
  const items = questions.map(({ number, question, why, severity, proposedDefault }) =>
    [
      `**${number}.** ${question} _(${say(`severity_${severity}`)})_`,
      `   ${say("why", { text: why })}`,
      `   ${say("default", { text: proposedDefault })}`,
    ].join("\n"),
  );
  return [say("greeting", { login }), ...items, say("closing")].join("\n\n");
}

/** The short comment that asks for the go-ahead, apart from any question (R-PLAN-7). */
export function gateComment(place: string | null, revision: boolean, say: Phrases): string {
  if (revision) return say("gate_revision");
  return place === null ? say("gate") : say("gate_found", { text: `\`${place}\`` });
}

/** What is assumed in place of the answers that nobody gave (R-PLAN-8). */
export function assumptionsComment(assumed: { gap: Gap; assumption: string }[], say: Phrases): string {
  return [
    say("assumptions"),
    ...assumed.map(
      ({ gap, assumption }) =>
        `- ${say("assumption", { number: gap.number, question: gap.question, text: assumption })}`,
    ),
  ].join("\n");
}

import type { Action } from "../../domain/action.ts";
import type { Finding } from "../../domain/finding.ts";
import { type Gap, RESPONDENTS, type Respondent } from "../../domain/gap.ts";
import type { Translate } from "../../i18n/phrases.ts";
import type { CycleContext } from "../planner.ts";
import type { Located } from "../../code/search/rank-files.ts";
import { type MissingTopic, type Question, missingTopics, questionComment, shownLead } from "./questions.ts";

/** Stores the questions and asks them, one comment per respondent (R-PLAN-6). */
export function ask(
  context: CycleContext,
  missing: MissingTopic[],
  say: Translate<"questions">,
  shown: Pick<Finding, "synthesis" | "sources">[] | null,
): Action[] {
  const decider = deciderOf(context);
  const questions = missing.map((topic, index) => ({
    ...topic,
    evidence: `${topic.why} (${[...topic.places, `#${context.issue.externalIssueId}`].join(", ")})`,
    number: context.nextGapNumber + index,
    respondent: topic.respondent === "assignee" ? decider.respondent : topic.respondent,
  }));
  return [
    {
      type: "update_gaps",
      data: {
        add: questions.map((question) => ({
          question: question.question,
          evidence: question.evidence,
          severity: question.severity,
          respondent: question.respondent,
          pending: false,
          topic: question.topic,
          proposed_default: question.proposedDefault,
        })),
        close: [],
        ask: [],
      },
    },
    ...questionComments(context, questions, say, shown),
  ];
}

/** Asks the questions that were kept for later. */
function askPending(context: CycleContext, say: Translate<"questions">): Action[] {
  const gaps = context.pendingGaps;
  return [
    { type: "update_gaps", data: { add: [], close: [], ask: gaps.map(({ id }) => id) } },
    ...askAgain(context, gaps, say),
  ];
}

/** The questions are stored but unread: their comment could not be posted. */
export function askAgain(context: CycleContext, gaps: Gap[], say: Translate<"questions">): Action[] {
  const questions = gaps.map((gap) => ({
    ...gap,
    why: gap.evidence ?? "",
    proposedDefault: gap.proposedDefault ?? "",
  }));
  return questionComments(context, questions, say, null);
}

/** `shown`: what the code shows about an issue that only asks. */
function questionComments(
  context: CycleContext,
  questions: Question[],
  say: Translate<"questions">,
  shown: Pick<Finding, "synthesis" | "sources">[] | null,
): Action[] {
  return RESPONDENTS.flatMap((respondent) => {
    const own = questions.filter((question) => question.respondent === respondent);
    if (own.length === 0) return [];
    const login = respondent === "reporter" ? context.issue.reporter : deciderOf(context).login;
    const lead = shown === null ? say("greeting", { login }) : shownLead(login, shown, say);
    return [{ type: "post_comment" as const, data: { content: questionComment(lead, own, say) } }];
  });
}

/**
 * Who is asked how it is to be done here: an assignee, else somebody with write access in the thread, else the
 * reporter.
 */
function deciderOf({ issue, participants }: CycleContext): { login: string; respondent: Respondent } {
  const deciders = participants.filter((one) => one.mayProceed);
  for (const [role, respondent] of [
    ["assignee", "assignee"],
    ["other", "maintainer"],
  ] as const) {
    const found = deciders.find((one) => one.role === role);
    if (found !== undefined) return { login: found.login, respondent };
  }
  return { login: issue.reporter, respondent: "reporter" };
}

/** Whether somebody said to stop before Relay had asked anything. */
export function isHeldBack(
  { proceedAsked, openGaps, closedGaps, messages }: CycleContext,
  say: Translate<"questions">,
) {
  if (!proceedAsked || openGaps.length + closedGaps.length > 0) return false;
  return messages.find(({ role }) => role === "self")?.content.includes(say("go_refused")) === true;
}

/** The questions that a stop kept from being asked. */
export function heldQuestions(
  context: CycleContext,
  facts: Parameters<typeof missingTopics>[1],
  located: Located[],
  found: readonly unknown[],
  say: Translate<"questions">,
): Action[] {
  if (context.pendingGaps.length > 0) return askPending(context, say);
  const questions = missingTopics(context.issue.title, facts, { located, isFound: found.length > 0 }, say);
  return questions.length > 0 ? ask(context, questions, say, null) : [];
}

import { type Action, type ActionBatch, EDITED_TEXT, QUICK_WAY } from "../../domain/action.ts";
import type { ConversationMessage } from "../../domain/conversation.ts";
import { isAfterAsking } from "../../domain/gap.ts";
import { type Translate, phrases } from "../../i18n/phrases.ts";
import { answersSomebody } from "../../approval/answers-somebody.ts";
import { proceedSignal } from "../../approval/go-ahead.ts";
import { asksForChange, firstOwnLine } from "../../approval/wishes.ts";
import { refusesChange } from "../../approval/answer.ts";
import type { Complexity } from "../../domain/spec.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import { sparing } from "../../code/search/query.ts";
import { type Located, isPinpointed, locate } from "../../code/search/rank-files.ts";
import { symbolsAmong } from "../../domain/statements/places-meant.ts";
import type { Repository } from "../../code/git/repository.ts";
import type { CycleContext, Planner } from "../planner.ts";
import { type Answer, findAnswers } from "./answers.ts";
import { isStoppedBy } from "../../approval/stop-before-work.ts";
import { ask, askAgain, heldQuestions, isHeldBack } from "./asking.ts";
import { assumptionsComment, gateComment, missingTopics, onlyAsks } from "./questions.ts";
import { readFacts, topicsOf } from "./facts.ts";
import {
  answerAtGate,
  answerBesideQuestions,
  answerQuestion,
  answerStop,
  asksSomething,
  mayProceed,
  saysNothing,
  verdictOn,
} from "./words.ts";
import { changedFindings } from "./findings.ts";
import { keptParts } from "./kept.ts";
import { forbiddenIn, lookedAt, wishesApart } from "./wished.ts";

/**
 * Plans by rules alone (R-PLAN-12): reads the issue, searches the code, asks for missing information, accepts answers,
 * and recognizes the go-ahead. The same context and commit give the same actions.
 */
export function offlinePlanner(code: Repository, index: () => Promise<OpenIndex>): Planner {
  return {
    name: "offline",
    plan: async (context, judge) => {
      const opened = await index();
      const first = judge(await plan(context, code, opened, true));
      // The rules are deterministic, and would submit the same again: a go-ahead that is refused is left out.
      const isRefusedSignal = first.kind === "refused" && first.problems.some(({ rule }) => rule === "proceed_signal");
      const judged = isRefusedSignal ? judge(await plan(context, code, opened, false)) : first;
      if (judged.kind === "refused") return { kind: "refused", problems: judged.problems, run: null };
      return { kind: "planned", batch: judged.batch, run: null };
    },
  };
}

/** `obeys`: whether words count as a go-ahead or a change request. */
async function plan(context: CycleContext, code: Repository, index: OpenIndex, obeys: boolean): Promise<ActionBatch> {
  const say = phrases("questions", context.issue.language);
  const news = context.messages.filter((message) => context.newMessages.includes(message.seq) && !message.isBot);
  const first = context.openGaps.length + context.closedGaps.length === 0 && !context.proceedAsked;
  const answers = takeAnswers(context, news);
  const settled = context.closedGaps.filter(({ closedReason }) => closedReason === "answered");
  const told = [
    ...settled.map(({ closedNote }) => closedNote ?? ""),
    ...answers.flatMap(({ note, isAgreed }) => (isAgreed ? [] : note)),
  ];
  const { wishes, others } = wishesApart(context);
  const facts = readFacts(context, others, told);
  const forbidden = forbiddenIn(context);
  const ranked = await locate(index, sparing(facts.terms, symbolsAmong(forbidden)));
  const decisive = others.filter((message) => mayProceed(context, message));
  const kept = keptParts(index, decisive);
  const located = ranked.filter(({ path }) => !kept.has(path));
  const actions: Action[] = [];
  // Without a new message, the issue's own text was edited.
  const isEdited = context.textEdited || (context.specStub === null && context.newMessages.length === 0);
  const isNews = context.findings.length === 0 || isEdited || news.some(({ content }) => !saysNothing(content));
  const report = `${context.issue.title}\n${context.issue.body}`;
  const findings = isNews
    ? await changedFindings(located, context.findings, {
        ...facts,
        code,
        index,
        say,
        report,
        wished: await lookedAt(wishes, index),
        forbidden,
      })
    : { add: [], remove: [] };
  if (findings.add.length > 0) actions.push({ type: "update_findings", data: findings });

  const found = [...findings.add, ...context.findings];
  const isEarly = context.specStub === null && !context.planned && !context.proceedAsked;
  if (isEarly && isStoppedBy(news, context.participants, context.issue)) {
    if (answers.length > 0) actions.push(closeAnswered(answers));
    actions.push(...answerStop(context, news, say));
    return { actions, reasoning: "asked to stop before the spec" };
  }
  const signal = obeys ? (goAhead(context, news) ?? wish(context)) : null;
  const held = signal !== null && isHeldBack(context, say) ? heldQuestions(context, facts, located, found, say) : [];
  if (held.length > 0) return { actions: [...actions, ...held], reasoning: "told to go on; asking what was held back" };
  if (signal !== null) {
    return {
      actions: [...actions, ...proceed(context, answers, signal, say)],
      reasoning: `@${signal.author} ${signal.isWish ? "asked for a change" : "said to go ahead"}`,
    };
  }
  if (answers.length > 0) actions.push(closeAnswered(answers));
  const questions = first ? missingTopics(context.issue.title, facts, { located, isFound: found.length > 0 }, say) : [];
  if (questions.length > 0) {
    return {
      actions: [...actions, ...ask(context, questions, say, onlyAsks(facts) ? found : null)],
      reasoning: `missing and not in the code: ${questions.map((question) => question.topic).join(", ")}`,
    };
  }
  const left = context.openGaps.length - answers.length;
  if (left > 0 && context.failures.some((line) => line.startsWith("FAILED: post_comment"))) {
    const unanswered = context.openGaps.filter((gap) => !answers.some((answer) => answer.gap.id === gap.id));
    return {
      actions: [...actions, ...askAgain(context, unanswered, say)],
      reasoning: "the questions did not get out",
    };
  }
  if (left > 0) {
    actions.push(...answerBesideQuestions(context, news, say));
    return { actions, reasoning: `${left} question(s) are still open; waiting` };
  }
  const known = context.closedGaps.length + context.findings.length + answers.length + findings.add.length;
  const isQuick = context.quickWay && facts.verdict.kind === "open";
  if (isQuick && context.specStub === null && context.pendingGaps.length === 0 && known > 0) {
    actions.push(handOver(context, QUICK_WAY, { answered: answers.length, assumed: 0 }, "L0"));
    return { actions, reasoning: "a small issue with nothing open: spec and plan are agreed to together" };
  }
  if (context.planned && context.textEdited) {
    actions.push(handOver(context, EDITED_TEXT, { answered: answers.length, assumed: 0 }));
    return { actions, reasoning: "the issue’s text was edited after its plan was made" };
  }
  // The spec behind the plan does not know a new answer yet.
  if (context.planned && answers.length === 0)
    return { actions: [...actions, ...answerQuestion(context, news, say)], reasoning: "no change asked for" };
  const verdict = verdictOn(
    context,
    news.filter((message) => mayProceed(context, message)),
  );
  if (verdict !== null) {
    actions.push({ type: "set_spec_status", data: { status: verdict } });
    if (verdict === "rejected") actions.push({ type: "post_comment", data: { content: say("spec_rejected") } });
    return { actions, reasoning: `the spec was ${verdict}` };
  }
  if (onlyAsks(facts) && !wantsChange(context, news, answers))
    return { actions, reasoning: "the issue only asks, and nobody wants a change" };
  if (mayAskToProceed(context, news, answers)) {
    const place = found[0]?.sources[0]?.location ?? null;
    const content = gateComment(isCertain(located, place) ? place : null, revisionOf(context), context, facts.verdict);
    actions.push({ type: "post_comment", data: { content } });
    return { actions, reasoning: "nothing that matters is open; asking for the go-ahead" };
  }
  return {
    actions: [...actions, ...answerAtGate(context, news, say)],
    reasoning: "nothing new to act on; waiting",
  };
}

/** Asked once, and again only after new answers; never as a reminder (R-PLAN-7). */
function mayAskToProceed(context: CycleContext, news: ConversationMessage[], answers: readonly Answer[]): boolean {
  if (context.proceedAsked) return false;
  if (context.specStub === null || context.textEdited || (context.planned && answers.length > 0)) return true;
  return news.some((message) => mayProceed(context, message) && asksSomething(message.content));
}

/** Whether an answer to a question beyond a no, or words of somebody who decides, ask for something. */
function wantsChange(context: CycleContext, news: readonly ConversationMessage[], answers: readonly Answer[]): boolean {
  const told = [...answers.map(({ note }) => note), ...context.closedGaps.map(({ closedNote }) => closedNote ?? "")];
  return (
    told.some((note) => note !== "" && !refusesChange(note)) ||
    news.some(
      (one) => !answers.some(({ seq }) => seq === one.seq) && mayProceed(context, one) && asksForChange(one.content),
    )
  );
}

/** What the spec would be revised for; null for the first one. */
function revisionOf({ specStub, textEdited }: CycleContext): "edit" | "comment" | null {
  return specStub === null ? null : textEdited ? "edit" : "comment";
}

function isCertain(located: Located[], place: string | null): boolean {
  return place !== null && located.some((found) => place.startsWith(found.path) && isPinpointed(found));
}

function takeAnswers(context: CycleContext, news: ConversationMessage[]): Answer[] {
  return findAnswers(context.openGaps, news, {
    thread: context.messages,
    topicsOf,
    mayAnswer: (message, gap) => message.role === gap.respondent || mayProceed(context, message),
    saysNothing,
  });
}

/** What starts the spec: a go-ahead, or a wish that changes it. */
interface Signal {
  author: string;
  text: string;
  isWish: boolean;
}

/** The newest go-ahead by a permitted person, given after Relay's last question. */
function goAhead(context: CycleContext, news: ConversationMessage[]): Signal | null {
  const wasAsked = context.proceedAsked || context.openGaps.length > 0 || context.closedGaps.length > 0;
  for (const message of news.toReversed()) {
    if (!wasAsked || !mayProceed(context, message) || answersSomebody(message, context.messages)) continue;
    if (!context.openGaps.every((gap) => isAfterAsking(message, gap, context.messages))) continue;
    const signal = proceedSignal(message.content, { asked: context.proceedAsked });
    if (signal.proceed) return { author: message.author, text: signal.excerpt, isWish: false };
  }
  return null;
}

/** The newest change of the plan that somebody who decides asks for; a mere question is none (R-CONF-9). */
function wish({ messages, wishes }: CycleContext): Signal | null {
  const newest = messages.findLast(({ seq, content }) => wishes.includes(seq) && asksForChange(content));
  const text = newest && firstOwnLine(newest.content);
  return newest && text ? { author: newest.author, text, isWish: true } : null;
}

function closingOf({ gap, note, seq, isAgreed }: Answer) {
  return { gap_id: gap.id, reason: isAgreed ? ("inferred" as const) : ("answered" as const), note, message: seq };
}

function closeAnswered(answers: Answer[]): Action {
  return {
    type: "update_gaps",
    data: {
      add: [],
      close: answers.map(closingOf),
      ask: [],
    },
  };
}

/** Closes open gaps, states the assumptions made instead, and hands over to the spec (R-PLAN-8). */
function proceed(context: CycleContext, answers: Answer[], signal: Signal, say: Translate<"questions">): Action[] {
  const settled = new Set(answers.map(({ gap }) => gap.id));
  const assumed = [...context.openGaps, ...context.pendingGaps]
    .filter((gap) => !settled.has(gap.id))
    .map((gap) => ({ gap, assumption: gap.proposedDefault ?? gap.question }));
  const actions: Action[] = [];
  if (answers.length + assumed.length > 0) {
    actions.push({
      type: "update_gaps",
      data: {
        add: [],
        close: [
          ...answers.map(closingOf),
          ...assumed.map(({ gap, assumption }) => ({ gap_id: gap.id, reason: "inferred" as const, note: assumption })),
        ],
        ask: [],
      },
    });
  }
  if (assumed.length > 0) {
    actions.push({ type: "post_comment", data: { content: assumptionsComment(assumed, say) } });
  }
  actions.push(handOver(context, signal.text, { answered: answers.length, assumed: assumed.length }));
  return actions;
}

function handOver(
  { issue, findings, closedGaps }: CycleContext,
  signal: string,
  { answered, assumed }: { answered: number; assumed: number },
  hint?: Complexity,
): Action {
  const counted = `${findings.length} findings, ${answered + closedGaps.length} questions answered, ${assumed} assumed`;
  return {
    type: "ready_for_spec_generation",
    data: {
      context_summary: `${issue.title} (${counted})`,
      proceed_signal: signal,
      learnings_applied: [],
      ...(hint === undefined ? {} : { complexity_hint: hint }),
    },
  };
}

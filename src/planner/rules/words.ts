import { answersSomebody } from "../../approval/answers-somebody.ts";
import { proceedSignal } from "../../approval/go-ahead.ts";
import { MOST_ANSWERS, mentions, notMentionedIn } from "../../approval/plan-notices.ts";
import { containsYes, readReply, refusalIn, soundsLikeYes } from "../../approval/read-reply.ts";
import { asksForChange } from "../../approval/wishes.ts";
import type { Action } from "../../domain/action.ts";
import type { ConversationMessage } from "../../domain/conversation.ts";
import { answeredGap } from "../../domain/given-answer.ts";
import { anyOf } from "../../i18n/dates.ts";
import { type Translate, phrases } from "../../i18n/phrases.ts";
import type { CycleContext } from "../planner.ts";

/** Whether words about a spec are more than thanks or agreement. */
export function asksSomething(content: string): boolean {
  const { kind } = readReply(content);
  return kind !== "thanks" && kind !== "approve";
}

/**
 * The verdict on a spec in the last of these new messages by people who decide, if nothing was asked about it: right,
 * wrong, or neither.
 */
export function verdictOn(
  { specStub, proceedAsked, textEdited }: CycleContext,
  words: readonly ConversationMessage[],
): "approved" | "rejected" | null {
  const last = words.at(-1);
  if (last === undefined || specStub === null || proceedAsked || textEdited || asksForChange(last.content)) return null;
  const { kind } = readReply(last.content);
  if (kind === "approve") return "approved";
  return kind === "reject" || kind === "stop" ? "rejected" : null;
}

/** Whether a text is only politeness or a go-ahead. */
export function saysNothing(text: string): boolean {
  if (answeredGap(text) !== null) return false;
  return readReply(text).kind === "thanks" || isNothingButGoAhead(text);
}

function isNothingButGoAhead(text: string): boolean {
  const signal = proceedSignal(text, { asked: true });
  return signal.proceed && signal.excerpt.length >= text.trim().length * 0.8;
}

/** Rules cannot answer: people who decide are told what they can do instead, and what the plan waits for. */
export function answerQuestion(
  context: CycleContext,
  news: ConversationMessage[],
  say: Translate<"questions">,
): Action[] {
  const last = news.findLast(({ seq }) => context.wishes.includes(seq));
  if (last === undefined) return [];
  const isQuestion = readReply(last.content).kind === "question";
  // The new version of a plan that no longer stands says what it waits for.
  if (!context.planStands && !isQuestion) return [];
  const words = say(isQuestion ? (context.planStands ? "no_answer" : "no_answer_yet") : "yes_open");
  const content = `${mentions([last.author])}, ${words}`;
  return [{ type: "post_comment", data: { content } }];
}

/** Answers that one person gets before the go-ahead. */
const MOST_TRIES = 3;

/**
 * Answers words that are no go-ahead, so that nobody waits for what never starts: what a person who decides says for a
 * no, a question or anything else once each, and again where they say yes beside something else; a yes of others once.
 */
export function answerAtGate(
  context: CycleContext,
  news: ConversationMessage[],
  say: Translate<"questions">,
): Action[] {
  if (!context.proceedAsked) return [];
  const yeses = news.filter(({ content }) => readReply(content).kind === "approve");
  return [...answerDecider(context, news, say), ...answerOthers(context, yeses, say)];
}

function answerDecider(
  context: CycleContext,
  news: readonly ConversationMessage[],
  say: Translate<"questions">,
): Action[] {
  const open = { more: say("go_open"), no: say("go_refused"), question: say("go_asked") };
  const again = say("go_again");
  const timesSaid = (words: string) => saidWith(words, context).length;
  for (const message of news.toReversed()) {
    const to = mentions([message.author]);
    if (to === "" || !mayProceed(context, message)) continue;
    const { kind } = readReply(message.content);
    const isBeside = answersSomebody(message, context.messages);
    const isYes = kind === "more" || isBeside || soundsLikeYes(message.content);
    const isNo = refusalIn(message.content) === "clear";
    const isAsked = kind === "question" && !asksSomebody(message, context);
    if (!(isYes || isNo || isAsked)) continue;
    const first = `${to}, ${open[isNo ? "no" : isYes ? "more" : "question"]}`;
    const next = `${to}, ${again}`;
    const isTry = containsYes(message.content) && timesSaid(next) < MOST_TRIES - 1;
    if (timesSaid(first) > 0 && !isTry) continue;
    const content = timesSaid(first) > 0 ? next : first;
    return [{ type: "post_comment", data: { content } }];
  }
  return [];
}

/** Tells people who do not decide, each once, who does. */
function answerOthers(
  context: CycleContext,
  yeses: readonly ConversationMessage[],
  say: Translate<"questions">,
): Action[] {
  const { issue, participants } = context;
  const others = yeses.filter((message) => !mayProceed(context, message)).map(({ author }) => author);
  const [start = "", end = ""] = say("go_by_others", { who: NAMES }).split(NAMES);
  const said = saidWith(start.trim(), context).filter(({ content }) => content.includes(end.trim()));
  const to = mentions(notMentionedIn(said, others));
  if (to === "" || said.length >= MOST_ANSWERS) return [];
  const deciders = participants.filter((one) => one.mayProceed).map(({ login }) => login);
  const anyone = phrases("status", issue.language)("anyone_write");
  const who = anyOf([...deciders, anyone], issue.language);
  return [{ type: "post_comment", data: { content: `${to}, ${say("go_by_others", { who })}` } }];
}

/** Stands for the names that fill a phrase. */
const NAMES = "\u0001";

function saidWith(words: string, { messages }: CycleContext): ConversationMessage[] {
  return messages.filter(({ role, content }) => role === "self" && content.includes(words));
}

/** Answers, while questions are open, a stop of somebody who decides, and a go-ahead of others; each of them once. */
export function answerBesideQuestions(
  context: CycleContext,
  news: readonly ConversationMessage[],
  say: Translate<"questions">,
): Action[] {
  const goAheads = news.filter(({ content }) => proceedSignal(content, { asked: false }).proceed);
  return [...answerStop(context, news, say), ...answerOthers(context, goAheads, say)];
}

/** Answers a stop of somebody who decides, before the spec; each of them once. */
export function answerStop(
  context: CycleContext,
  news: readonly ConversationMessage[],
  say: Translate<"questions">,
): Action[] {
  const stop = news.findLast((one) => mayProceed(context, one) && readReply(one.content).kind === "stop");
  if (stop === undefined) return [];
  const content = `${mentions([stop.author])}, ${say("go_refused")}`;
  return saidWith(content, context).length > 0 ? [] : [{ type: "post_comment", data: { content } }];
}

/** “@mia what do you think?” */
function asksSomebody({ content }: ConversationMessage, { participants }: CycleContext): boolean {
  return participants.some(({ login }) => content.toLowerCase().includes(`@${login.toLowerCase()}`));
}

/** Whether the author of a message decides here. */
export function mayProceed(context: CycleContext, message: ConversationMessage): boolean {
  return context.participants.some(
    (person) => person.mayProceed && person.login.toLowerCase() === message.author.toLowerCase(),
  );
}

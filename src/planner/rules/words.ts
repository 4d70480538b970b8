import { proceedSignal } from "../../approval/go-ahead.ts";
import { mentions } from "../../approval/plan-notices.ts";
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
  const content = say(readReply(last.content).kind === "question" ? "no_answer" : "yes_open");
  return [{ type: "post_comment", data: { content } }];
}

/** Answers that one person gets before the go-ahead. */
const MOST_ANSWERS = 3;

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
  const deciders = context.participants.filter((one) => one.mayProceed).map(({ login }) => login);
  const open = { more: say("go_open"), no: say("go_refused"), question: say("go_asked") };
  const { language } = context.issue;
  const anyone = phrases("status", language)("anyone_write");
  const others = say("go_by_others", { who: anyOf([...deciders, anyone], language) });
  const again = say("go_again");
  const timesSaid = (words: string) =>
    context.messages.filter((one) => one.role === "self" && one.content.includes(words)).length;
  for (const message of news.toReversed()) {
    const to = mentions([message.author]);
    const { kind } = readReply(message.content);
    const decides = mayProceed(context, message);
    const isYes = decides ? kind === "more" || soundsLikeYes(message.content) : kind === "approve";
    const isNo = decides && refusalIn(message.content) === "clear";
    const isAsked = decides && kind === "question" && !asksSomebody(message, context);
    if (!(isYes || isNo || isAsked) || to === "") continue;
    const first = `${to}, ${decides ? open[isNo ? "no" : isYes ? "more" : "question"] : others}`;
    const next = `${to}, ${again}`;
    const isTry = decides && containsYes(message.content) && timesSaid(next) < MOST_ANSWERS - 1;
    if (timesSaid(first) > 0 && !isTry) continue;
    const content = timesSaid(first) > 0 ? next : first;
    return [{ type: "post_comment", data: { content } }];
  }
  return [];
}

/** Answers a stop of somebody who decides, while questions are open; each of them once. */
export function answerStop(
  context: CycleContext,
  news: readonly ConversationMessage[],
  say: Translate<"questions">,
): Action[] {
  const stop = news.findLast((one) => mayProceed(context, one) && readReply(one.content).kind === "stop");
  if (stop === undefined) return [];
  const content = `${mentions([stop.author])}, ${say("go_refused")}`;
  const isSaid = context.messages.some((one) => one.role === "self" && one.content.includes(content));
  return isSaid ? [] : [{ type: "post_comment", data: { content } }];
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

import type { ConversationMessage } from "../domain/conversation.ts";
import { issueName } from "../domain/issue.ts";
import { fence, fenceCode } from "../adapters/models/fence.ts";
import type { Turn } from "../adapters/models/model.ts";
import type { CycleContext } from "./planner.ts";
import { stateOf } from "./state-of-issue.ts";

/**
 * The context of a cycle as text, from the most stable to the most volatile part (R-PLAN-11): the issue, the thread,
 * which only grows at its end, and then everything that changes in place.
 */
export interface Briefing {
  issue: string;
  /** One text per message, oldest first; the same in every cycle that includes the message. */
  messages: string[];
  state: string;
}

export interface BriefingOptions {
  /** Boundary of the fences around all text by others (R-SAFE-1). */
  boundary: string;
  /** Places in the code to start at. */
  hints?: readonly string[];
}

export function briefingOf(context: CycleContext, { boundary, hints = [] }: BriefingOptions): Briefing {
  return {
    issue: issueText(context, boundary),
    messages: [...olderMessages(context), ...context.messages.map((message) => messageText(message, boundary))],
    state: stateOf(context, { boundary, hints }),
  };
}

/** As turns for a model: the prefix shared with the next cycle ends in a cache breakpoint. */
export function turnsOf({ issue, messages, state }: Briefing): Turn[] {
  const lasting = [issue, ...messages].map((content, index): Turn => {
    const breakpoint = index === 0 || index === messages.length;
    return { role: "user", content, ...(breakpoint ? { cacheBreakpoint: true } : {}) };
  });
  return [...lasting, { role: "user", content: state }];
}

/** The briefing as one text, for the recording. */
export function briefingText({ issue, messages, state }: Briefing): string {
  return [issue, ...messages, state].join("\n\n");
}

function issueText({ issue }: CycleContext, boundary: string): string {
  const language = new Intl.DisplayNames(["en"], { type: "language" }).of(issue.language) ?? issue.language;
  return [
    "# The issue",
    `${issueName(issue)}, opened ${day(issue.openedAt)}. Its language is ${language} (${issue.language}): all that people will read is written in it.`,
    `In this conversation the boundary of fences is ${boundary}.`,
    fenceCode(`issue by @${issue.reporter} (reporter)`, `Title: ${issue.title}\n\n${issue.body}`, boundary),
    ...notShown(issue.body),
    "# The thread",
  ].join("\n\n");
}

function olderMessages({ omittedMessages: omitted }: CycleContext): string[] {
  return omitted === 0 ? [] : [`[${omitted} older messages are left out; questions and findings stand for them]`];
}

function messageText(message: ConversationMessage, boundary: string): string {
  const { seq, author, role, isBot, timestamp, replyToSeq, content } = message;
  const who = role === "self" ? "you" : `@${author} (${isBot ? "another bot" : role})`;
  const reply = replyToSeq === null ? "" : ` in reply to #${replyToSeq}`;
  return [fence(`#${seq} ${who} ${minute(timestamp)}${reply}`, content, boundary), ...notShown(content)].join("\n");
}

const PICTURE = /!\[[^\]\n]{0,500}\]\([^)\n]{1,2000}\)|<(?:img|picture|video)\b[^>]{0,2000}>/gi;
/** Files that people attach to an issue, on GitHub and on GitLab. */
const ATTACHMENT =
  /https?:\/\/(?:[\w.-]+\/user-attachments\/(?:assets|files)|user-images\.githubusercontent\.com|[\w.-]+\/[\w./-]{1,200}\/files)\/[^\s)>\]"']{1,500}|\/uploads\/[0-9a-f]{32}\/[^\s)>\]"']{1,300}/gi;

/**
 * Says which parts of a text a model cannot see, so that it asks for words instead of making something up (R-PLAN-15).
 */
function notShown(text: string): string[] {
  const pictures = text.match(PICTURE)?.length ?? 0;
  const attachments = text.replaceAll(PICTURE, " ").match(ATTACHMENT)?.length ?? 0;
  const parts = [counted(pictures, "picture"), counted(attachments, "attachment")].filter((part) => part !== "");
  return parts.length === 0
    ? []
    : [`Not shown to you in this text: ${parts.join(" and ")}. Ask for words if one matters.`];
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function minute(date: Date): string {
  return date.toISOString().slice(0, 16).replace("T", " ");
}

import type { ConversationMessage } from "../domain/conversation.ts";
import { isQuestion, sentencesOf } from "../domain/issue-text/sentences.ts";
import { sameLogin } from "../domain/login.ts";
import { escapeRegExp } from "../lib/text.ts";
import { withoutQuotations } from "./own-words.ts";
import { readReply } from "./read-reply.ts";

type Said = Pick<ConversationMessage, "seq" | "author" | "role" | "content" | "externalThreadId">;

/**
 * Whether a bare yes answers a question that another person asked of something else, and so says yes to nothing of
 * Relay's (R-CONF-2): “@tomk, are you back?” – “yes”. It does in a thread of its own, or right behind a question that
 * names its author. A “go ahead” stands for itself, and so does the answer to “@mia, can you approve this?”.
 */
export function answersSomebody(message: Said, thread: readonly Said[]): boolean {
  const reply = readReply(message.content);
  if (reply.kind !== "approve" || reply.explicit) return false;
  const earlier = thread.filter(({ seq }) => seq < message.seq);
  const asked = quotedIn(message, earlier) ?? askedBefore(message, earlier);
  const questions = sentencesOf(asked ?? "").filter(({ text }) => isQuestion(text));
  return questions.length > 0 && !questions.some(({ text }) => OF_APPROVAL.test(text));
}

/** What the message quotes of another person first; empty where it quotes Relay or nobody, null without a quotation. */
function quotedIn({ content, author }: Said, earlier: readonly Said[]): string | null {
  const quoted =
    /^(?:[ \t]*>[^\n]*\n?)+/
      .exec(content)?.[0]
      .replaceAll(/^[ \t]*>[ \t]?/gm, "")
      .trim() ?? "";
  if (quoted === "") return null;
  const source = earlier.findLast((one) => one.content.includes(quoted));
  return source === undefined || source.role === "self" || sameLogin(source.author, author) ? "" : quoted;
}

/** The words of another person that the message follows in its thread, or that name its author. */
function askedBefore(message: Said, earlier: readonly Said[]): string | null {
  const { externalThreadId: id } = message;
  const same = id === null ? undefined : earlier.findLast(({ externalThreadId }) => externalThreadId === id);
  const before = same ?? earlier.at(-1);
  if (before === undefined || before.role === "self" || sameLogin(before.author, message.author)) return null;
  const words = withoutQuotations(before.content);
  return same !== undefined || new RegExp(`@${escapeRegExp(message.author)}(?![\\w-])`, "i").test(words) ? words : null;
}

/** Words of questions that may be about the plan, or whether to start. */
const OF_APPROVAL =
  /plan|spec|approv|agree|go ahead|proceed|start|begin|ship|implement|do (?:it|this|that)|ok(?:ay)?(?!\p{L})|good|fine|happy|right|lgtm|merge|work|genehm|freigeb|freigab|einverst|passt|loslegen|umsetz|richtig|gut|start|aprob|adelante|acuerdo|conforme|bien|empez|approuv|d['’]accord|valid|lanc|commenc|aprov|concord|seguir|começ|план|соглас|одобр|начина|начать|приступ|хорош|годится|计划|方案|同意|批准|开始|可以|好|計画|承認|進め|始め|良|いい/iu;

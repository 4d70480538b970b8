import type { ConversationMessage } from "../domain/conversation.ts";
import { isIdleNotice } from "../domain/issue-text/false-standing.ts";
import { type IssueReading, type IssueText, readIssue } from "../domain/issue-text/issue-reading.ts";
import { type Block, blocksOf, plainText } from "../domain/issue-text/markdown.ts";
import { withoutOrders } from "../domain/issue-text/orders-in-text.ts";
import { proseSentences } from "../domain/issue-text/prose-sentences.ts";
import { isQuestion } from "../domain/issue-text/sentences.ts";
import { sameLogin } from "../domain/login.ts";
import { isShort, mayDecide } from "../domain/statements/possible-decisions.ts";
import { isCourtesy } from "../domain/statements/sentence.ts";
import type { Statement } from "../domain/statements/statement.ts";
import { stripHiddenText } from "../domain/text/hidden-text.ts";
import { withoutMail } from "../domain/text/mail.ts";
import { isRefusal, mayEnd } from "./endings.ts";
import { type Items, LONGEST_QUOTATION, besideItems, itemsOf, quotation } from "./list-answers.ts";
import { readReply } from "./read-reply.ts";
import { saysNothingOfSoftware } from "./wishes.ts";
import { cut } from "../lib/text.ts";

/** Characters that are kept of a message, and of what it quotes or answers. */
export const LONGEST_MESSAGE = 700;
/** Characters of a message that are read, and messages that are kept. */
const READ = 20_000;
const MOST = 40;
/** Questions of one message that a reply answers. */
const ASKED = 2;

/**
 * The messages of those who decide, as they stand and in their order: what was refused, what was taken back, and what a few
 * words answer is clear in their order alone. A reply begins with what it answers, in quotation marks: the question before
 * it, the items that it numbers, or the issue. Empty where nobody but the reporter decides anything, unless they withdraw
 * their issue; thanks and talk about people and time are left out.
 */
export function recordOf(
  issue: Omit<IssueText, "comments"> & { reporter: string },
  messages: readonly ConversationMessage[],
  deciders: ReadonlySet<string>,
): Statement[] {
  const people = messages.filter(({ isBot, role, content }) => !isBot && role !== "self" && !isIdleNotice(content));
  const asking = messages.find(({ role }) => role === "self")?.seq ?? Infinity;
  const decides = ({ author }: ConversationMessage) => deciders.has(author.toLowerCase());
  const about = { issue, kind: readIssue(issue).kind.kind, decides };
  const record: Statement[] = [];
  // Each message is read once, however many answer it.
  const read = people.map((message) => ({ message, said: saidIn(message.content, issue.title) }));
  const lists = [saidIn(issue.body, issue.title), ...read.map(({ said }) => said)].map(({ parts }) => itemsOf(parts));
  for (const [at, one] of read.entries()) {
    const { message } = one;
    if (!decides(message) || record.length === MOST) continue;
    const earlier = lists.slice(0, at + 1).filter((items) => items.size > 0);
    const place = { ...about, before: read[at - 1], lists: earlier.toReversed(), record };
    const text = rowOf(one, { ...place, isToRelay: message.seq > asking });
    if (text === null) continue;
    record.push({
      kind: "decision",
      // Scripts without spaces have none between sentences.
      text: cut(text.replaceAll(/(?<=[。！？]) /g, ""), LONGEST_MESSAGE),
      message: message.seq,
      author: message.author,
      decides: true,
      agreedIn: null,
      supersededBy: null,
    });
  }
  if (record.some((one) => !isBy(one, issue))) return record;
  // What reporters say of their own issue is read sentence by sentence, but for the word that withdraws it.
  const last = people.findLast((one) => isBy(one, issue));
  const withdraws = last !== undefined && (isRefusal(last.content) || mayEnd(last.content));
  return withdraws ? record.filter(({ message }) => message === last.seq) : [];
}

/** A message, and what was read in it. */
interface Read {
  message: ConversationMessage;
  said: Said;
}

/** Where a message stands. */
interface Place {
  issue: Omit<IssueText, "comments"> & { reporter: string };
  kind: IssueReading["kind"]["kind"];
  decides: (message: ConversationMessage) => boolean;
  /** The message before it. */
  before: Read | undefined;
  /** The lists before it, the last first. */
  lists: readonly Items[];
  record: readonly Statement[];
  /** After Relay wrote first: a mere yes or no is then about its question or its plan. */
  isToRelay: boolean;
}

/** What the record has of a message, after what it answers; null if it says nothing of the software. */
function rowOf(
  { message, said }: Read,
  { issue, kind, decides, before, lists, record, isToRelay }: Place,
): string | null {
  const isReporter = isBy(message, issue);
  const reply = readReply(message.content).kind;
  // A go-ahead answers nobody but Relay; what the reporter of a fault tells of it is read sentence by sentence.
  if ((isToRelay && reply === "approve") || (kind === "bug" && isReporter && !mayEnd(message.content))) return null;
  const refuses = !isToRelay && isRefusal(message.content);
  const agrees = !isReporter && kind !== "bug" && reply === "approve";
  // The first yes or no to the issue stands beside its title.
  const isVerdict = (refuses && record.length === 0) || (agrees && record.every((one) => isBy(one, issue)));
  const isBare = refuses && record.length > 0;
  const isAbove = before !== undefined && record.at(-1)?.message === before.message.seq;
  const mayPropose = before !== undefined && (decides(before.message) || isBy(before.message, issue) || isBare);
  const isReply = before !== undefined && !sameLogin(before.message.author, message.author) && (!isAbove || isBare);
  const asked = isReply ? askedIn(before, said, mayPropose) : [];
  const answers = said.quotes ? [] : besideItems(said.parts, lists);
  const isAnswer = asked.some(isQuestion) || said.quotes || (kind === "question" && !isReporter && record.length === 0);
  const tells = (isAnswer && said.sentences.length > 0) || said.sentences.some(mayTell) || answers.length > 0;
  if (!tells && !refuses && !isVerdict && !mayEnd(message.content)) return null;
  if (answers.length > 0) return answers.join(" ");
  const quoted = asked.length === 0 && isVerdict ? [issue.title] : asked;
  const parts = said.parts.length > 0 ? said.parts : [plainText(message.content)];
  return [...quoted.map((text) => quotation(text)), ...parts].join(" ");
}

function isBy({ author }: { author: string }, { reporter }: { reporter: string }): boolean {
  return sameLogin(author, reporter);
}

/** Neither thanks nor talk about people and time. */
function mayTell(sentence: string): boolean {
  if (NAMES_OPTION.test(sentence)) return true;
  return mayDecide(sentence, { isAnswer: false, isDiscussed: true }) && !saysNothingOfSoftware(sentence);
}

/** The letter of an option: “OK, B it is.” */
const NAMES_OPTION = /(?<![\p{L}\p{N}'’.-])(?:[B-H]|A(?=\s*(?:$|[.,;!:]|it is)))(?![\p{L}\p{N}'’+#-])/u;

interface Said {
  /** What is shown, block by block. */
  parts: string[];
  /** The writer's own sentences. */
  sentences: string[];
  /** It answers what it quotes. */
  quotes: boolean;
}

function saidIn(content: string, title: string): Said {
  const text = withoutMail(stripHiddenText(content, { most: READ }).text);
  const said: Said = { parts: [], sentences: [], quotes: false };
  let quoted = "";
  for (const block of withoutOrders(blocksOf(text), title).blocks) {
    if (block.kind === "paragraph" && block.quoted) {
      said.quotes = true;
      quoted = quotation(plainText(block.text.replaceAll("\n", " ")));
      said.parts.push(quoted);
    } else if (block.kind === "paragraph") {
      const sentences = sentencesOfBlock(block, said.sentences.length === 0 || said.parts.at(-1) === quoted);
      said.sentences.push(...sentences);
      if (sentences.length > 0) said.parts.push([...markOf(block, text), ...sentences].join(" "));
    } else if (block.kind === "code") said.parts.push(codeOf(block.text));
  }
  // “404.” looks like the number of an item.
  if (said.parts.length === 0 && /^\s*\d{1,4}[.)]\s*$/.test(text))
    return { ...said, parts: [text.trim()], sentences: [text.trim()] };
  return said;
}

/** Without thanks and greetings; a yes that begins a message, or follows what it answers, stays. */
function sentencesOfBlock(block: Block, isFirst: boolean): string[] {
  return proseSentences([block]).flatMap(({ text }, at) => {
    const plain = plainText(text.replaceAll(/~~[^~]+~~/g, " ").replaceAll("\n", " "));
    const isAnswer = isFirst && at === 0 && mayDecide(plain, { isAnswer: true, isDiscussed: true });
    return plain === "" || (isCourtesy(plain) && !isAnswer && !isQuestion(plain)) ? [] : [plain];
  });
}

/** The number or dash before an item, which others refer to. */
export function markOf(block: Block, text: string): string[] {
  if (block.kind !== "paragraph" || !block.inList) return [];
  const [, number] = /^[\s>]*(?:(\d{1,4})[.)]|[-*+])\s/.exec(text.slice(block.start, block.end)) ?? [];
  return [number === undefined ? "–" : `(${number})`];
}

function codeOf(text: string): string {
  const [line = "", ...others] = text.trim().split("\n");
  return others.length > 0 || line.includes("`") ? "[…]" : `\`${cut(line, LONGEST_QUOTATION)}\``;
}

/** What a reply answers: the questions of the message before it, or what a few words need beside them. */
function askedIn({ message, said: { sentences } }: Read, reply: Said, mayPropose: boolean): string[] {
  if (reply.quotes) return [];
  const questions = sentences.filter(isQuestion).slice(-ASKED);
  if (questions.length > 0) return questions;
  // A few words may ignore what somebody without a say said at length.
  if (!mayPropose && (sentences.length > 1 || message.content.trim().length > LONGEST_QUOTATION)) return [];
  const [first] = reply.sentences;
  const last = sentences.at(-1);
  // “What @ruth says” takes up something else.
  if (first !== undefined && /(?<!\w)@\w/.test(first)) return [];
  return first !== undefined && last !== undefined && isShort(first, false) && mayTell(last) ? [last] : [];
}

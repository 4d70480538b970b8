import type { ConversationMessage } from "../../domain/conversation.ts";
import { type Topic, TOPICS } from "../../domain/gap.ts";
import { type IssueReading, readForSearch, readIssue } from "../../domain/issue-text/issue-reading.ts";
import type { SearchTerms } from "../../code/search/rank-files.ts";
import { searchTerms } from "../../code/search/query.ts";
import { type Verdict, verdictOf } from "../../approval/verdict.ts";
import { recordOf } from "../../approval/record.ts";
import { statementsIn } from "../../domain/statements/statements.ts";
import type { CycleContext } from "../planner.ts";
import { type Decided, decidedIn } from "./decided.ts";

export type IssueKind = IssueReading["kind"]["kind"];

/** Facts that the rules extract from an issue's text and people's comments. */
export interface IssueFacts {
  kind: IssueKind;
  /** The topics that the text already covers. */
  known: ReadonlySet<Topic>;
  aboutDocs: boolean;
  /** The fix that the reporter proposes; null without one. */
  proposal: string | null;
  terms: SearchTerms;
  /** What decisions name. */
  decided: Decided;
  /** Those who decide discussed it before anybody was asked: what is wanted and left open, they leave to the work. */
  isDiscussed: boolean;
  /** What that discussion came to. */
  verdict: Verdict;
}

/**
 * Reads the issue and people's comments so far; an answer weighs as much as the title. Only the comments of people with a
 * say, and those that somebody who decides took up, lead to places: anybody can name a file.
 */
export function readFacts(
  { issue, participants }: Pick<CycleContext, "issue" | "participants">,
  messages: readonly ConversationMessage[],
  answers: readonly string[] = [],
): IssueFacts {
  const said = messages.filter((message) => message.role !== "self" && !message.isBot);
  const text = { title: issue.title, body: issue.body, labels: issue.labels };
  const reading = readIssue({ ...text, comments: said.map(commentOf) });
  const deciders = new Set(participants.flatMap(({ login, mayProceed }) => (mayProceed ? [login.toLowerCase()] : [])));
  const heard = heardAmong(said, { ...text, reporter: issue.reporter }, deciders);
  const terms = searchTerms(readForSearch({ ...text, comments: heard.map(commentOf) }));
  const decided = recordOf({ ...text, reporter: issue.reporter }, beforeAsking(messages), deciders);
  return {
    aboutDocs: reading.kind.kind === "docs",
    proposal: reading.proposal,
    kind: reading.kind.kind,
    known: knownIn(reading),
    decided: decidedIn(said, deciders),
    terms: { ...terms, title: [terms.title, ...answers].join("\n") },
    // The first words about a fault mostly tell more of it.
    isDiscussed: decided.length > 0,
    verdict: verdictOf({ ...issue, isRequest: reading.kind.kind !== "bug" }, messages, decided),
  };
}

/** What people wrote of their own accord. */
function beforeAsking(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const asked = messages.findIndex(({ role }) => role === "self");
  return asked === -1 ? messages : messages.slice(0, asked);
}

function commentOf({ author, content }: ConversationMessage) {
  return { author, body: content };
}

/** The messages of the reporter and of people who decide, and those that the latter agreed to. */
function heardAmong(
  messages: readonly ConversationMessage[],
  issue: Parameters<typeof statementsIn>[0],
  deciders: ReadonlySet<string>,
): readonly ConversationMessage[] {
  const hasSay = ({ role, author }: ConversationMessage) => role === "reporter" || deciders.has(author.toLowerCase());
  if (messages.every(hasSay)) return messages;
  const { statements } = statementsIn(issue, messages, deciders);
  const agreed = new Set(statements.flatMap(({ message, agreedIn }) => (agreedIn === null ? [] : [message])));
  return messages.filter((one) => hasSay(one) || agreed.has(one.seq));
}

/** The topics that a piece of text addresses. */
export function topicsOf(text: string): Topic[] {
  return [...knownIn(readIssue({ title: "", body: text, labels: [] }))];
}

function knownIn(reading: IssueReading): Set<Topic> {
  return new Set(TOPICS.filter((topic) => reading.aspects[topic].present));
}

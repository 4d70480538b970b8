import type { ConversationMessage } from "../../domain/conversation.ts";
import { type Topic, TOPICS } from "../../domain/gap.ts";
import type { Issue } from "../../domain/issue.ts";
import { type IssueReading, readIssue } from "../../domain/issue-text/issue-reading.ts";
import type { SearchTerms } from "../../code/search/rank-files.ts";
import { searchTerms } from "../../code/search/query.ts";

export type IssueKind = IssueReading["kind"]["kind"];

/** What the rules take from an issue's text and its people's comments. */
export interface IssueFacts {
  kind: IssueKind;
  /** The topics that the text already speaks to. */
  known: ReadonlySet<Topic>;
  terms: SearchTerms;
}

/** Reads the issue, with what people wrote in the thread so far. */
export function readFacts(issue: Issue, messages: ConversationMessage[]): IssueFacts {
  const comments = messages
    .filter((message) => message.role !== "self" && !message.isBot)
    .map((message) => ({ author: message.author, body: message.content }));
  const reading = readIssue({ title: issue.title, body: issue.body, labels: issue.labels, comments });
  return { kind: reading.kind.kind, known: knownIn(reading), terms: searchTerms(reading) };
}

/** The topics that a piece of text speaks to. */
export function topicsOf(text: string): Topic[] {
  return [...knownIn(readIssue({ title: "", body: text, labels: [] }))];
}

function knownIn(reading: IssueReading): Set<Topic> {
  return new Set(TOPICS.filter((topic) => reading.aspects[topic].present));
}

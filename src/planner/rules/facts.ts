import type { ConversationMessage } from "../../domain/conversation.ts";
import { type Topic, TOPICS } from "../../domain/gap.ts";
import type { Issue } from "../../domain/issue.ts";
import { type IssueReading, readIssue } from "../../domain/issue-text/issue-reading.ts";
import type { SearchTerms } from "../../code/search/rank-files.ts";
import { searchTerms } from "../../code/search/query.ts";

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
}

/** Reads the issue and people's comments so far; an answer weighs as much as the title. */
export function readFacts(issue: Issue, messages: ConversationMessage[], answers: readonly string[] = []): IssueFacts {
  const comments = messages
    .filter((message) => message.role !== "self" && !message.isBot)
    .map((message) => ({ author: message.author, body: message.content }));
  const reading = readIssue({ title: issue.title, body: issue.body, labels: issue.labels, comments });
  const terms = searchTerms(reading);
  return {
    aboutDocs: reading.kind.kind === "docs",
    proposal: reading.proposal,
    kind: reading.kind.kind,
    known: knownIn(reading),
    terms: { ...terms, title: [terms.title, ...answers].join("\n") },
  };
}

/** The topics that a piece of text addresses. */
export function topicsOf(text: string): Topic[] {
  return [...knownIn(readIssue({ title: "", body: text, labels: [] }))];
}

function knownIn(reading: IssueReading): Set<Topic> {
  return new Set(TOPICS.filter((topic) => reading.aspects[topic].present));
}

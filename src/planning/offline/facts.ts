import type { ConversationMessage } from "../../domain/conversation.ts";
import type { Topic } from "../../domain/gap.ts";
import type { Issue } from "../../domain/issue.ts";
import type { SearchTerms } from "../../explore/locate.ts";

export type IssueKind = "bug" | "feature" | "docs" | "chore" | "question" | "performance";

/** What the rules take from an issue's text and its people's comments. */
export interface IssueFacts {
  kind: IssueKind;
  /** The topics that the text already speaks to. */
  known: ReadonlySet<Topic>;
  terms: SearchTerms;
}

/** Reads the issue, with what people wrote in the thread so far. */
export type ReadFacts = (issue: Issue, messages: ConversationMessage[]) => IssueFacts;

import { isAmong, sameLogin } from "./login.ts";

/** An author's relation to the issue: its reporter, an assignee, Relay itself, anyone else. */
export type AuthorRole = "reporter" | "assignee" | "self" | "other";

/** One message of a thread, the same for every tracker (R-IN-9). */
export interface ConversationMessage {
  /** Position in the thread, from 1. The issue's own text is not a message. */
  seq: number;
  author: string;
  role: AuthorRole;
  /** Written by another bot: context, but never a signal (R-IN-4). */
  isBot: boolean;
  timestamp: Date;
  editedAt: Date | null;
  replyToSeq: number | null;
  content: string;
  /** The tracker's ids, for replies and edits. */
  externalId: string;
  externalThreadId: string | null;
}

/** A message with all that its thread can be put together from again, without asking the tracker. */
export interface ThreadMessage extends ConversationMessage {
  /** The tracker's id of the comment that it answers, which may be deleted. */
  externalReplyId: string | null;
}

/** A comment on an issue's pull request. */
export interface ReviewWord {
  externalId: string;
  author: string;
  content: string;
  timestamp: Date;
  /** The file that it is about; null for the request as a whole. */
  path: string | null;
}

/** The role of an author, seen from the issue. An assignee who also reported it counts as the reporter. */
export function roleOf(
  author: string,
  people: { reporter: string; assignees: readonly string[]; bot: string },
): AuthorRole {
  if (sameLogin(author, people.bot)) return "self";
  if (sameLogin(author, people.reporter)) return "reporter";
  return isAmong(author, people.assignees) ? "assignee" : "other";
}

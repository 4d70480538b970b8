import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { sameLogin } from "../domain/login.ts";
import { RelayError } from "../lib/errors.ts";
import type { CommentInspection, Tracker } from "../adapters/trackers/tracker.ts";

/** Why a comment that would approve a plan does not count; null if it does. */
export type Disqualified = "edited" | "minimized" | null;

type Inspector = Pick<Tracker, "inspectComment" | "hasHiddenComments">;

/**
 * Whether a comment that would approve a plan stands as its author wrote it (R-CONF-8). At most one request; where a
 * tracker does not tell who edited a comment, an edited one does not count.
 */
export async function disqualified(message: ThreadMessage, issue: Issue, tracker: Inspector): Promise<Disqualified> {
  if (message.editedAt === null && !tracker.hasHiddenComments) return null;
  return judgeInspection(message, await inspect(message, issue, tracker));
}

function judgeInspection(
  { author, editedAt }: Pick<ThreadMessage, "author" | "editedAt">,
  found: CommentInspection | null,
): Disqualified {
  if (found?.isMinimized === true) return "minimized";
  const edit = found === null ? { by: null } : found.edit;
  if (edit === null) return null;
  const byAuthor = edit.by === null ? editedAt === null : sameLogin(edit.by, author);
  return byAuthor ? null : "edited";
}

/** Null where the tracker cannot tell. An outage is thrown where the comment was edited; it holds no other yes up. */
async function inspect(
  { externalId, editedAt }: ThreadMessage,
  issue: Issue,
  tracker: Inspector,
): Promise<CommentInspection | null> {
  try {
    return await tracker.inspectComment(issue, externalId);
  } catch (error) {
    if (editedAt !== null && error instanceof RelayError && error.retryable) throw error;
    return null;
  }
}

import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { sameLogin } from "../domain/login.ts";
import { RelayError } from "../lib/errors.ts";
import type { CommentInspection, Tracker } from "../adapters/trackers/tracker.ts";
import { askToRewrite } from "./plan-notices.ts";
import type { Thread, ThreadDeps } from "./thread.ts";

/**
 * Decides only by comments that are still as their authors wrote them (R-CONF-8). `decide` leaves out the comments with
 * these ids, and names the one that its outcome rests on, if any. If that one does not count, `decide` runs again
 * without it; the author of an edited comment is asked once to say it again.
 */
export async function decideByOwnWords<T extends { decisive: string | null }>(
  { issue, plan, messages }: Pick<Thread, "issue" | "plan" | "messages">,
  deps: ThreadDeps,
  decide: (excluded: ReadonlySet<string>) => T | Promise<T>,
): Promise<T> {
  const excluded = new Set<string>();
  for (;;) {
    const outcome = await decide(excluded);
    const message = messages.find(({ externalId }) => externalId === outcome.decisive);
    const why = message === undefined ? null : await disqualified(message, issue, deps.tracker);
    if (message === undefined || why === null) return outcome;
    excluded.add(message.externalId);
    if (why === "edited") await askToRewrite(issue, plan, message, deps);
  }
}

/** Why a comment that would approve a plan does not count; null if it does. */
type Disqualified = "edited" | "minimized" | null;

type Inspector = Pick<Tracker, "inspectComment" | "hasHiddenComments">;

/** At most one request. Where a tracker does not tell who edited a comment, an edited one does not count. */
async function disqualified(message: ThreadMessage, issue: Issue, tracker: Inspector): Promise<Disqualified> {
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

/** Null if the tracker cannot tell. An outage is thrown only for an edited comment, so that it delays no other yes. */
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

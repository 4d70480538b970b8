import { marker } from "../domain/marker.ts";
import { type OwnComment, findOwnComment } from "./own-comment.ts";
import type { Issue } from "../domain/issue.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { isCommentRecorded, record } from "../storage/audit.ts";
import type { Db } from "../storage/db.ts";
import { listMessages } from "../storage/messages.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

export interface PostDeps {
  db: Db;
  clock: Clock;
  ids: Ids;
  tracker: Tracker;
}

/**
 * Posts a comment in an issue's thread exactly once, and returns it: after a crash, its marker shows that it was posted
 * (R-ACT-5).
 */
export async function postOnce(
  issue: Issue,
  { key, words, why }: { key: string; words: string; why: string },
  { db, tracker, clock, ids }: PostDeps,
): Promise<OwnComment> {
  const hidden = marker(key);
  const { text } = safeComment(words, { participants: [issue.reporter, ...issue.assignees], bot: tracker.bot });
  const messages = await listMessages(db, issue.id);
  const earlier = await findOwnComment(hidden, { issue, messages, firstTriedAt: null, tracker });
  const comment = earlier ?? (await tracker.createComment(issue, `${text}\n\n${hidden}`, null));
  // A crash may have come between the comment and the record of it.
  if (earlier && (await isCommentRecorded(db, issue.id, earlier.id))) return earlier;
  const after = { comment_id: comment.id, body: comment.body };
  await record(db, { issueId: issue.id, actor: "relay", what: "comment.posted", why, after }, { clock, ids });
  return comment;
}

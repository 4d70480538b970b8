import { marker } from "../domain/marker.ts";
import { type OwnComment, findOwnComment } from "./own-comment.ts";
import { postLedger, sendOnce } from "./send-once.ts";
import type { Issue } from "../domain/issue.ts";
import { originsIn } from "./link-origins.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import { listThread } from "../storage/messages.ts";
import { findPost, settlePost } from "../storage/posts.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

export interface PostDeps extends Pick<Context, "db" | "clock" | "ids" | "recheck"> {
  tracker: Tracker;
}

/** A comment by its key. */
export interface OnceOnly {
  key: string;
  words: string;
  why: string;
  /** People whom it may mention besides the reporter and the assignees. */
  people?: readonly string[];
  /** Where its links may lead, if elsewhere than those of other comments on the issue. */
  origins?: ReadonlySet<string>;
  /** Whether it announces an end: then it does not wait for another close or stop to be processed. */
  atEnd?: boolean;
}

/**
 * Posts a comment in an issue's thread exactly once, and returns its id and the tracker's time of it (R-ACT-5,
 * R-IN-13).
 */
export async function postOnce(
  issue: Issue,
  { key, words, why, people = [], origins, atEnd = false }: OnceOnly,
  { tracker, ...deps }: PostDeps,
): Promise<Pick<OwnComment, "id" | "createdAt">> {
  const { db, clock, ids } = deps;
  const post = await findPost(db, issue.id, key);
  if (post !== null && post.commentId !== null && post.postedAt !== null) {
    return { id: post.commentId, createdAt: post.postedAt };
  }
  const hidden = marker(key);
  const { text } = safeComment(words, {
    participants: [issue.reporter, ...issue.assignees, ...people],
    bot: tracker.bot,
    origins: origins ?? (await originsIn(words, issue, { db, tracker })),
  });
  const triedAt = post?.triedAgo == null ? null : new Date(clock.now().getTime() - post.triedAgo);
  const { comment } = await sendOnce(
    {
      key,
      find: async () => {
        const messages = await listThread(db, issue.id);
        return await findOwnComment(hidden, { issue, messages, firstTriedAt: triedAt, tracker });
      },
      send: async () => await tracker.createComment(issue, `${text}\n\n${hidden}`, null),
    },
    post,
    { posts: postLedger(deps, issue, atEnd), settlesAfterMs: tracker.settlesAfterMs },
  );
  await db.transaction(async (tx) => {
    if (!(await settlePost(tx, issue.id, key, comment))) return;
    const after = { comment_id: comment.id, body: comment.body };
    await record(tx, { issueId: issue.id, actor: "relay", what: "comment.posted", why, after }, { clock, ids });
  });
  return comment;
}

import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { keyOf } from "../domain/marker.ts";
import type { Clock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { record } from "../storage/audit.ts";
import type { Db } from "../storage/db.ts";
import { unlessMissing } from "../adapters/trackers/missing.ts";
import { replacePost } from "../storage/posts.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

/** A comment of Relay's own, and the older one that says the same. */
export interface RepeatedPost {
  key: string;
  older: string;
  younger: string;
}

/** Relay's comments whose marker an older one of its comments has: a try came through after all. Pure. */
export function repeatedPosts(thread: readonly ThreadMessage[]): RepeatedPost[] {
  const first = new Map<string, string>();
  return thread.flatMap(({ role, content, externalId }) => {
    const key = role === "self" ? keyOf(content) : null;
    if (key === null) return [];
    const older = first.get(key);
    if (older === undefined) first.set(key, externalId);
    return older === undefined ? [] : [{ key, older, younger: externalId }];
  });
}

/** Deletes the younger of two comments that say the same, and keeps the older in its place. A failure is only logged. */
export async function removeRepeated(
  issue: Issue,
  repeated: readonly RepeatedPost[],
  { db, tracker, clock, ids, log }: { db: Db; tracker: Tracker; clock: Clock; ids: Ids; log: Log },
): Promise<void> {
  for (const { key, older, younger } of repeated) {
    try {
      // The older first: a crash in between leaves a comment too many, and none that is missed.
      await db.transaction(async (tx) => await replacePost(tx, issue.id, younger, older));
      await unlessMissing(tracker.deleteComment(issue, younger));
      const change = {
        what: "comment.repeated",
        why: key,
        before: { comment_id: younger },
        after: { comment_id: older },
      };
      await record(db, { issueId: issue.id, actor: "relay", ...change }, { clock, ids });
    } catch (error) {
      log.warn({ issue_id: issue.id, comment: younger, error: messageOf(error) }, "repeated comment not deleted");
    }
  }
}

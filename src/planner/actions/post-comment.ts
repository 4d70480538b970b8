import type { ActionOf } from "../../domain/action.ts";
import type { StoredAction } from "../../domain/cycle.ts";
import { actionMarker } from "../../domain/marker.ts";
import { safeComment } from "../../domain/text/comment-sanitizer.ts";
import type { Performer } from "./attempt.ts";
import type { ActionWrites, Apply, ExecutorDeps } from "./ports.ts";
import { auditDraft } from "./ports.ts";
import { PartError } from "./failure.ts";
import type { OwnComment } from "../../notify/own-comment.ts";
import { findOwnComment } from "../../notify/own-comment.ts";
import { replyThread } from "./reply.ts";

type Deps = Pick<ExecutorDeps<ActionWrites>, "issue" | "reasoning" | "messages" | "participants" | "tracker" | "log">;

/** Posts a comment exactly once: its hidden marker shows whether an earlier attempt succeeded (R-ACT-5, R-SAFE-2). */
export function commentPerformer(
  stored: StoredAction,
  data: ActionOf<"post_comment">["data"],
  deps: Deps,
): Performer<ActionWrites> {
  const marker = actionMarker(stored.idempotencyKey);
  return {
    find: async (firstTriedAt) => {
      const threadId = knownThread(data, deps);
      const comment = await findOwnComment(marker, { ...deps, firstTriedAt, threadId });
      if (comment === null) return null;
      deps.log.info({ action: stored.id, comment: comment.id }, "found the comment of an earlier attempt");
      return recordComment(comment, true, deps);
    },
    perform: async () => {
      const { text, changes } = safeComment(data.content, { participants: deps.participants, bot: deps.tracker.bot });
      if (changes.length > 0) deps.log.warn({ action: stored.id, changes }, "comment changed before posting");
      const comment = await deps.tracker.createComment(deps.issue, `${text}\n\n${marker}`, threadOf(data, deps));
      return recordComment(comment, false, deps);
    },
  };
}

/** Null if the thread is gone: the comment may still have been posted before. */
function knownThread({ reply_to_id: replyToId }: ActionOf<"post_comment">["data"], { messages }: Deps): string | null {
  const thread = replyToId === undefined ? null : replyThread(replyToId, messages);
  return thread?.kind === "found" ? thread.threadId : null;
}

function threadOf({ reply_to_id: replyToId }: ActionOf<"post_comment">["data"], { messages }: Deps): string | null {
  if (replyToId === undefined) return null;
  const thread = replyThread(replyToId, messages);
  if (thread.kind === "found") return thread.threadId;
  throw new PartError("not_found", `reply_to ${replyToId}`, `the thread ${replyToId} is not part of this issue`);
}

function recordComment(comment: OwnComment, adopted: boolean, deps: Deps): Apply<ActionWrites> {
  const after = { comment_id: comment.id, thread_id: comment.threadId, body: comment.body };
  return async (tx) => {
    await tx.askedNoLaterThan(comment.createdAt);
    return {
      outcome: { comment_id: comment.id, thread_id: comment.threadId, adopted },
      audit: [auditDraft(deps, "comment.posted", { after })],
    };
  };
}

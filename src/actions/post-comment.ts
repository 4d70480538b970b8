import type { ActionOf } from "../domain/action.ts";
import type { StoredAction } from "../domain/cycle.ts";
import { actionMarker } from "../domain/marker.ts";
import { safeComment } from "../domain/outgoing.ts";
import type { TrackerComment } from "../trackers/tracker.ts";
import { RelayError } from "../lib/errors.ts";
import type { Performer } from "./attempt.ts";
import { auditDraft } from "./audit-draft.ts";
import { PartError } from "./failure.ts";
import type { ActionWrites, Apply, ExecutorDeps } from "./ports.ts";
import { replyThread } from "./reply.ts";

/** A thread longer than this is given up (R-SAFE-5), at 100 comments a page. */
const MAX_PAGES = 1_000;

type Deps = Pick<ExecutorDeps<ActionWrites>, "issue" | "reasoning" | "messages" | "participants" | "tracker" | "log">;

/** Posts a comment once: its hidden marker tells whether an earlier try has done it (R-ACT-5, R-SAFE-2). */
export function commentPerformer(
  stored: StoredAction,
  data: ActionOf<"post_comment">["data"],
  deps: Deps,
): Performer<ActionWrites> {
  const marker = actionMarker(stored.idempotencyKey);
  return {
    find: async () => {
      const comment = await findOwnComment(marker, deps);
      if (comment === null) return null;
      deps.log.info({ action: stored.id, comment: comment.id }, "comment of an earlier try found");
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

function threadOf({ reply_to_id: replyToId }: ActionOf<"post_comment">["data"], { messages }: Deps): string | null {
  if (replyToId === undefined) return null;
  const thread = replyThread(replyToId, messages);
  if (thread.kind === "found") return thread.threadId;
  throw new PartError("not_found", `reply_to ${replyToId}`, `the thread ${replyToId} is not part of this issue`);
}

function recordComment(comment: TrackerComment, adopted: boolean, deps: Deps): Apply<ActionWrites> {
  const after = { comment_id: comment.id, thread_id: comment.threadId, body: comment.body };
  return () =>
    Promise.resolve({
      outcome: { comment_id: comment.id, thread_id: comment.threadId, adopted },
      audit: [auditDraft(deps, "comment.posted", { after })],
    });
}

/** The comment that carries a marker. Only Relay's own comments count, and only a marker in the place where Relay puts it: anybody can paste one. */
export async function findOwnComment(
  marker: string,
  { issue, tracker }: Pick<Deps, "issue" | "tracker">,
): Promise<TrackerComment | null> {
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { comments, next }: Awaited<ReturnType<typeof tracker.listComments>> = await tracker.listComments(
      issue,
      cursor,
    );
    const found = comments.find(
      (comment) =>
        comment.author.toLowerCase() === tracker.bot.toLowerCase() && comment.body.trimEnd().endsWith(marker),
    );
    if (found) return found;
    if (next === null) return null;
    cursor = next;
  }
  throw new RelayError("too_large", `the thread has more than ${MAX_PAGES * 100} comments; Relay does not take it`);
}

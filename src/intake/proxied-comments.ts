import type { ThreadMessage } from "../domain/conversation.ts";
import type { Tracker, TrackerComment } from "../adapters/trackers/tracker.ts";
import type { IssueAddress } from "../domain/issue.ts";
import { sameLogin } from "../domain/login.ts";
import { proxiedIdIn, proxiedKey } from "../domain/marker.ts";
import type { RepeatedPost } from "./repeated-posts.ts";
import type { Db } from "../storage/db.ts";
import { type ProxiedComment, listProxiedComments } from "../storage/proxied-comments.ts";

/**
 * The tracker, with each comment that Relay posted for a person read as that person's, in the words that are stored. Only
 * comments by Relay's own account that belong to a stored row of this issue count: nobody can forge one, editing one
 * changes nothing, and deleting one takes the words back.
 */
export function withProxiedAuthors<T extends Pick<Tracker, "bot" | "listComments" | "listChangedComments">>(
  tracker: T,
  db: Db,
): T {
  const read = async (issue: IssueAddress, comments: readonly TrackerComment[]): Promise<TrackerComment[]> => {
    const own = comments.filter(({ author }) => sameLogin(author, tracker.bot));
    if (own.length === 0) return [...comments];
    const proxied = await listProxiedComments(db, issue, {
      comments: own.map(({ id }) => id),
      ids: own.flatMap(({ body }) => proxiedIdIn(body) ?? []),
    });
    const byComment = new Map(proxied.flatMap((one) => (one.commentId === null ? [] : [[one.commentId, one]])));
    const waiting = new Map(proxied.flatMap((one) => (one.commentId === null ? [[one.id, one]] : [])));
    return comments.map((comment) => {
      const words = byComment.get(comment.id) ?? waiting.get(proxiedIdIn(comment.body) ?? "");
      return words === undefined || !own.includes(comment) ? comment : spoken(comment, words);
    });
  };
  return {
    ...tracker,
    listComments: async (issue, cursor) => {
      const page = await tracker.listComments(issue, cursor);
      return { ...page, comments: await read(issue, page.comments) };
    },
    listChangedComments: async (issue, since, threads) => {
      const changed = await tracker.listChangedComments(issue, since, threads);
      return changed && (await read(issue, changed));
    },
  };
}

/** Proxied comments that were posted twice: an earlier try came through after all. */
export async function repeatedProxiedComments(
  thread: readonly ThreadMessage[],
  issue: IssueAddress,
  db: Db,
): Promise<RepeatedPost[]> {
  const own = thread.flatMap(({ role, content, externalId }) => {
    const id = role === "self" ? proxiedIdIn(content) : null;
    return id === null ? [] : [{ id, younger: externalId }];
  });
  if (own.length === 0) return [];
  const proxied = await listProxiedComments(db, issue, { comments: [], ids: own.map(({ id }) => id) });
  return own.flatMap(({ id, younger }) => {
    const older = proxied.find((one) => one.id === id)?.commentId ?? younger;
    return older === younger ? [] : [{ key: proxiedKey(id), older, younger }];
  });
}

function spoken(comment: TrackerComment, { login, words }: ProxiedComment): TrackerComment {
  return { ...comment, author: login, body: words, isBot: false, editedAt: null };
}

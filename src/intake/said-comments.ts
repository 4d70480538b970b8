import type { ThreadMessage } from "../domain/conversation.ts";
import type { Tracker, TrackerComment } from "../adapters/trackers/tracker.ts";
import type { IssueAddress } from "../domain/issue.ts";
import { sameLogin } from "../domain/login.ts";
import { saidIn, saidKey } from "../domain/marker.ts";
import type { RepeatedPost } from "./repeated-posts.ts";
import type { Db } from "../storage/db.ts";
import { type Said, listSaidOf } from "../storage/said.ts";

/**
 * The tracker as it is read: what people said by Relay's page, and Relay put into the thread for them, is theirs there,
 * in the words that are stored. A comment is such only if it is by Relay's own account and belongs to stored words of this
 * issue: nobody else can make one, and whoever edits it changes nothing of what was said. Who deletes it takes the words
 * back.
 */
export function asSaid<T extends Pick<Tracker, "bot" | "listComments" | "listChangedComments">>(tracker: T, db: Db): T {
  const read = async (issue: IssueAddress, comments: readonly TrackerComment[]): Promise<TrackerComment[]> => {
    const own = comments.filter(({ author }) => sameLogin(author, tracker.bot));
    if (own.length === 0) return [...comments];
    const said = await listSaidOf(db, issue, {
      comments: own.map(({ id }) => id),
      ids: own.flatMap(({ body }) => saidIn(body) ?? []),
    });
    const byComment = new Map(said.flatMap((one) => (one.commentId === null ? [] : [[one.commentId, one]])));
    const waiting = new Map(said.flatMap((one) => (one.commentId === null ? [[one.id, one]] : [])));
    return comments.map((comment) => {
      const words = byComment.get(comment.id) ?? waiting.get(saidIn(comment.body) ?? "");
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

/** Comments of Relay's own with words that stand in the thread already: a try came through after all. */
export async function repeatedSaid(
  thread: readonly ThreadMessage[],
  issue: IssueAddress,
  db: Db,
): Promise<RepeatedPost[]> {
  const own = thread.flatMap(({ role, content, externalId }) => {
    const id = role === "self" ? saidIn(content) : null;
    return id === null ? [] : [{ id, younger: externalId }];
  });
  if (own.length === 0) return [];
  const said = await listSaidOf(db, issue, { comments: [], ids: own.map(({ id }) => id) });
  return own.flatMap(({ id, younger }) => {
    const older = said.find((one) => one.id === id)?.commentId ?? younger;
    return older === younger ? [] : [{ key: saidKey(id), older, younger }];
  });
}

function spoken(comment: TrackerComment, { login, words }: Said): TrackerComment {
  return { ...comment, author: login, body: words, isBot: false, editedAt: null };
}

import { missing } from "../missing.ts";
import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { checkComment, unfit } from "../texts.ts";
import type { Tracker, TrackerComment } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { inSeconds } from "./issues.ts";
import { type RepositoryCall, commentIdOf, numberOf } from "./repository.ts";

const PAGE = 100;
/** With more changes than fit on these pages, the whole thread is fetched. */
const MOST_PAGES = 3;

type Comments = Pick<
  Tracker,
  "listComments" | "listChangedComments" | "getComment" | "createComment" | "updateComment" | "deleteComment"
>;

/** The discussion of an issue, in posting order. It has no threads on GitHub. */
export function githubComments(call: RepositoryCall, { apiUrl }: { apiUrl: string }): Comments {
  const page = async (address: IssueAddress, cursor: string | null, since: Date | null) => {
    const below = `/issues/${numberOf(address)}/comments`;
    const query = { per_page: PAGE, ...(since === null ? {} : { since: inSeconds(since) }) };
    const answer = await call(address.externalProjectId, {
      method: "GET",
      ...(cursor === null ? { path: below, query } : { path: placeOf(cursor, below, apiUrl) }),
    });
    const found = read(z.array(answers.comment), answer.body, `the comments of ${nameOf(address)}`);
    return { comments: found.map(toComment), next: answer.next };
  };

  return {
    listComments: async (address, cursor) => await page(address, cursor, null),
    listChangedComments: async (address, since) => {
      // GitHub promises "after"; one second earlier makes it "at or after", and earlier results are dropped.
      const from = new Date(Math.floor(since.getTime() / 1_000) * 1_000);
      const changed: TrackerComment[] = [];
      let cursor: string | null = null;
      for (let pages = 0; pages < MOST_PAGES; pages += 1) {
        const { comments, next } = await page(address, cursor, new Date(from.getTime() - 1_000));
        changed.push(...comments.filter(({ createdAt, editedAt }) => (editedAt ?? createdAt) >= from));
        if (next === null) return changed;
        cursor = next;
      }
      return null;
    },
    getComment: async (address, commentId) => {
      const path = `/issues/comments/${commentIdOf(commentId)}`;
      const answer = await call(address.externalProjectId, { method: "GET", path });
      return toComment(read(answers.comment, answer.body, `comment ${commentId} on ${nameOf(address)}`));
    },
    createComment: async (address, body, threadId) => {
      checkComment(body);
      if (threadId !== null) throw missing(`there is no thread ${threadId} on ${nameOf(address)}: GitHub has none`);
      const path = `/issues/${numberOf(address)}/comments`;
      const answer = await call(address.externalProjectId, { method: "POST", path, body: { body } });
      return toComment(read(answers.comment, answer.body, `a new comment on ${nameOf(address)}`));
    },
    updateComment: async (address, commentId, body) => {
      checkComment(body);
      numberOf(address);
      const path = `/issues/comments/${commentIdOf(commentId)}`;
      const answer = await call(address.externalProjectId, { method: "PATCH", path, body: { body } });
      return toComment(read(answers.comment, answer.body, `comment ${commentId} on ${nameOf(address)}`));
    },
    deleteComment: async (address, commentId) => {
      numberOf(address);
      const path = `/issues/comments/${commentIdOf(commentId)}`;
      await call(address.externalProjectId, { method: "DELETE", path });
    },
  };
}

export function toComment(found: z.infer<typeof answers.comment>): TrackerComment {
  return {
    id: String(found.id),
    threadId: null,
    replyToId: null,
    author: found.user.login,
    isBot: found.user.isBot,
    body: found.body,
    createdAt: found.created_at,
    editedAt: found.updated_at > found.created_at ? found.updated_at : null,
  };
}

/** The URL of a next page, if it belongs to this thread. GitHub identifies the repository by its id there. */
function placeOf(cursor: string, below: string, apiUrl: string): string {
  const address = URL.canParse(cursor) ? new URL(cursor) : null;
  if (address?.origin === new URL(apiUrl).origin && address.pathname.endsWith(below)) return cursor;
  throw unfit("the cursor is not one that a page of comments gave");
}

function nameOf(address: IssueAddress): string {
  return `${address.externalProjectId}#${address.externalIssueId}`;
}

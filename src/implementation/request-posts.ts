import { originsIn } from "../notify/link-origins.ts";
import type { Issue } from "../domain/issue.ts";
import { type PostLedger, postLedger } from "../notify/send-once.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import { settlePost } from "../storage/posts.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import { commentOnce } from "./pull-request/thread-answers.ts";

/** What the audit log records about a comment on a request. */
interface Said {
  /** Number of the request. */
  number: number;
  what?: "comment.posted" | "question.answered";
  why: () => string;
  about?: Readonly<Record<string, string>>;
}

/** Records what Relay writes on a request; all of it is in the audit log (R-OBS-5). */
export function requestPosts(
  deps: Context,
  issue: Issue,
  { number, what = "comment.posted", why, about = {} }: Said,
): PostLedger {
  return {
    ...postLedger(deps, issue),
    settle: async (key, comment) =>
      await deps.db.transaction(async (tx) => {
        if (!(await settlePost(tx, issue.id, key, comment))) return;
        const after = { request: number, comment_id: comment.id, ...about, body: comment.body };
        await record(tx, { issueId: issue.id, actor: "relay", what, why: why(), after }, deps);
      }),
  };
}

/** Comments once on a request as a whole; false if it takes no comments. */
export async function sayOnRequest(
  { issue, number, codeHost }: { issue: Issue; number: number; codeHost: CodeHost },
  { key, words, why }: { key: string; words: string; why: string },
  deps: Context,
): Promise<boolean> {
  const posts = requestPosts(deps, issue, { number, why: () => why });
  const by = {
    codeHost,
    calledAs: [codeHost.bot, ...codeHost.calledAs],
    posts,
    origins: async (said: string) => await originsIn(said, issue, { db: deps.db, tracker: codeHost }),
  };
  const refused = await commentOnce({ key, words }, { project: issue.externalProjectId, number }, by);
  if (refused !== null) deps.log.warn({ issue: issue.externalIssueId, number, why: refused }, "request not commented");
  return refused === null;
}

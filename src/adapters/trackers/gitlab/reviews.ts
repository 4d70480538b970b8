import { missing } from "../missing.ts";
import { type Call, pages } from "../pages.ts";
import { z } from "zod";
import { MOST_REVIEW_COMMENTS, newestThreads } from "../review-threads.ts";
import { checkComment, unfit } from "../texts.ts";
import type { ReviewThread, Reviews } from "../code-host.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { requestPath } from "./calls.ts";
import { inert } from "./quick-actions.ts";
import { commentsOf, isComment, toComment } from "./thread.ts";

const PAGE = 100;
/** Threads are always listed oldest first, including system notes. */
const MOST_PAGES = 100;

type Discussion = z.infer<typeof answers.discussion>;
/** Reviews on GitLab: all comments on a merge request are in threads, and each takes replies. */
export function gitlabReviews(call: Call): Reviews {
  return {
    listReviewThreads: async (project, number) => {
      const path = `${requestPath(project, number)}/discussions`;
      let threads: ReviewThread[] = [];
      for await (const body of pages(call, { method: "GET", path, query: { per_page: PAGE } }, MOST_PAGES)) {
        const found = read(z.array(answers.discussion), body, `the comments of ${project}!${number}`);
        // Each thread has at least one comment, so this many threads suffice.
        threads = [...threads, ...found.map(toThread).filter(({ comments }) => comments.length > 0)].slice(
          -MOST_REVIEW_COMMENTS,
        );
      }
      return newestThreads(threads);
    },
    replyToThread: async (project, number, threadId, body) => {
      checkComment(body);
      if (!/^[0-9a-f]{40}$/.test(threadId)) {
        throw missing(`there is no thread ${JSON.stringify(threadId.slice(0, 100))} in ${project}!${number}`);
      }
      const path = `${requestPath(project, number)}/discussions/${threadId}/notes`;
      const made = read(answers.note, await post(path, body, project, number), `a reply in ${project}!${number}`);
      return { ...toComment(made, null), threadId };
    },
    commentOn: async (project, number, body) => {
      checkComment(body);
      const made = await post(`${requestPath(project, number)}/discussions`, body, project, number);
      const thread = toThread(read(answers.discussion, made, `a comment on ${project}!${number}`));
      const [comment] = thread.comments;
      if (comment === undefined) throw missing(`GitLab shows no comment on ${project}!${number} in its answer`);
      return comment;
    },
  };

  async function post(path: string, body: string, project: string, number: number): Promise<unknown> {
    const answer = await call({ method: "POST", path, body: { body: inert(body) } });
    // GitLab answers 202 without a comment if the whole text consists of commands.
    if (answer.status === 202) throw unfit(`GitLab found nothing but commands in a comment on ${project}!${number}`);
    return answer.body;
  }
}

function toThread(found: Discussion): ReviewThread {
  const notes = found.notes.filter(isComment);
  const at = notes.find(({ position }) => position)?.position;
  const resolvable = notes.filter((one) => one.resolvable === true);
  return {
    id: found.id,
    path: at?.new_path ?? at?.old_path ?? null,
    line: at?.new_line ?? at?.old_line ?? null,
    resolved: resolvable.length > 0 && resolvable.every((one) => one.resolved === true),
    comments: commentsOf([found]),
  };
}

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
/** Threads come in one order only, the oldest first, and what GitLab notes by itself is among them. */
const MOST_PAGES = 100;

type Discussion = z.infer<typeof answers.discussion>;
/** Review on GitLab: all that is said of a merge request is in threads, and each takes answers. */
export function gitlabReviews(call: Call): Reviews {
  return {
    listReviewThreads: async (project, number) => {
      const path = `${requestPath(project, number)}/discussions`;
      let threads: ReviewThread[] = [];
      for await (const body of pages(call, { method: "GET", path, query: { per_page: PAGE } }, MOST_PAGES)) {
        const found = read(z.array(answers.discussion), body, `the comments of ${project}!${number}`);
        // A thread has a comment at least: more threads than comments that are wanted are never needed.
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
      const answer = await call({ method: "POST", path, body: { body: inert(body) } });
      // Where GitLab took all of a text for commands there is no comment, and 202 says so.
      if (answer.status === 202) throw unfit(`GitLab found nothing but commands in a reply in ${project}!${number}`);
      const made = read(answers.note, answer.body, `a reply in ${project}!${number}`);
      return { ...toComment(made, null), threadId };
    },
  };
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

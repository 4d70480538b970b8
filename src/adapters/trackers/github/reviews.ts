import { missing } from "../missing.ts";
import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import { MOST_REVIEW_COMMENTS, newestThreads } from "../review-threads.ts";
import { checkComment } from "../texts.ts";
import type { ReviewThread, Reviews } from "../code-host.ts";
import type { TrackerComment } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { toComment } from "./comments.ts";
import type { Graphql } from "./graphql.ts";
import { fetchPullRequest, pullPath } from "./pull-requests.ts";
import type { RepositoryCall } from "./repository.ts";
import { type ReviewComment, commentsUnder, reviewComments, reviewsOf } from "./review-comments.ts";
import { parseThread, threadOfComment, threadOfReview } from "./thread-names.ts";
import { safeComment } from "../../../domain/text/comment-sanitizer.ts";

const PAGE = 100;

/** Newest first. A thread is identified by its first comment. */
const QUERY = `query($id: ID!, $before: String) {
  node(id: $id) {
    ... on PullRequest {
      reviewThreads(last: ${PAGE}, before: $before) {
        pageInfo { hasPreviousPage startCursor }
        nodes { isResolved comments(first: 1) { nodes { id } } }
      }
    }
  }
}`;

const threadsAnswer = z.object({
  node: z.object({
    reviewThreads: z.object({
      pageInfo: z.object({ hasPreviousPage: z.boolean(), startCursor: z.string().nullish() }),
      nodes: z.array(
        z.object({ isResolved: z.boolean(), comments: z.object({ nodes: z.array(z.object({ id: z.string() })) }) }),
      ),
    }),
  }),
});

/**
 * The `node_id`s of the first comments of resolved threads. Only GraphQL has this.
 *
 * @param nodeId of the pull request
 */
async function resolvedThreads(graphql: Graphql, project: string, nodeId: string): Promise<Set<string>> {
  const resolved = new Set<string>();
  let before: string | null = null;
  for (let page = 0; page < MOST_REVIEW_COMMENTS / PAGE; page += 1) {
    const what = "the resolved threads of a pull request";
    const data = await graphql(project, { query: QUERY, variables: { id: nodeId, before }, what, kind: "read" });
    const { pageInfo, nodes }: z.infer<typeof threadsAnswer>["node"]["reviewThreads"] = read(threadsAnswer, data, what)
      .node.reviewThreads;
    for (const { isResolved, comments } of nodes) {
      if (isResolved) for (const { id } of comments.nodes) resolved.add(id);
    }
    if (!pageInfo.hasPreviousPage || !pageInfo.startCursor) break;
    before = pageInfo.startCursor;
  }
  return resolved;
}

/** Reviews on GitHub, where only line comments are in threads that take replies; see `thread-names.ts`. */
export function githubReviews(call: RepositoryCall, graphql: Graphql): Reviews {
  return {
    listReviewThreads: async (project, number) => {
      const request = await fetchPullRequest(call, project, number);
      const atLines = await reviewComments(call, project, number);
      const resolved =
        atLines.length === 0 ? new Set<string>() : await resolvedThreads(graphql, project, request.node_id);
      const reviews = await reviewsOf(call, project, number);
      const under = await commentsUnder(call, project, number, request.comments ?? 0);
      return newestThreads([
        ...threadsOf(atLines, resolved),
        ...reviews.map((one) => {
          const at = one.submitted_at ?? new Date(0);
          return alone(threadOfReview(one.id), { ...one, created_at: at, updated_at: at });
        }),
        ...under.map((one) => alone(threadOfComment(one.id), one)),
      ]);
    },
    replyToThread: async (project, number, threadId, body) => {
      checkComment(body);
      const thread = parseThread(threadId);
      if (thread === null) throw noThread(project, number, threadId);
      const { kind, id } = thread;
      if (kind === "review") {
        const path = `${pullPath(project, number)}/reviews/${id}`;
        const answer = await call(project, { method: "GET", path });
        const found = read(answers.review, answer.body, `review ${id} of ${project}#${number}`);
        return await commentUnder(project, number, quoting(found.body, body));
      }
      if (kind === "comment")
        return await commentUnder(project, number, quoting(await bodyOf(project, number, id), body));
      return await replyAtLine(project, number, id, body);
    },
    commentOn: async (project, number, body) => {
      checkComment(body);
      return await commentUnder(project, number, body);
    },
  };

  /** If the first comment of a thread was deleted, the thread takes no more replies. */
  async function replyAtLine(project: string, number: number, id: string, body: string): Promise<TrackerComment> {
    const path = `${pullPath(project, number)}/comments/${id}/replies`;
    try {
      const answer = await call(project, { method: "POST", path, body: { body } });
      return inThread(read(answers.reviewComment, answer.body, `a reply in ${project}#${number}`));
    } catch (error) {
      if (!(error instanceof RelayError && error.code === "not_found")) throw error;
      const thread = threadsOf(await reviewComments(call, project, number), new Set()).find((one) => one.id === id);
      const last = thread?.comments.at(-1);
      if (last === undefined) throw noThread(project, number, id);
      return await commentUnder(project, number, quoting(last.body, body));
    }
  }

  async function bodyOf(project: string, number: number, id: string): Promise<string> {
    pullPath(project, number);
    const answer = await call(project, { method: "GET", path: `/issues/comments/${id}` });
    const found = read(answers.issueComment, answer.body, `comment ${id} in ${project}`);
    // The address finds any comment of the repository.
    if (!found.issue_url.endsWith(`/issues/${number}`)) throw noThread(project, number, id);
    return found.body;
  }

  async function commentUnder(project: string, number: number, body: string): Promise<TrackerComment> {
    pullPath(project, number);
    const answer = await call(project, { method: "POST", path: `/issues/${number}/comments`, body: { body } });
    const made = toComment(read(answers.comment, answer.body, `a new comment under ${project}#${number}`));
    return { ...made, threadId: threadOfComment(Number(made.id)) };
  }
}

function threadsOf(comments: readonly ReviewComment[], resolved: ReadonlySet<string>): ReviewThread[] {
  const threads = Map.groupBy(comments, (one) => one.in_reply_to_id ?? one.id);
  return [...threads].map(([id, inOrder]) => {
    const [first] = inOrder;
    return {
      id: String(id),
      path: first?.path ?? null,
      line: first?.line ?? first?.original_line ?? null,
      resolved: inOrder.some(({ node_id }) => resolved.has(node_id)),
      comments: inOrder.map(inThread),
    };
  });
}

function inThread(found: ReviewComment): TrackerComment {
  const answered = found.in_reply_to_id ?? null;
  return {
    ...toComment(found),
    threadId: String(answered ?? found.id),
    replyToId: answered === null ? null : String(answered),
  };
}

function alone(id: string, found: z.infer<typeof answers.comment>): ReviewThread {
  return { id, path: null, line: null, resolved: false, comments: [{ ...toComment(found), threadId: id }] };
}

function noThread(project: string, number: number, id: string): RelayError {
  return missing(`there is no thread ${JSON.stringify(id.slice(0, 100))} in pull request ${number} of ${project}`);
}

const LONGEST_QUOTE = 200;
const LONGEST_BODY = 65_536;

/**
 * A reply below a quote of the first line that it answers, for places without threads. The quote is sanitized: it
 * mentions no one again and hides nothing. If there is nothing to quote, or no room, the reply is sent alone.
 */
function quoting(said: string, answer: string): string {
  const line = said
    .split("\n")
    .map((one) => one.trim())
    // Neither a nested quote nor a code fence.
    .find((one) => /[\p{L}\p{N}]/u.test(one) && !/^(?:>|```|~~~|<!--)/.test(one));
  if (line === undefined) return answer;
  const short = line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE).toWellFormed().trimEnd()}…` : line;
  const [quiet = ""] = safeComment(short, { participants: [], bot: "", origins: new Set() }).text.split("\n");
  const whole = `> ${quiet}\n\n${answer}`;
  return quiet.trim() === "" || whole.length > LONGEST_BODY ? answer : whole;
}

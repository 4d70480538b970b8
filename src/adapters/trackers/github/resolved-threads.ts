import { z } from "zod";
import { MOST_REVIEW_COMMENTS } from "../review-threads.ts";
import { read } from "./answers.ts";
import type { Graphql } from "./graphql.ts";

const PAGE = 100;

/** From the newest backwards. A thread is known by the first of its comments. */
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

const answer = z.object({
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
 * The first comments, by their `node_id`, of the threads that somebody has resolved. Only GraphQL tells.
 *
 * @param nodeId of the pull request
 */
export async function resolvedThreads(graphql: Graphql, project: string, nodeId: string): Promise<Set<string>> {
  const resolved = new Set<string>();
  let before: string | null = null;
  for (let page = 0; page < MOST_REVIEW_COMMENTS / PAGE; page += 1) {
    const what = "the resolved threads of a pull request";
    const data = await graphql(project, { query: QUERY, variables: { id: nodeId, before }, what, kind: "read" });
    const { pageInfo, nodes }: z.infer<typeof answer>["node"]["reviewThreads"] = read(answer, data, what).node
      .reviewThreads;
    for (const { isResolved, comments } of nodes) {
      if (isResolved) for (const { id } of comments.nodes) resolved.add(id);
    }
    if (!pageInfo.hasPreviousPage || !pageInfo.startCursor) break;
    before = pageInfo.startCursor;
  }
  return resolved;
}

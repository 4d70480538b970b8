import { missing } from "../missing.ts";
import { z } from "zod";
import type { CommentInspection, Tracker } from "../tracker.ts";
import { read } from "./api-schemas.ts";
import type { Graphql } from "./graphql.ts";
import { commentIdOf, numberOf, pathOf } from "./repository.ts";

/** The newest comments come first: one that decides is among them. */
const PAGE = 100;
const MOST_PAGES = 20;

const QUERY = `query($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      comments(last: ${PAGE}, before: $before) {
        pageInfo { hasPreviousPage startCursor }
        nodes { url isMinimized lastEditedAt editor { login } }
      }
    }
  }
}`;

const answer = z.object({
  repository: z.object({
    issue: z.object({
      comments: z.object({
        pageInfo: z.object({ hasPreviousPage: z.boolean(), startCursor: z.string().nullish() }),
        nodes: z.array(
          z.object({
            url: z.string(),
            isMinimized: z.boolean(),
            lastEditedAt: z.string().nullish(),
            editor: z.object({ login: z.string() }).nullish(),
          }),
        ),
      }),
    }),
  }),
});

type Comments = z.infer<typeof answer>["repository"]["issue"]["comments"];

/** Who edited a comment, and whether it is hidden: only GraphQL has this, and it knows comments by their URLs. */
export function githubInspection(graphql: Graphql): Pick<Tracker, "inspectComment"> {
  return {
    inspectComment: async (address, commentId): Promise<CommentInspection> => {
      const project = address.externalProjectId;
      const anchor = `#issuecomment-${commentIdOf(commentId)}`;
      const [owner = "", name = ""] = pathOf(project).replace("/repos/", "").split("/");
      let before: string | null = null;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const variables: Record<string, unknown> = { owner, name, number: Number(numberOf(address)), before };
        const what = `comment ${commentId} of #${address.externalIssueId}`;
        const data = await graphql(project, { query: QUERY, variables, what, kind: "read" });
        const { nodes, pageInfo }: Comments = read(answer, data, what).repository.issue.comments;
        const found = nodes.find(({ url }) => url.endsWith(anchor));
        if (found) {
          const edit = found.lastEditedAt == null ? null : { by: found.editor?.login ?? null };
          return { edit, isMinimized: found.isMinimized };
        }
        if (!pageInfo.hasPreviousPage || !pageInfo.startCursor) break;
        before = pageInfo.startCursor;
      }
      throw missing(`there is no comment ${commentId} on ${project}#${address.externalIssueId}`);
    },
  };
}

import type { Graphql } from "./graphql.ts";

/** Makes a draft of a pull request, or makes it ready for review. */
export type SetDraft = (project: string, request: { number: number; nodeId: string; draft: boolean }) => Promise<void>;

/** Only GraphQL can do this. */
export function githubDraft(graphql: Graphql): SetDraft {
  return async (project, { number, nodeId, draft }) => {
    const mutation = draft ? "convertPullRequestToDraft" : "markPullRequestReadyForReview";
    const query = `mutation($id: ID!) { ${mutation}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`;
    await graphql(project, { query, variables: { id: nodeId }, what: `${mutation} of #${number}` });
  };
}

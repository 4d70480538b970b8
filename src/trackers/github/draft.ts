import { z } from "zod";
import type { ErrorCode } from "../../lib/errors.ts";
import { RelayError } from "../../lib/errors.ts";
import { read } from "./answers.ts";
import type { RepositoryCall } from "./repository.ts";

/** Makes a draft of a pull request, or makes it ready for review. */
export type SetDraft = (project: string, request: { number: number; nodeId: string; draft: boolean }) => Promise<void>;

const answer = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).nullish(),
});

/** What GraphQL calls errors that the REST API tells by a status. */
const KNOWN: Record<string, { code: ErrorCode; status: number }> = {
  NOT_FOUND: { code: "not_found", status: 404 },
  FORBIDDEN: { code: "forbidden", status: 403 },
  INSUFFICIENT_SCOPES: { code: "forbidden", status: 403 },
  RATE_LIMITED: { code: "rate_limited", status: 429 },
  SERVICE_UNAVAILABLE: { code: "unavailable", status: 503 },
};

/** Only GraphQL can do this, which answers 200 also where it refuses. `address` is that of GraphQL. */
export function githubDraft(call: RepositoryCall, address: string): SetDraft {
  return async (project, { number, nodeId, draft }) => {
    const mutation = draft ? "convertPullRequestToDraft" : "markPullRequestReadyForReview";
    const query = `mutation($id: ID!) { ${mutation}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`;
    const { body } = await call(project, { method: "POST", path: address, body: { query, variables: { id: nodeId } } });
    const [refused] = read(answer, body, `${mutation} for ${project}#${number}`).errors ?? [];
    if (refused === undefined) return;
    const { code, status } = KNOWN[refused.type ?? ""] ?? { code: "invalid", status: 422 };
    const why = refused.message.replaceAll(/\p{Cc}+/gu, " ").slice(0, 300);
    throw new RelayError(code, `GitHub refused ${mutation} for ${project}#${number}: ${why}`, { status });
  };
}

/** Where GraphQL is: beside `/api/v3` on an Enterprise server, below the API's address elsewhere. */
export function graphqlAddress(apiUrl: string): string {
  return apiUrl.endsWith("/api/v3") ? apiUrl.replace(/v3$/, "graphql") : `${apiUrl}/graphql`;
}

import { z } from "zod";
import { type ErrorCode, RelayError } from "../../../lib/errors.ts";
import { read } from "./api-schemas.ts";
import type { RepositoryCall } from "./repository.ts";

/** Runs one GraphQL query about a project and returns its `data`. `what`: its name in errors. */
export type Graphql = (
  project: string,
  question: { query: string; variables: Record<string, unknown>; what: string; kind?: "read" },
) => Promise<unknown>;

const answer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).nullish(),
});

/** GraphQL error types, with the status that the REST API has for them. */
const KNOWN: Record<string, { code: ErrorCode; status: number }> = {
  NOT_FOUND: { code: "not_found", status: 404 },
  FORBIDDEN: { code: "forbidden", status: 403 },
  INSUFFICIENT_SCOPES: { code: "forbidden", status: 403 },
  RATE_LIMITED: { code: "rate_limited", status: 429 },
  SERVICE_UNAVAILABLE: { code: "unavailable", status: 503 },
};

/** GraphQL reports errors with status 200; they are thrown as those of the REST API. */
export function githubGraphql(call: RepositoryCall, address: string): Graphql {
  return async (project, { query, variables, what, kind }) => {
    const { body } = await call(project, {
      method: "POST",
      path: address,
      body: { query, variables },
      ...(kind === undefined ? {} : { kind }),
    });
    const { data, errors } = read(answer, body, `${what} for ${project}`);
    const [refused] = errors ?? [];
    if (refused === undefined) return data;
    const { code, status } = KNOWN[refused.type ?? ""] ?? { code: "invalid", status: 422 };
    const why = refused.message.replaceAll(/\p{Cc}+/gu, " ").slice(0, 300);
    throw new RelayError(code, `GitHub refused ${what} for ${project}: ${why}`, { status });
  };
}

/** The GraphQL endpoint: next to `/api/v3` on an Enterprise server, otherwise below the API's URL. */
export function graphqlAddress(apiUrl: string): string {
  return apiUrl.endsWith("/api/v3") ? apiUrl.replace(/v3$/, "graphql") : `${apiUrl}/graphql`;
}

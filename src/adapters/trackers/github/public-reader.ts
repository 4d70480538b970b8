import type { PublicReader } from "../provider.ts";
import { type GateDeps, callersOf } from "./callers.ts";
import { githubComments } from "./comments.ts";
import { githubIssues } from "./issues.ts";
import { repositoryCalls } from "./repository.ts";

/** Public repositories without a token; GitHub allows 60 such requests an hour for each address. */
export function githubReader(address: string, deps: GateDeps): PublicReader {
  const apiUrl = address.replace(/\/+$/, "");
  const anybody = callersOf(apiUrl, deps)("nobody", async () => await Promise.resolve(null));
  const call = repositoryCalls({ callFor: async () => await Promise.resolve(anybody) });
  const { getIssue } = githubIssues(call);
  const { listComments } = githubComments(call, { apiUrl });
  return { getIssue, listComments };
}

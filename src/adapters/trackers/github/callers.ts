import type { Call } from "../pages.ts";
import { createHash } from "node:crypto";
import { KeptAnswers } from "../http/kept-answers.ts";
import { type TrackerHttpOptions, createTrackerHttp } from "../http/tracker-http.ts";

/** What the gate to GitHub needs besides credentials. */
export type GateDeps = Pick<TrackerHttpOptions, "quotas" | "clock" | "timeoutMs" | "fetch">;

/** Gives the credential of a call: the same as before, or a new one where GitHub refused that. */
export type Credential = (refresh: boolean) => Promise<string>;

/** Makes callers that go by one credential each. They share what is kept of answers. */
export type MakeCaller = (holder: string, credential: Credential) => Call;

/**
 * @param apiUrl of the REST API, without a slash at its end
 */
export function callersOf(apiUrl: string, deps: GateDeps): MakeCaller {
  const kept = new KeptAnswers();
  const headers = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };
  return (holder, credential) => {
    const authorization = async (refresh: boolean) => ({ authorization: `Bearer ${await credential(refresh)}` });
    const http = createTrackerHttp({ ...deps, baseUrl: apiUrl, name: "GitHub", authorization, headers, kept });
    const quota = `github:${apiUrl}:${holder}`;
    return async (request) => await http({ ...request, quota });
  };
}

/** Tells tokens apart without telling them. */
export function fingerprint(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, 16);
}

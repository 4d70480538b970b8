import type { Call } from "../pages.ts";
import { KeptAnswers } from "../http/kept-answers.ts";
import type { LostAccess } from "../http/failure.ts";
import { type TrackerHttpOptions, createTrackerHttp } from "../http/tracker-http.ts";
import { sha256Of } from "../../../lib/sha256.ts";

/** Settings of the GitHub client, apart from credentials. */
export type GateDeps = Pick<TrackerHttpOptions, "quotas" | "clock" | "timeoutMs" | "fetch">;

/** Returns the credential for a call: the cached one, or a new one after GitHub rejected it; null to ask without. */
export type Credential = (refresh: boolean) => Promise<string | null>;

/** Creates callers, each with one credential. They share the response cache. */
export type MakeCaller = (holder: string, credential: Credential) => Call;

/**
 * @param apiUrl of the REST API, without a trailing slash
 */
export function callersOf(apiUrl: string, deps: GateDeps): MakeCaller {
  const kept = new KeptAnswers();
  const headers = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };
  return (holder, credential) => {
    const authorization = async (refresh: boolean): Promise<Record<string, string>> => {
      const known = await credential(refresh);
      return known === null ? {} : { authorization: `Bearer ${known}` };
    };
    const http = createTrackerHttp({
      ...deps,
      baseUrl: apiUrl,
      name: "GitHub",
      authorization,
      headers,
      kept,
      lostAccess,
    });
    const quota = `github:${apiUrl}:${holder}`;
    return async (request) => await http({ ...request, quota });
  };
}

/** A 403 for an archived repository says something else. */
function lostAccess({ status, said, headers }: { status: number; said: string; headers: Headers }): LostAccess | null {
  if (status === 410 && /disabled/i.test(said)) return { needs: null, mend: "turn issues on in its settings" };
  if (status !== 403) return null;
  if (/is locked/i.test(said)) return { needs: null, mend: "unlock it, or give Relay's account write access" };
  const needs = headers.get("x-accepted-github-permissions");
  return /not accessible by|been suspended|must have \w+ rights/i.test(said) ? { needs } : null;
}

/** Distinguishes tokens without revealing them. */
export function fingerprint(token: string): string {
  return sha256Of(token).slice(0, 16);
}

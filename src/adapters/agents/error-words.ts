import type { AgentEnding } from "./agent.ts";

/*
 * Messages of agents and providers after which another run would fail the same way: the key, the account, the model's
 * name or the installation is wrong. Everything else may succeed next time.
 */
const PERMANENT = [
  /\b(?:http|status|code|error|unexpected status)\b.{0,20}\b40[13]\b/i,
  /\b40[13]\b.{0,5}(?:unauthori[sz]ed|forbidden)/i,
  /authentication[_ ](?:failed|error)|permission_error|unauthenticated|invalid authentication/i,
  /(?:invalid|incorrect|wrong|missing|no|expired|provide an?|set an?).{0,20}\bapi[ _-]?key/i,
  /api[ _-]?key.{0,30}(?:not valid|invalid|not found|is missing|is required|not set|expired|must be)/i,
  /not logged in|please (?:run .{0,20})?log ?in|authentication required|run .{0,30}\blogin\b/i,
  /missing environment variable|invalid auth method|set an auth method/i,
  /insufficient_quota|credit balance|billing_hard_limit|payment required|insufficient (?:credits|balance|funds)/i,
  /model_not_found|not_found_error.{0,80}model|model.{0,60}(?:does not exist|not found|is not supported)|unknown model|no models? (?:available|found)/i,
];

/** Exit codes of shells and sandboxes for a program that does not exist or is not executable. */
const NOT_STARTED = new Set([126, 127]);

function isPermanent(words: string, code: number | null): boolean {
  return (code !== null && NOT_STARTED.has(code)) || PERMANENT.some((pattern) => pattern.test(words.slice(0, 8_000)));
}

/*
 * Messages of an outage: of the model's server, of the way to it, or of a limit that time lifts. Agents print the
 * status, the provider's words, or those of their runtime.
 */
const PASSING = [
  /\b(?:http|status|code|error|unexpected status|failed with)\b.{0,20}\b(?:408|429|5(?:0[0234]|2\d))\b/i,
  /\b(?:429 too many requests|500 internal server error|502 bad gateway|503 service unavailable|504 gateway time-?out)\b/i,
  /overloaded|rate[_ -]?limit(?:ed|_error| exceeded| reached)|too many requests|usage limit|resource_exhausted/i,
  /service (?:is )?(?:temporarily )?unavailable|temporarily unavailable|server had an error|internal server error|bad gateway|gateway time-?out/i,
  /\b(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+)\b/,
  /socket hang up|fetch failed|(?:network|connection) ?error|connection (?:was )?(?:reset|refused|closed|timed out|terminated)/i,
  /could not resolve host|name resolution|dns error|error sending request|stream (?:disconnected|closed) before|request timed out|premature close/i,
];

function isPassing(words: string): boolean {
  return PASSING.some((pattern) => pattern.test(words.slice(-8_000)));
}

/** The ending of a program that failed with these words, and an exit code if it exited by itself (R-WORK-15). */
export function failed(detail: string, words: string, code: number | null): Extract<AgentEnding, { kind: "failed" }> {
  const usable = !isPermanent(words, code);
  return { kind: "failed", detail, usable, passing: usable && isPassing(words) };
}

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

export function isPermanent(words: string, code: number | null): boolean {
  return (code !== null && NOT_STARTED.has(code)) || PERMANENT.some((pattern) => pattern.test(words.slice(0, 8_000)));
}

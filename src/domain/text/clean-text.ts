import { stripHiddenText } from "./hidden-text.ts";
import { stripHiddenCharacters } from "./hidden-characters.ts";
import { removeSecrets } from "./secrets/remove-secrets.ts";

/**
 * Sanitizes a planner's or writer's text for storage (R-SAFE-1, R-SAFE-3): stored text returns in prompts, in specs and
 * in the console, so it contains no secrets and nothing invisible to people. Tags stay: what Relay posts shows them as
 * text. Idempotent.
 */
export function keptText(text: string): string {
  return removeSecrets(stripHiddenText(text, { tags: false }).text).text;
}

/** People's words as other people see them (R-SAFE-6), of at most about `most` characters, and without secrets. */
export function seenText(text: string, most = Number.POSITIVE_INFINITY): string {
  return removeSecrets(stripHiddenText(text, { most }).text).text;
}

/** Like `keptText`, but for lines of code, where comments are content. */
export function keptCode(text: string): string {
  return removeSecrets(stripHiddenCharacters(text)).text;
}

/** Data as it may be stored and shown: its strings as `keptCode` has them, so that a log has no secrets and no control characters. */
export function keptJson(value: unknown): string {
  const kept = new Map<string, string>();
  const json = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === "string") kept.set(each, each);
    return each;
  });
  const changed = keepEach([...kept.keys()], kept);
  if (!changed) return json;
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "string" ? (kept.get(each) ?? each) : each));
}

/** Fills in what is kept of each text. One look at all of them finds that most data holds nothing to take out. */
function keepEach(texts: readonly string[], kept: Map<string, string>): boolean {
  const together = texts.join("\n\n");
  const clean = keptCode(together);
  if (clean === together) return false;
  const [only, ...others] = texts;
  if (only !== undefined && others.length === 0) {
    kept.set(only, clean);
    return true;
  }
  const half = Math.ceil(texts.length / 2);
  const [first, second] = [keepEach(texts.slice(0, half), kept), keepEach(texts.slice(half), kept)];
  return first || second;
}

import { stripHiddenCharacters, stripHiddenText } from "./hidden-text.ts";
import { removeSecrets } from "./secrets/remove-secrets.ts";

/**
 * Sanitizes a planner's or writer's text for storage (R-SAFE-1, R-SAFE-3): stored text returns in prompts, in specs and
 * in the console, so it contains no secrets and nothing invisible to people. Idempotent.
 */
export function keptText(text: string): string {
  return removeSecrets(stripHiddenText(text).text).text;
}

/** Like `keptText`, but for lines of code, where comments are content. */
export function keptCode(text: string): string {
  return removeSecrets(stripHiddenCharacters(text)).text;
}

import { stripHiddenCharacters, stripHiddenText } from "./hidden-text.ts";
import { removeSecrets } from "./secrets.ts";

/**
 * A planner's or writer's text as it may be stored (R-SAFE-1, R-SAFE-3): what is stored comes back in prompts, in
 * specs and in the console, so it holds no secrets and nothing that people cannot see. Doing it twice is doing it once.
 */
export function keptText(text: string): string {
  return removeSecrets(stripHiddenText(text).text).text;
}

/** The same for lines of code, where comments are content. */
export function keptCode(text: string): string {
  return removeSecrets(stripHiddenCharacters(text)).text;
}

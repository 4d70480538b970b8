import { cutAtWord, oneLine, codeSpan } from "../lib/text.ts";
import { type Translate, phrases } from "../i18n/phrases.ts";
import { keptText } from "../domain/text/clean-text.ts";

/** Translates the fixed words of steps. */
export type Say = Translate<"steps">;

const ENGLISH = phrases("steps", "en");

/** Text by others as part of a sentence: one line, without secrets and hidden text, cut at a word. */
export function phrase(text: string, most: number): string {
  return cutAtWord(oneLine(keptText(text.slice(0, most * 20))), most);
}

/** `a`, `b` and 3 more; in English by default. */
export function namesOf(paths: readonly string[], most = 4, say: Say = ENGLISH): string {
  const shown = paths.slice(0, most).map((path) => codeSpan(path));
  const more = paths.length - shown.length;
  if (more > 0) return say("names_more", { names: shown.join(", "), number: more });
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : say("names_and", { names: shown.join(", "), last });
}

import { stripHiddenText } from "../../domain/text/hidden-text.ts";
import { removeSecrets } from "../../domain/text/secrets.ts";

export const SYNTHESIS_CHARACTERS = 2_000;

/** What a model said, without hidden text and credentials, cut to what a synthesis may have (R-SAFE-1, R-SAFE-2). */
export function spoken(text: string): string {
  // What is cut off in the end need not be read; half a secret at the cut would still be one.
  const clean = removeSecrets(stripHiddenText(text.slice(0, 20 * SYNTHESIS_CHARACTERS)).text).text.trim();
  if (clean.length <= SYNTHESIS_CHARACTERS) return clean;
  const cut = clean.slice(0, SYNTHESIS_CHARACTERS - 1);
  const sentence = [...cut.matchAll(/[.!?](?=\s)|[。！？]/g)].at(-1)?.index ?? 0;
  const end = sentence > SYNTHESIS_CHARACTERS / 2 ? sentence + 1 : cut.length;
  return `${cut.slice(0, end).toWellFormed()}…`;
}

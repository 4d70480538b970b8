import { FAILS, HAPPENS, PROHIBITS, SHOULD } from "./aspect-words.ts";
import { FAULT } from "./kind.ts";
import type { Sentence } from "./sentences.ts";

/** The sentence that reports the failure best; early ones and ones that share the title's words take precedence. */
export function mostTelling(sentences: readonly Sentence[], title: string): Sentence | null {
  const titleWords = new Set(title.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu));
  let best: Sentence | null = null;
  let most = 0;
  for (const [index, sentence] of sentences.entries()) {
    const { text } = sentence;
    if (!FAULT.test(text) || PROHIBITS.test(text)) continue;
    const shared = (text.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu) ?? []).filter((word) =>
      titleWords.has(word),
    ).length;
    const worth =
      4 +
      (HAPPENS.test(text) ? 1 : 0) +
      (FAILS.test(text) ? 2 : 0) +
      Math.min(2, shared) / 2 -
      (SHOULD.test(text) ? 1.5 : 0) -
      index / 8;
    if (best === null || worth > most) [best, most] = [sentence, worth];
  }
  return best;
}

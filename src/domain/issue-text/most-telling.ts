import { EXPECTS, FAILS, HAPPENS, PROHIBITS, SHOULD } from "./aspect-words.ts";
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

/** A clause that says in which case, and what comes of it. */
const CASES: readonly RegExp[] = [
  /^(?:when(?:ever)?|if|wenn|sobald|si|cuando|quand|lorsque?|quando|se|когда|если)(?=[\s'’])[^,]{6,200},\s+\S/iu,
  /^(?:after|nach|après|tras|después de|após|depois de|при|после)\s[^,]{6,160},\s+\S/iu,
  /^[^。]{2,80}?(?:的时候|时|之?后)[，,]|^[^。]{2,80}?(?:とき|時|場合|[うくすつぬむるた]と)(?:に|は)?[、,]/u,
];

/** Whether a sentence tells what comes of a case: “When I type in the title, `n` opens a new card.” */
export function tellsOfCase(text: string): boolean {
  return text.length <= 400 && !EXPECTS.test(text) && !SHOULD.test(text) && CASES.some((one) => one.test(text));
}

import { EXPECTS, FAILS, HAPPENS, PROHIBITS, SHOULD } from "./aspect-words.ts";
import { FAULT } from "./kind.ts";
import { anyOf } from "./phrases.ts";
import { isQuestion, type Sentence } from "./sentences.ts";

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
  // What follows from a fault is told after it.
  const before = best === null ? undefined : sentences[sentences.indexOf(best) - 1];
  const isTold =
    before !== undefined && !isQuestion(before.text) && !SHOULD.test(before.text) && !PROHIBITS.test(before.text);
  return best !== null && FOLLOWS.test(best.text) && isTold ? before : best;
}

/** Opens a sentence that tells what a fault leads to. */
const FOLLOWS = new RegExp(
  String.raw`^(?:(?:as a (?:result|consequence)|therefore|thus|hence|consequently|because of (?:this|that)|this (?:means|leads to)|afterwards|danach|dadurch|deshalb|deswegen|daher|somit|folglich|infolgedessen|por (?:eso|ello|lo tanto|consiguiente)|como (?:resultado|consecuencia)|después|du coup|c['’]est pourquoi|par conséquent|de ce fait|ensuite|por isso|portanto|com isso|em consequência|depois|поэтому|из-за этого|в результате|в итоге|после этого|потом)(?!\p{L})|因此|所以|于是|结果|这样一来|そのため|その結果|結果として|これにより|その後)`,
  "iu",
);

/** Says what is true, beside what a program claims: “in fact it has only 40”. */
const IN_FACT = new RegExp(
  String.raw`^(?:(?:in (?:fact|reality|truth)|actually|really|in wirklichkeit|tatsächlich|en realidad|de hecho|en réalité|en fait|na (?:verdade|realidade)|de facto|на самом деле|в действительности|фактически)(?![\p{L}:：])|实际上?(?![:：])|事实上|实则|実際(?:に)?は|本当は)`,
  "iu",
);
const ONLY = anyOf(
  "only|just|no more than|nur|lediglich|bloß|solo|sólo|solamente|seulement|ne .{1,30} que|só|apenas|somente|только|лишь|всего",
  "只|仅|だけ|しか|のみ",
);

/** The sentence that tells what happens among those that have its words: not the truth that it is told against. */
export function happensIn(firm: readonly Sentence[], tells: (text: string) => boolean): Sentence | undefined {
  const first = firm.find(({ text }) => tells(text));
  if (first === undefined || !IN_FACT.test(first.text) || !ONLY.test(first.text)) return first;
  const before = firm[firm.indexOf(first) - 1];
  return before !== undefined && !SHOULD.test(before.text) && !EXPECTS.test(before.text) ? before : first;
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

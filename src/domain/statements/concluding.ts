import { MENTION, isCourtesy, withoutOpening } from "./sentence.ts";
import { knownAmong } from "./words.ts";

/** What a clause of a sentence takes of what was said before: “substring” of “OK, substring then”; null without one. */
export function chosenIn(sentence: string, languages: readonly string[]): string | null {
  const known = knownAmong(languages);
  const clauses = sentence.replace(MENTION, "").split(CLAUSES);
  for (const clause of clauses) {
    for (const { concludes, opening, conjunction } of known) {
      const own = clause.replace(opening, "").replace(conjunction, "").trim();
      for (const phrase of concludes) {
        const chosen = phrase.exec(own)?.[1] ?? phrase.exec(clause.trim())?.[1];
        if (chosen !== undefined && !isCourtesy(chosen)) return chosen;
      }
    }
  }
  return null;
}

/** What is left of a sentence of a few words without a yes and the like: “OK, by name.”; null if it says more or nothing. */
export function bareIn(sentence: string, languages: readonly string[]): string | null {
  const known = knownAmong(languages);
  const own = known.reduce(
    (text, language) => withoutOpening(text.replaceAll(language.yielding, " ").replace(ENDS, ""), language),
    sentence,
  );
  const bare = known.reduce((text, { conjunction }) => text.replace(conjunction, ""), own.replace(ENDS, ""));
  return bare === "" || /[,;:?？]/.test(bare) || bare.split(/\s+/).length > FEW || isCourtesy(bare) ? null : bare;
}

const CLAUSES = /\s*[,;:.!，。；：！、]+(?:\s+|$)|\s+[–—-]\s+|[，。；：！]/u;
const ENDS = /^[\s,.!:;–—，。！：；、-]+|[\s,.!:;–—，。！：；、-]+$/gu;
/** Words. */
const FEW = 3;

/** Whether a text has each word of what was chosen, apart from articles. */
export function hasAll(text: string, chosen: string): boolean {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(chosen)) return text.includes(chosen);
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
  return (chosen.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).every((word) => ARTICLE.test(word) || words.has(word));
}

const ARTICLE =
  /^(?:an?|the|by|with|in|on|to|der|die|das|dem|den|eine?[nmrs]?|mit|nach|el|la|los|las|un[ao]?|con|por|les?|une|avec|par|os?|as|uma?|com|в|с|на|по)$/iu;

/** Asks how something could be, and not how or whether somebody could help. */
const ASKS_FOR =
  /(?<!\p{L})(?:(?:could|should|would|can|shall) (?!(?:i|you|we see|anyone|someone|somebody)(?!\p{L}))|(?:könnte|sollte|würde|wäre|soll)n?(?!\p{L})|(?:podría|debería|sería)(?!\p{L})|(?:pourrait|devrait|serait|faut)(?!\p{L})|(?:poderia|deveria|seria)(?!\p{L})|(?:может быть|можно|стоит|лучше)(?!\p{L})|бы(?!\p{L}))|可以|应该|要不要|べき|でしょうか|どうでしょう/iu;
/** Says how it should be; “it could be a race” and “that would explain it” explain. */
const ADVISES =
  /(?<!\p{L})(?:should (?!already|work|help|explain|be (?:fixed|easy|fine))\p{L}+|(?:i|we)(?:['’]d| would) (?!(?:be|guess|say that|like to (?:help|know|work|see)|love to (?:help|know|work|see)|need|have|wait)(?!\p{L}))\p{L}+|(?:would|could|might) be (?:\p{L}+ )?(?:better|nicer|easier|simpler|clearer|enough|good|great|best|safer|cleaner|ideal)|is (?:safer|better|nicer|clearer|simpler|easier)|(?:ich|wir) (?:würde|fände|nähme|hätte)n?|(?:würde|fände|nähme)n? (?:ich|wir)|(?:wäre|ist) (?:\p{L}+ )?(?:besser|schöner|klarer|einfacher|sinnvoller|gut)|sollten? (?!schon|bereits)\p{L}+|(?:yo )?(?:pondría|haría|usaría|preferiría)|(?:sería|es) mejor|debería|je (?:prendrais|mettrais|ferais|préfère\p{L}*)|(?:serait|est) (?:mieux|préférable)|devrait|eu (?:usaria|faria|colocaria|prefiro)|(?:seria|é) melhor|deveria|лучше|стоит|(?:я|мы) бы)(?!\p{L})|应该|更好|ほうがいい|方がいい|べき/iu;

/** “A or B” leaves open which. */
const OR = /(?<!\p{L})(?:or|oder|ou|или|либо|o|u)(?!\p{L})|还是|或者?|それとも|または|どちら|か、/iu;
const OPEN = new RegExp(String.raw`[?？]\s*$|${OR.source}`, "iu");
/** Asks what the reader does or knows. */
const ASKS_READER =
  /(?<!\p{L})(?:you|your|du|dir|ihr|euch|tu|te|vous|tú|usted(?:es)?|puedes|podrías|você|ты|вы|тебе|вам)(?!\p{L})|你|您|あなた/iu;

/** “The number, I'd say” says the number. */
export function withoutSoftener(sentence: string): string {
  return sentence.replace(SOFTENER, "");
}

const SOFTENER =
  /[,;，、]?\s*(?:(?:i['’]d|i would) (?:say|think|guess)|i (?:think|guess)|if you ask me|for me|please|würde ich sagen|(?:finde|denke|meine) ich|bitte|diría yo|creo(?: yo)?|por favor|je (?:dirais|pense|crois)|s['’]il (?:te|vous) plaît|eu diria|acho(?: eu)?|я бы сказала?|думаю|пожалуйста|我(?:觉得|想)|と思います)[.!。！]*$/iu;

/** Whether a sentence proposes something. */
export function isProposal(sentence: string): boolean {
  return (/[?？]\s*$/.test(sentence) ? ASKS_FOR : ADVISES).test(sentence);
}

/** What a sentence leaves to whoever answers: which of several, whether something proposed, or something about the reader. */
export function leavesOpen(sentence: string): "choice" | "reader" | null {
  if (!OPEN.test(sentence)) return null;
  return ASKS_READER.test(sentence) || !(OR.test(sentence) || isProposal(sentence)) ? "reader" : "choice";
}

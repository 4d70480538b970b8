const STOP_WORDS = new Set(
  "the and for with from that this then when given should must shall will can not but are was were has have had its into onto only also any all one two each".split(
    " ",
  ),
);

/** Distinct words taken from one text. */
const MOST_WORDS = 5_000;

/**
 * The significant words of prose or code, in lower case and without common endings, so that `roundsHalfCents` and “round
 * half a cent” match; for scripts without spaces, pairs of characters.
 */
export function significantWords(text: string): Set<string> {
  const words = new Set<string>();
  const plain = text.normalize("NFKC").replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, " ");
  for (const [word] of plain
    .toLowerCase()
    .matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{N}]+/gu)) {
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)) {
      for (let at = 0; at + 1 < word.length; at += 1) words.add(word.slice(at, at + 2));
    } else if (/^\p{N}+$/u.test(word) || (word.length > 2 && !STOP_WORDS.has(word))) {
      words.add(stem(word.slice(0, 60)));
    }
    if (words.size >= MOST_WORDS) break;
  }
  return words;
}

/** Number of the words that are also among the others. */
export function shared(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let number = 0;
  for (const word of words) if (others.has(word)) number += 1;
  return number;
}

function stem(word: string): string {
  return word.replace(/(?<=\w{3})(?:ing|ed|es|s|e)$/, "");
}

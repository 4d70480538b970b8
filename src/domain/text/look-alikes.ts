import { escapeHiddenCharacters } from "./hidden-characters.ts";

/** Letters of other scripts that look like one of Latin's, those first. */
const LATIN: ReadonlyMap<string, string> = new Map([
  ...pairs("аеорсухіѕјһԁԛԝѵӏЅІЈАВЕКМНОРСТХԌ", "aeopcyxisjhdqwvlSIJABEKMHOPCTXG"),
  ...pairs("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲ", "ABEZHIKMNOPTYXoc"),
  ...pairs("օոսցհՕՍՏ", "ounghOUS"),
  ...pairs("ᎪᏴᏟᎬᎻᎫᏦᏞᎷᏢᏚᎢᏙᎳᏃ", "ABCEHJKLMPSTVWZ"),
]);

function pairs(letters: string, latin: string): [string, string][] {
  return Array.from(letters, (letter, at): [string, string] => [letter, latin.charAt(at)]);
}

/** Letters that are Latin's in another dress: full width, or of mathematics. */
const DRESSED = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/u;
const WORD = /[\p{L}\p{N}_$]+/gu;
/** Characters that turn the order of text around, and those without width inside of words. */
const UNSEEN = /[\u202a-\u202e\u2066-\u2069]|(?<=[\p{L}\p{N}_])[\u00ad\u200b-\u200d\u2060\ufeff](?=[\w$])/u;
const MOST = 20;

/**
 * Words that are not what they look like: Latin letters beside look-alikes of other scripts, words of look-alikes alone that
 * `known` has in Latin, and text with characters that hide or reorder it. Each as `word (U+0441 for c)`. Linear.
 */
export function lookAlikesIn(text: string, known: ReadonlySet<string> = new Set()): string[] {
  const found = new Set<string>();
  // eslint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(text)) return [];
  for (const [word] of text.matchAll(WORD)) {
    const odd = Array.from(word).find((letter) => LATIN.has(letter) || DRESSED.test(letter));
    if (odd === undefined) continue;
    const plain = Array.from(word, (letter) => LATIN.get(letter) ?? letter.normalize("NFKC")).join("");
    const isMixed = /[A-Za-z]/.test(word) || DRESSED.test(odd);
    const isWhole = /^[\w$]+$/.test(plain) && plain.length > 1 && known.has(plain);
    if (isMixed || isWhole) found.add(`${word} (${codeOf(odd)} = ${LATIN.get(odd) ?? odd.normalize("NFKC")}?)`);
    if (found.size >= MOST) break;
  }
  for (const line of text.split("\n")) if (UNSEEN.test(line)) found.add(escapeHiddenCharacters(line.trim()));
  return [...found].slice(0, MOST);
}

function codeOf(letter: string): string {
  return `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Words that say nothing about where in a code base something is. */
const STOP = new Set(
  (
    "the a an and or of to in is it its this that these those for on with as be are was were not but if by at from we you " +
    "my our your can cannot could should would will do does did has have had no so when what which who how why then than " +
    "there here im ve re ll don doesn isn didn won wasn aren couldn shouldn wouldn http https www com org github io also " +
    "any all some more most other only just like get got use used using uses via per into out up about after before " +
    "because while been being they them their he she his her me us am may might must shall very too yet still even " +
    "issue bug problem feature request please thanks thank hello hi expected actual behavior behaviour describe reproduce " +
    "steps version example following code case work works working doesnt dont want need seems think instead however " +
    "something anything nothing way make makes sure possible currently true false null undefined none self let const var " +
    "function return import require new class def public private static void string int if else try catch and end"
  ).split(" "),
);

const TOKEN = /[A-Za-z0-9_$\u00aa-\uffff]+/g;
const SEAM = /[_$]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const LONGEST = 60;

/**
 * The words of a text as the search compares them: identifiers whole and split at their seams, in lower case,
 * without endings. `each` gets every occurrence.
 */
export function eachWord(text: string, each: (word: string) => void): void {
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.length > LONGEST) continue;
    const parts = token.split(SEAM).filter((part) => part.length > 1);
    for (const part of parts) each(stem(part.toLowerCase()));
    if (parts.length > 1) each(token.toLowerCase());
  }
}

/** Whether a word can help a search at all. */
export function tells(word: string): boolean {
  return word.length > 2 && !STOP.has(word) && !/^\d+$/.test(word);
}

/** A word without its commonest English endings; what is left is always a prefix of it. */
function stem(word: string): string {
  if (word.length < 5 || /[^a-z]/.test(word)) return word;
  for (const ending of [
    "ations",
    "ation",
    "ings",
    "ing",
    "ions",
    "ion",
    "ers",
    "ies",
    "ed",
    "es",
    "er",
    "ly",
    "s",
    "e",
    "y",
  ]) {
    const left = word.length - ending.length;
    if (word.endsWith(ending) && left >= 4 && !(ending === "s" && word.endsWith("ss"))) return word.slice(0, left);
  }
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

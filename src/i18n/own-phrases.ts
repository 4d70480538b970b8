import { LOCALES } from "./phrases.ts";

/** What may stand before a phrase: mentions, quotation and emphasis marks, an issue's or a plan's sign. */
const BEFORE = /^(?:[\s>*_,，、:-]|@[\w.-]+(?:\[bot\])?|さん)+/u;
/** Characters of a beginning that is told from people's words. */
const LEAST = 8;

/** Whether a text begins with a phrase that Relay writes in one of its languages. */
export function beginsLikeRelay(text: string): boolean {
  const start = begun(text).slice(0, LONGEST);
  return beginnings().some((phrase) => start.startsWith(phrase));
}

function begun(text: string): string {
  return text.replace(BEFORE, "").toLowerCase();
}

const LONGEST = 200;
let known: readonly string[] | null = null;

/** What phrases begin with, up to their first slot; or behind it, where they begin with a name. */
function beginnings(): readonly string[] {
  known ??= Object.values(LOCALES).flatMap((catalogues) =>
    Object.values(catalogues).flatMap((phrases) => Object.values<string>(phrases).flatMap(beginningOf)),
  );
  return known;
}

function beginningOf(phrase: string): string[] {
  const [first = "", second = ""] = phrase.split(/\{\{[^}]*\}\}/);
  const start = begun(first.trim() === "" ? second : first)
    .slice(0, LONGEST)
    .trim();
  return start.length >= LEAST || /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{4}/u.test(start)
    ? [start]
    : [];
}

import { phrasePattern } from "../issue-text/phrases.ts";
import { placesMeant } from "./places-meant.ts";
import { anyWord, wordsOf } from "./words.ts";

/** What may stand around the names of an item that leaves them out as a whole: “changes to the file `src/a.ts`”. */
const PLAIN = phrasePattern(`^(?:${wordsOf("whole").spaced}|(?:${wordsOf("whole").unspaced})+)$`);
/** “Anything but `src/a.ts`” is the opposite. */
const ALL_BUT = anyWord("allBut", String.raw`\p{L}`);
/** The end of what an item names; why or what it means comes behind it. */
const REMARK = /[:：;；（]|(?<!!)\(|\s[–—-]+\s|。|\.\s/u;

/**
 * The files and folders that an item of a list of what is left out forbids to change: those that it names and no more,
 * and those that it tells of, unless they are `known` from elsewhere: then it may leave out another change of theirs.
 */
export function placesLeftOut(item: string, known: (name: string) => boolean = () => true): string[] {
  if (item.length > LONGEST) return [];
  const [head = ""] = item.split(REMARK, 1);
  const { paths, forbidden } = placesMeant(item);
  const names = [...new Set([...paths, ...forbidden])];
  if (names.length === 0 || ALL_BUT.test(item.replace(/^[^:：]{0,40}[:：]/u, head))) return forbidden;
  const isWhole = (text: string) => {
    const left = names.reduce((rest, name) => rest.replaceAll(name, " "), text);
    return left !== text && (left.match(/[\p{L}\p{N}_]+/gu) ?? []).every((word) => PLAIN.test(word));
  };
  const isCode = (name: string) => head.includes(`\`${name}\``);
  const whole = isWhole(head) ? names.filter((name) => head.includes(name)) : [];
  // “Changes to `a.ts`: …” says what it leaves out, and then why; an order that is quoted there may hold in part.
  const told = whole.filter(isCode);
  if (told.length > 0 && whole.every((name) => told.some((one) => one.startsWith(name)))) return told;
  const others = names.filter((name) => (name.includes("/") || item.includes(`\`${name}`)) && !known(name));
  return [...new Set([...whole, ...others, ...forbidden])];
}

const LONGEST = 400;

import { leadsWithNo } from "../domain/statements/possible-decisions.ts";
import { cut } from "../lib/text.ts";
import { answersIn } from "./numbered-answers.ts";
import { containsYes } from "./read-reply.ts";

/** The items of a list by their numbers. */
export type Items = ReadonlyMap<number, string>;

/** Characters that are kept of what a message quotes or answers, of an item, and of a whole list. */
export const LONGEST_QUOTATION = 160;
const LONGEST_ITEM = 90;
const LONGEST_LIST = 350;

/** What a reply refers to, before it. */
export function quotation(text: string, most = LONGEST_QUOTATION): string {
  return `“${cut(text, most)}”`;
}

/** Finds what a decision quotes so. */
export const QUOTED = /“[^”]*”/g;

/** The numbered items among the parts of a message. */
export function itemsOf(parts: readonly string[]): Items {
  return new Map(
    parts.flatMap((part): [number, string][] => {
      const [, number, item] = /^\((\d{1,2})\) (.+)$/s.exec(part) ?? [];
      return number === undefined || item === undefined ? [] : [[Number(number), item]];
    }),
  );
}

/**
 * The answers of a message to the items of the first of these lists that they fit, each after its item, or all after the
 * list where they cannot be told apart; empty if it answers none by number.
 */
export function besideItems(parts: readonly string[], lists: readonly Items[]): string[] {
  const text = parts.join("\n").replaceAll(/^– /gm, "- ");
  for (const items of lists) {
    const { before, answers } = answersIn(text, new Set(items.keys()));
    const answered = [...answers].filter(([number]) => items.has(number));
    if (answered.length === 0 && text.length <= LONGEST_QUOTATION && namesSeveral(text, items)) {
      const list = [...items].map(([number, item]) => `(${number}) ${cut(item, LONGEST_ITEM)}`);
      return [quotation(list.join(" "), LONGEST_LIST), ...parts];
    }
    // Somebody's own list of orders answers nothing.
    if (!answered.some(([, answer]) => containsYes(answer) || leadsWithNo(answer))) continue;
    const told = [...answers].map(([number, answer]) => {
      const item = items.get(number);
      const said = answer.replaceAll(/\s*\n\s*/g, " ");
      return [`(${number})`, ...(item === undefined ? [] : [quotation(item, LONGEST_ITEM)]), said].join(" ");
    });
    return before === "" ? told : [before, ...told];
  }
  return [];
}

/** Whether a text names several items by their numbers or letters: “1 and 2 yes, 3 no”, “a) yes b) no”. */
function namesSeveral(text: string, items: Items): boolean {
  const named = [...text.matchAll(/(?<![\p{L}\p{N}.,-])(?:(\d{1,2})|([a-h])(?=[):.]))(?![\p{L}\p{N}%-]|[.,]\d)/giu)];
  const numbers = named.map(([, digits, letter = ""]) => Number(digits ?? letter.toLowerCase().charCodeAt(0) - 96));
  return new Set(numbers.filter((number) => items.has(number))).size > 1;
}

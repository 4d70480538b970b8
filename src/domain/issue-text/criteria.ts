import { proseSentences } from "./aspects.ts";
import { checkbox } from "./stop-words.ts";
import { plainText } from "./markdown.ts";
import type { Block } from "./markdown.ts";
import { anyOf } from "./phrases.ts";
import type { Section } from "./sections.ts";

const MOST = 20;

const BINDING = anyOf(
  "must(?: not)?|mustn't|shall(?: not)?|is required to|are required to|обязан\\p{L}*|обязательно|(?:не )?долж(?:ен|на|но|ны)|muss|müssen|darf nicht|debe(?:n)?|tiene que|doit|doivent|deve(?:m)?|tem que",
  "必须|必要があ|しなければならない|なければなりません|不得",
);
const NOT_A_RULE = anyOf(
  "must (?:be (?:there|something|a (?:bug|reason|way))|have (?:been|done|missed))|i (?:must|have to)|you must|(?:we|i|people|users?|one) (?:currently |now |always )?ha(?:s|ve|d) to|you have to",
);

/**
 * What the result will be judged by: an acceptance section's items, checklists that name work, and sentences
 * that say "must". Errors and options quoted with "must" in code are none.
 */
export function criteriaOf(sections: readonly Section[], blocks: readonly Block[]): string[] {
  const stated = sections
    .filter((section) => section.topic === "acceptance")
    .flatMap((section) => items(section.blocks));
  if (stated.length > 0) return distinct(stated);
  const ticked = sections
    .filter((section) => section.topic !== "checklist")
    .flatMap((section) =>
      section.blocks.flatMap((block) => (block.kind === "paragraph" ? (checkbox(block.text)?.text ?? []) : [])),
    )
    .map(plainText);
  const binding = proseSentences(blocks)
    .map((sentence) => sentence.text)
    .filter((text) => !/[?？]$/.test(text) && BINDING.test(withoutCode(text)) && !NOT_A_RULE.test(text))
    .map(plainText);
  return distinct([...ticked, ...binding]);
}

function items(blocks: readonly Block[]): string[] {
  const listed = blocks.filter((block) => block.kind === "paragraph" && block.inList);
  const chosen = listed.length > 0 ? listed : blocks.filter((block) => block.kind === "paragraph");
  return chosen.map((block) => plainText(checkbox(block.text)?.text ?? block.text).replaceAll(/\s+/g, " "));
}

function withoutCode(text: string): string {
  return text.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, " ");
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((text) => text !== ""))].slice(0, MOST);
}

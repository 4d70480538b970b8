import { type Block, plainText } from "../issue-text/markdown.ts";
import { proseSentences } from "../issue-text/prose-sentences.ts";
import { announcesWish, proposes } from "../issue-text/remarks.ts";
import { isQuestion } from "../issue-text/sentences.ts";
import type { Section } from "../issue-text/sections.ts";
import type { SectionTopic } from "../issue-text/section-titles.ts";
import { checkbox, isFiller } from "../issue-text/stop-words.ts";

/** What people say in these blocks, as displayed. */
export function sentencesIn(blocks: readonly Block[]): string[] {
  return proseSentences(blocks).flatMap(({ text }) => {
    const plain = plainText(checkbox(text)?.text ?? text)
      .replaceAll(/~~[^~]+~~/g, " ")
      .trim();
    return plain === "" || isFiller(plain) || /^https?:\S+$/.test(plain) ? [] : [plain];
  });
}

const TOLD_STEPS = new Set<SectionTopic | null>([null, "reproduction", "description", "actual"]);
/** “It should …” asks for something, wherever it stands. */
const DEMANDS =
  /(?<!\p{L})(?:should|shall|must|needs? to|ha(?:s|ve) to|expect\p{L}*|please|soll(?:te)?|muss|debe|debería|doit|devrait|deve|deveria|долж\p{L}+)(?!\p{L})|应该|必须|べき/iu;

/** The steps by which a fault comes about: lists that nothing announces as what is wanted. */
export function stepsIn({ topic, blocks }: Section): string[] {
  if (!TOLD_STEPS.has(topic)) return [];
  let isWanted = false;
  return blocks.flatMap((block) => {
    if (block.kind !== "paragraph" || block.quoted) return [];
    if (!block.inList) {
      isWanted = /[:：]\s*$/.test(block.text) && (announcesWish(block.text) || proposes(block.text));
      return [];
    }
    return isWanted || checkbox(block.text) !== null ? [] : sentencesIn([block]).filter((one) => !DEMANDS.test(one));
  });
}

/** “And …” goes on with what was asked for or decided in the sentence before; a question does not. */
export function joinsOn(sentence: string): boolean {
  return JOINED_ON.test(sentence) && !isQuestion(sentence);
}

const JOINED_ON = /^(?:and|und|et|y|e|и|а|plus)\s+(?=\p{L}{2,}\s)|^(?:并且|而且|そして|それから|また)/iu;

/** “No. The exit code must be 0” says what must be. */
export function withoutNo(text: string): string {
  return text.replace(/^(?:no|nope|nein|nee|non|não|нет|いいえ|いや)\s?[.!。]\s*(?=\S+\s\S)/iu, "");
}

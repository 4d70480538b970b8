import { checkbox } from "./stop-words.ts";
import type { IssueKind } from "./kind.ts";
import { type Block, plainText } from "./markdown.ts";
import { anyOf } from "./phrases.ts";
import { announcesWish, tellsOfToday } from "./remarks.ts";
import { sentencesOf } from "./sentences.ts";
import { topicOf } from "./section-titles.ts";
import type { Section } from "./sections.ts";

/** A word alone names a thing; scripts without spaces say more in one. */
const SAYS_SOMETHING = /\s|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{4,}/u;
/** Under such a title stand names of what there is. */
const AFFECTED = /affect|impact|limit|影响|影響/iu;
/** Says that rules follow: “the requirements are”, “after the change”. */
const RULES = anyOf(
  "(?:requirements?|rules?|(?:acceptance )?criteria|expected behaviou?r|what (?:i|we) (?:need|want|expect)|how (?:it|this|that) (?:should|must|is to) \\p{L}+|after (?:the|this|that) (?:change|fix)|(?:when|once) (?:it|this)(?: is|['’]s) (?:done|fixed|ready))|" +
    "(?:anforderungen|regeln|kriterien|nach der (?:änderung|umstellung)|requisitos|reglas|tras el cambio|exigences|règles|après (?:le changement|la modification)|regras|após a mudança|требовани\\p{L}+|правила|после (?:изменения|исправления))",
  "要求|规则|改动后|修改后|要件|ルール|変更後",
);
/** The same of what is asked for; of a fault it tells how it is. */
const FOLLOWS = anyOf(
  "(?:works?|behaves?|looks?|is|are|does|do) (?:as follows|like this|the following)|" +
    "(?:funktioniert|verhält sich|sieht) (?:so|wie folgt)(?: aus)?|(?:funciona|se comporta) (?:así|como sigue)|(?:fonctionne|se comporte) (?:ainsi|comme suit)|(?:funciona|se comporta) (?:assim|da seguinte forma)|(?:работает|ведёт себя|выглядит) (?:так|следующим образом)",
  "如下|这样工作|以下の(?:とおり|通り|ように)|次の(?:とおり|通り|ように)",
);
/** Characters of the words before a list that announce no more than it. */
const LONGEST_LEAD = 100;

function announcesRules(words: string, kind: IssueKind): boolean {
  const last = sentencesOf(words).at(-1)?.text ?? "";
  if (last === "" || last.length > LONGEST_LEAD || /[?？]$/.test(last) || tellsOfToday(last)) return false;
  const topic = topicOf(last);
  if (topic === "acceptance" || topic === "expected" || topic === "proposal") return true;
  return RULES.test(last) || (kind === "feature" && FOLLOWS.test(last));
}

const NO_CHOICE =
  /\b(?:options?|alternatives?|ways|possibilit|either|approaches|for example|e\.g)\b|вариант|möglichkeit|opcion|possibilités|opções|方案|选项|案/iu;
/** Ends in a word that each item goes on from: “the command should:”. */
const MODAL_LEAD =
  /(?:should|must|shall|needs? to|has to|have to|would|will|debería|debe|tiene que|devrait|doit|deveria|deve|tem que|sollte|muss|soll|долж\p{L}+)(?: also| be able to| auch| также| también| aussi| também)?\s*:$/iu;
const FEWEST_ITEMS = 2;
const LONGEST_ITEM = 300;

/** Each item of a list that says what is wanted: under such a heading, or after such words. */
export function requirementsIn({ topic, title, blocks }: Section, kind: IssueKind): string[] {
  if (topic !== null && !["proposal", "expected", "description", "scope"].includes(topic)) return [];
  const found: string[] = [];
  for (let at = 0; at < blocks.length;) {
    const from = at;
    while (isItem(blocks[at])) at += 1;
    const lead = blocks[from - 1];
    const words = lead?.kind === "paragraph" && !lead.quoted ? lead.text.trim() : "";
    const isWanted =
      (/[:：]$/.test(words) && announcesWish(words)) ||
      announcesRules(words, kind) ||
      (words === "" && (topic === "proposal" || topic === "expected" || (topic === "scope" && !AFFECTED.test(title))));
    if (at - from >= FEWEST_ITEMS && isWanted && !NO_CHOICE.test(words)) {
      const subject = MODAL_LEAD.test(words) ? (sentencesOf(words).at(-1)?.text ?? "").replace(/\s*:$/, "") : "";
      found.push(
        ...itemsOf(blocks.slice(from, at)).map((item) => (subject === "" ? item : `${plainText(subject)} ${item}`)),
      );
    }
    at = Math.max(at, from + 1);
  }
  return found.filter((text) => text.length <= LONGEST_ITEM && !/[?？:：]$/.test(text) && SAYS_SOMETHING.test(text));
}

function isItem(block: Block | undefined): boolean {
  return block?.kind === "paragraph" && block.inList && !block.quoted && checkbox(block.text) === null;
}

/** The items of lists, or the paragraphs where there is no list. */
export function itemsOf(blocks: readonly Block[]): string[] {
  const listed = blocks.filter((block) => block.kind === "paragraph" && block.inList);
  const chosen = listed.length > 0 ? listed : blocks.filter((block) => block.kind === "paragraph");
  return chosen.map((block) => plainText(checkbox(block.text)?.text ?? block.text).replaceAll(/\s+/g, " "));
}

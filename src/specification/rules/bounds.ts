import type { Topic } from "../../domain/gap.ts";
import { EXPECTS, KEEPS_EXISTING, SHOULD } from "../../domain/issue-text/aspect-words.ts";
import { proseSentences } from "../../domain/issue-text/prose-sentences.ts";
import { FAULT } from "../../domain/issue-text/kind.ts";
import { anyOf } from "../../domain/issue-text/phrases.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import { checkbox } from "../../domain/issue-text/stop-words.ts";
import { withoutScenarios } from "../../domain/issue-text/written-scenarios.ts";
import type { SpecInput } from "../generator.ts";
import { phrase } from "./plain.ts";

/** A sentence that limits the scope, and the gap whose answer it comes from, if any. */
export interface Bound {
  text: string;
  gap: number | null;
}

export interface Bounds {
  /** In scope, in the words of an answer about the scope. */
  inside: Bound[];
  /** Out of scope. */
  outside: Bound[];
  /** Existing behaviour that must not change; part of `outside`. */
  unchanged: Bound[];
}

/** Says that something stays as it is. */
const STAYS_AS_IT_IS = anyOf(
  "(?:stays?|remains?|keeps?|kept|left|leave) (?:[^.]{0,60} )?(?:as (?:it|they) (?:is|are|was|were)|unchanged|the same|alone)|unchanged|unaffected|untouched|(?:need|needs|no) (?:no )?changes?|keeps? (?:its|their|the)|must not change|still works?|как (?:есть|раньше|прежде)|без изменений|не (?:менять|меня\\p{L}+|трогать)|остан\\p{L}+|оста[её]тся|остаются|сохран\\p{L}+|bleib(?:t|en)|unverändert|keine änderung\\p{L}*|nicht (?:ändern|betroffen)|sin cambios|no cambia\\p{L}*|se mantien\\p{L}+|permanec\\p{L}+|sigue(?:n)? igual|rest(?:e|ent)|inchangé\\p{L}*|ne chang\\p{L}+ pas|comme avant|continua(?:m)? igua(?:l|is)|sem (?:mudanças?|alterações|alteração)|inalterad\\p{L}+|não muda\\p{L}*|mantém|mantêm",
  "不变|保持|不受影响|照常|そのまま|変わらない|変更しない|維持",
);
/** Says so, or that what there is must go on working. */
export const STAYS = new RegExp(`${STAYS_AS_IT_IS.source}|${KEEPS_EXISTING.source}`, "iu");
/** Works, as opposed to the reported case. */
export const WORKS = anyOf(
  "(?:still )?works? (?:fine|correctly|as (?:before|expected)|normally|well|without)|still works?|are (?:fine|right|correct)|unaffected|при этом работает|работает (?:нормально|как|без|и показывает)|funktioniert (?:weiter\\p{L}*|normal|einwandfrei|richtig)|funciona (?:bien|correctamente)|fonctionne (?:bien|correctement|toujours)|funciona (?:bem|corretamente|normalmente)",
  "正常(?:工作|显示)|没有问题|正常に動作|問題なく|問題ありません",
);
/** What is fine with somebody, what is to be fine, and what is so in one case only, tells of nothing that works. */
const NOT_AS_IS = anyOf(
  "(?:fine|right|ok(?:ay)?) (?:with|by|for|to) (?:me|us|you|everyone|use|have|do|skip|leave|keep|ignore|be|change|\\p{L}+ (?:it|this|that|them))|(?:both|either|any|whichever|whatever)(?: of)?(?: the)? (?:two|ways?|options?|solutions?|approach(?:es)?|variants?|names?|them|these|is|are)|" +
    "(?:make|be|making) sure|ensure|please|so that|until|unless|only|i['’]m|(?:would|will|could|might) (?:be|work)|want|need|nur|damit|bitte|sol[oa]|asegúra\\p{L}*|para que|seulement|pour que|assure\\p{L}*|só|apenas|garant\\p{L}+|только|чтобы|убеди\\p{L}+",
  "只|确保|请|だけ|ように",
);
/** Tells that something works today, beside the reported case. */
function tellsThatItWorks(text: string): boolean {
  return WORKS.test(text) && !NOT_AS_IS.test(text) && !SHOULD.test(text) && !EXPECTS.test(text);
}
const NOT = anyOf(
  "out of scope|not|no|never|ourselves|myself|only|kein\\p{L}*|nicht|nur|selbst|не|нет|без|только|сами|no|sin|sólo|solo|pas|sans|seulement|não|sem|só|apenas|somente",
  "不|没有|仅|只|自己|しない|不要|だけ|のみ",
);
const MOST = 3;

/** The limits of the scope according to answers about scope and compatibility, and to the issue itself. */
export function boundsOf(input: SpecInput, isRequest: boolean): Bounds {
  const answers = sentences(input, ["scope", "compatibility"]);
  const about = (topic: Topic) => answers.filter((one) => one.topic === topic);
  const criteria = new Set(input.reading.acceptanceCriteria);
  const own = sentencesOfIssue(input.reading)
    .filter((sentence) => !criteria.has(sentence))
    .map((sentence) => ({ text: phrase(sentence, 200), gap: null }))
    .filter(
      ({ text }) =>
        text !== "" &&
        !/[?？…]$/.test(text) &&
        (isRequest ? STAYS.test(text) : tellsThatItWorks(text)) &&
        !/^(?:if )?(?:i|we)\b/i.test(text) &&
        !FAULT.test(text),
    )
    .slice(0, 1);
  return {
    inside: about("scope")
      .filter((one) => !isOutside(one))
      .slice(0, MOST),
    outside: [...answers.filter(isOutside), ...own].slice(0, MOST + 2),
    unchanged: [...answers.filter(({ text }) => STAYS.test(text)), ...own].slice(0, MOST),
  };
}

/** The issue's text by people, sentence by sentence, without environments and checklists. */
export function sentencesOfIssue({ sections }: SpecInput["reading"]): string[] {
  const relevant = sections.filter(({ topic }) => topic !== "environment" && topic !== "checklist");
  return proseSentences(relevant.flatMap((section) => withoutScenarios(section).blocks)).map(
    ({ text }) => checkbox(text)?.text ?? text,
  );
}

function isOutside({ text }: Bound): boolean {
  return STAYS.test(text) || NOT.test(text);
}

function sentences({ closedGaps }: SpecInput, topics: Topic[]): (Bound & { topic: Topic })[] {
  return closedGaps.flatMap((gap) => {
    const { topic } = gap;
    if (gap.closedReason !== "answered" || topic === null || !topics.includes(topic)) return [];
    return sentencesOf(gap.closedNote ?? "")
      .map((sentence) => ({ text: phrase(sentence.text, 200), gap: gap.number, topic }))
      .filter(({ text }) => text !== "" && !/[?？]$/.test(text));
  });
}

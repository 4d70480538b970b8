import phrases from "./aspect-phrases.json" with { type: "json" };
import { EXPECTS, POLITE, SHOULD, withoutCode } from "./aspect-words.ts";
import { tellsTheStory } from "./aspects.ts";
import { contrastIn } from "./contrast.ts";
import { proseSentences } from "./prose-sentences.ts";
import { isQuestion } from "./sentences.ts";
import { anyOf, anyPhrase } from "./phrases.ts";
import type { Section } from "./sections.ts";

/** The reporter says how to mend it. */
const PROPOSES = anyOf(
  "(?:the|a|my|one|an?)(?: \\p{L}+){0,2} (?:fix|solution|patch) (?:is|was|would be|could be|might be|may be|should be|seems)|(?:i|we)(?:['’]ve| have)? (?:fixed|solved|patched) (?:this|it)(?: locally)? by|(?:can|could|may|might) (?:probably |easily |simply )?be (?:fixed|solved|mended) by|(?:proposed|suggested|possible) (?:fix|solution|change)s?|should (?:probably |rather |simply |just |instead )?(?:be (?:rewritten|replaced|changed|moved|renamed|removed|passed|called)|(?:call|use|pass|return|check|compare|skip))(?: .{1,80})? (?:instead of|rather than|as|by|with)|(?:instead of|rather than) .{1,80} (?:it |this |we |the code )?should|simply remove|(?:changing|replacing|using|moving|removing|adding|renaming|wrapping|passing|calling|reverting) .{3,160} (?:should|would|will|could|might) (?:probably |also )?(?:fix|solve|suffice)(?: \\p{L}+)?|исправить (?:это )?можно|(?:вместо .{1,60} (?:нужно|следует|надо))|решением? (?:будет|было бы|может быть)|(?:eine?|die) (?:mögliche )?lösung (?:ist|wäre)|sollte .{1,80}(?:statt|anstelle|anstatt)|(?:la|una) (?:posible )?solución (?:es|sería)|debería .{1,80} en (?:lugar|vez) de|(?:la|une) solution (?:est|serait)|devrait .{1,80} au lieu de|(?:a|uma) solução (?:é|seria)|deveria .{1,80} em vez de",
  "(?:修复|解决)(?:方法|方案|办法)|应该(?:改为|改成|使用).{1,40}|(?:修正|解決)(?:案|方法)|代わりに.{1,40}べき",
);
/** A way around the fault is not its fix. */
const AROUND = /\bwork\s?-?arounds?\b|обходн|umgeh|contourn|workaround|回避/iu;
const LONGEST = 600;

export function isAround(text: string): boolean {
  return AROUND.test(text);
}

/** Whether words say how to mend it, or announce tasks. */
export function proposes(text: string): boolean {
  return (
    PROPOSES.test(text) ||
    /\b(?:todo|tasks?|to fix|fix(?:es)?|proposal|plan|changes?|we (?:could|can|need)|i(?:['’]d)? (?:suggest|propose))\b/i.test(
      text,
    )
  );
}

/** The fix that the reporter proposes, in their own sentence; null without one. */
export function proposalIn(sections: readonly Section[]): string | null {
  const relevant = sections.filter(({ topic }) => topic !== "environment" && topic !== "checklist");
  const sentences = proseSentences(relevant.flatMap(({ blocks }) => blocks)).map(({ text }) => text);
  const found = sentences.find(
    (text) => text.length <= LONGEST && !/[?？]$/.test(text) && PROPOSES.test(text) && !AROUND.test(text),
  );
  return found ?? null;
}

const WANTED_CODE = anyPhrase(phrases.wantedCode);
const CAUSES = anyPhrase(phrases.causes);
const TODAY = anyPhrase(phrases.today);

/** The words before a piece of code say that it shows what is wanted, rather than what there is. */
export function announcesWish(text: string): boolean {
  const prose = withoutCode(text);
  const wishes = WANTED_CODE.test(prose) || EXPECTS.test(prose) || SHOULD.test(prose);
  return wishes && contrastIn(text) === null && !POLITE.test(prose);
}

/** About the code, with a name of it, so that an implementer can look there. */
const NAMES_CODE = /`[^`\n]+`|[\p{L}\d]_[\p{L}\d]|\p{Ll}\p{Lu}|\p{L}\(\)|\p{L}\.\p{Ll}{2,}\(|::/u;
/** What the writer does or wants needs no explanation. */
const OWN_REASON = /\b(?:because|since|as) (?:i|we|my|our)\b|\bi(?:'m| am) not sure\b/i;

/** The reporter's explanations of the fault, in their own words, as far as they name code. */
export function explanationsIn(sections: readonly Section[]): string[] {
  const told = proseSentences(sections.filter(tellsTheStory).flatMap(({ blocks }) => blocks));
  const found = told.filter(
    ({ text }) =>
      !isQuestion(text) &&
      !/[:：]$/.test(text) &&
      CAUSES.test(withoutCode(text)) &&
      NAMES_CODE.test(text) &&
      !OWN_REASON.test(text),
  );
  return found.map(({ text }) => text);
}

/** Whether words tell how it is today. */
export function tellsOfToday(text: string): boolean {
  return TODAY.test(withoutCode(text));
}

/** What a request's own text says of how it is today; null if it says nothing. */
export function todayIn(sections: readonly Section[]): string | null {
  const told = proseSentences(sections.filter(tellsTheStory).flatMap(({ blocks }) => blocks));
  const found = told.find(
    ({ text }) => !isQuestion(text) && !/[:：]$/.test(text) && TODAY.test(withoutCode(text)) && !POLITE.test(text),
  );
  return found?.text ?? null;
}

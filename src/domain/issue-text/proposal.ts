import { proseSentences } from "./aspects.ts";
import { anyOf } from "./phrases.ts";
import type { Section } from "./sections.ts";

/** The reporter says how to mend it. */
const PROPOSES = anyOf(
  "(?:the|a|my|one|an?)(?: \\p{L}+){0,2} (?:fix|solution|patch) (?:is|was|would be|could be|might be|may be|should be|seems)|(?:i|we)(?:['’]ve| have)? (?:fixed|solved|patched) (?:this|it)(?: locally)? by|(?:can|could|may|might) (?:probably |easily |simply )?be (?:fixed|solved|mended) by|(?:proposed|suggested|possible) (?:fix|solution|change)s?|should (?:probably |rather |simply |just |instead )?(?:be (?:rewritten|replaced|changed|moved|renamed|removed|passed|called)|(?:call|use|pass|return|check|compare|skip)) .{1,80}(?:instead of|rather than|as|by|with)|(?:instead of|rather than) .{1,80} (?:it |this |we |the code )?should|simply remove|исправить (?:это )?можно|(?:вместо .{1,60} (?:нужно|следует|надо))|решением? (?:будет|было бы|может быть)|(?:eine?|die) (?:mögliche )?lösung (?:ist|wäre)|sollte .{1,80}(?:statt|anstelle|anstatt)|(?:la|una) (?:posible )?solución (?:es|sería)|debería .{1,80} en (?:lugar|vez) de|(?:la|une) solution (?:est|serait)|devrait .{1,80} au lieu de|(?:a|uma) solução (?:é|seria)|deveria .{1,80} em vez de",
  "(?:修复|解决)(?:方法|方案|办法)|应该(?:改为|改成|使用).{1,40}|(?:修正|解決)(?:案|方法)|代わりに.{1,40}べき",
);
/** A way around the fault is not its fix. */
const AROUND = /\bwork\s?-?arounds?\b|обходн|umgeh|contourn|workaround|回避/iu;
const LONGEST = 600;

/** The fix that the reporter proposes, in their own sentence; null without one. */
export function proposalIn(sections: readonly Section[]): string | null {
  const relevant = sections.filter(({ topic }) => topic !== "environment" && topic !== "checklist");
  const sentences = proseSentences(relevant.flatMap(({ blocks }) => blocks)).map(({ text }) => text);
  const found = sentences.find(
    (text) => text.length <= LONGEST && !/[?？]$/.test(text) && PROPOSES.test(text) && !AROUND.test(text),
  );
  return found ?? null;
}

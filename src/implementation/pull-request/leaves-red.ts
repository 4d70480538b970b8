import { once } from "../../lib/once.ts";

/**
 * Whether a sentence says to leave a red check as it is (R-WORK-15), in eight languages: directly (“ignore it”), or by
 * saying that the failure has other causes than the change (“that one is flaky”, “it fails on main too”). Questions and
 * requests to fix something do not count. `aboutChecks`: whether the sentence must mention tests or checks, as among
 * remarks on code.
 */
export function sentenceLeavesRed(sentence: string, { aboutChecks }: { aboutChecks: boolean }): boolean {
  const words = sentence.toLowerCase().replaceAll("’", "'").replaceAll(/\s+/g, " ");
  if (/[?？؟]\s*$/.test(words) || (aboutChecks && !checks().test(words))) return false;
  if (negated().test(words)) return false;
  return othersMend().test(words) || (!mends().test(words) && (ignores().test(words) || outside().test(words)));
}

/** Whether a clause says to leave something as it is: “never mind”, “leave it”. A mere reason does not count. */
export function clauseLeaves(clause: string): boolean {
  const words = clause.toLowerCase().replaceAll("’", "'").replaceAll(/\s+/g, " ");
  return !/[?？؟]\s*$/.test(words) && !negated().test(words) && !mends().test(words) && ignores().test(words);
}

/**
 * Whether a sentence only states that a check is red; next to a sentence that says to leave it, this asks for nothing.
 */
export function sentenceTellsRed(sentence: string): boolean {
  const words = sentence.toLowerCase().replaceAll(/\s+/g, " ");
  return !/[?？؟]\s*$/.test(words) && checks().test(words) && fails().test(words) && !mends().test(words);
}

/**
 * Matches any of the phrases, separated by `|`: as whole words, except in Chinese and Japanese. `*` stands for any
 * ending, `~` for up to 40 characters of the same sentence.
 */
function anyOf(...groups: readonly string[]): () => RegExp {
  return once(() => {
    const phrases = groups.flatMap(alternatives);
    const source = phrases.map((phrase) => (CJK.test(phrase) ? phrase : bounded(phrase))).join("|");
    return new RegExp(source.replaceAll("~", String.raw`[^.!?]{0,40}?`), "iu");
  });
}

/** Split at `|` outside of brackets. */
function alternatives(group: string): string[] {
  const found = [""];
  let depth = 0;
  for (const sign of group) {
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    if (sign === "|" && depth === 0) found.push("");
    else found.push(`${found.pop() ?? ""}${sign}`);
  }
  return found;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function bounded(phrase: string): string {
  return String.raw`(?<!\p{L})(?:${phrase.replaceAll(/(?<![)\]}\\.])\*/g, String.raw`\p{L}*`)})(?!\p{L})`;
}

const fails = anyOf(
  "red|fail(?:s|ed|ing)?|broken|rot|kaputt|schlägt ~fehl|fehlgeschlagen|rouge|échou*|cassé*|roj[oa]|fall(?:a|ó|an)|rot[oa]",
  "vermelh[oa]|falh(?:a|ou|am)|quebrad[oa]|красн*|пада(?:ет|ют)|упал*|сломан*",
  "失敗|落ち|赤い|失败|失敗|红|挂了",
);

const checks = anyOf(
  "tests?|checks?|ci|builds?|jobs?|pipelines?|workflows?|lint|runners?|e2e|red|failures?",
  "prüfung*|bau|pipeline",
  "vérification*|échec*|prueba*|comprobaci*|fallo*|teste*|verificaç*|falha*",
  "тест*|проверк*|сборк*|пайплайн*",
  "テスト|チェック|ビルド|测试|測試|检查|檢查|构建|流水线",
);

/** What may be ignored: a check, or “it”, “that” and the like; not, say, upper and lower case or blank lines. */
const FILLERS = String.raw`(?: (?:please|safely|just|about|the|that|this|those|these|any|all|red|failing|broken|flaky)){0,4}(?: [\w./-]+)?`;
const POINTED = String.raw`(?:it|this|that|them|these|those|one|ones)(?= ?(?:[.,;:!)—–-]|$|for now|please|as (?:is|it|they)|red|failing|then|anyway|and|alone|until|because|since|too))`;
const NAMED = String.raw`(?:${POINTED}|(?:checks?|tests?|ci|builds?|jobs?|failures?|errors?|pipelines?|workflows?|runs?)\b)`;

const ignores = once(
  () =>
    new RegExp(
      [
        String.raw`\b(?:ignore|disregard|skip|never mind|nevermind|don't (?:worry|bother|care) (?:about|with)|leave|forget(?: about)?)\b${FILLERS} ${NAMED}`,
        String.raw`\b(?:ignore|disregard)(?: (?:please|for now))?\s*[.!]*$`,
        String.raw`\b(?:don't (?:worry|bother)|never ?mind|merge (?:it )?anyway|good to merge|can be ignored)\b`,
        anyOf(
          "ignorier* (?:das|ihn|es|sie|die|den)(?= ?[.,;!]|$)|ignorier* (?:bitte )?(?:den|die|das|diese|diesen|dieses)(?: \\p{L}+)? (?:test|check|fehler|job|bau|build|prüfung)*|ignorier*(?: (?:ihn|sie|es|das|den|die|bitte|einfach))?[.! ]*$|~(?:test|check|ihn|das|es|fehler) ~ignorier*|kannst du ignorieren|nicht beachten|lass~(?:so|rot|stehen)|mach dir keine sorgen|egal",
          "ignore[rz]?(?:-l[ea]s?)?(?: (?:ce|cet|cette|le|la|les|ça|cela|l'échec)~)?$|laisse[rz]? tomber|n'en tiens pas compte|n'en tenez pas compte|laisse[rz]?(?:-le)? (?:comme ça|tel quel)|pas grave|ne t'en occupe pas",
          "ignóral[oae]s?|puedes ignorar*|ignora (?:ese|esa|esto|eso|el|la)~|déjal[oa](?: así)?|no hagas caso|no te preocupes|no importa",
          "pode(?:s|m)? ignorar|ignor[ae] (?:ess[ea]|iss[oa]|est[ea]|o|a)~|ignore-[oa]s?|deix[ae](?: (?:assim|como está|estar))|não se preocupe|não te preocupes|sem problema",
          "(?:про)?игнорируй*|мож(?:ешь|ете|но) (?:про)?игнорировать|не обращай*|забей*|оставь*(?: (?:его|её|как есть|так))?|не важно|неважно|не трогай*",
        )().source,
        "無視して(?:ください|いい|OK|構い|かまい)|無視で(?:いい|お願い|OK)|気にしないで|そのままで|放置で|対応不要|忽略|无视|無視它|不用管|不用理|别管|別管|不必理会|不用处理|不用修",
      ].join("|"),
      "iu",
    ),
);

/** Reasons for a failure that have nothing to do with the change. */
const outside = anyOf(
  // English
  "we know about (?:it|this|that|them|these)|same (?:failure|error|problem) (?:on|in)|(?:main|master|trunk|develop) (?:is|was) (?:also )?(?:red|broken|failing)|on every (?:pr|branch|request|commit)|(?:ci|actions|runners?|registry) ~(?:issues?|problems?|outage|trouble)|outage|(?:not|isn't|aren't|wasn't) (?:really )?related|flak(?:y|ey|es?|ed|ing|iness)|intermittent*|known (?:issue|problem|bug|failure|flake)|(?:is|are|was|it's) expected|expected (?:failure|to fail)|pre-?existing|infra*|unrelated(?! to the (?:title|issue))|not (?:your|our|my|the) (?:fault|change|doing|problem)|not yours|not (?:caused by|related to|due to) (?:this|that|your|the|our|it)|(?:nothing|not) to do with (?:this|that|your|the|our|it)|(?:red|failing|broken|fails?|failed|red) ~(?:before(?: this| that| you)?|already|anyway)|(?:red|failing|broken|fails|failed|fail)(?: \\w+)? (?:on|in) (?:main|master|trunk|develop|the default branch)|(?:red|failing|broken) since (?!you|this|the|that)\\w+|(?:been|was|were|is|are) (?:red|failing|broken) for (?:\\w+ )?(?:days|weeks|months|years|ages|a while)|always (?:fails|red|failing|broken)|(?:runner|ci|server|service|registry|network|disk)s? (?:is|are|was|were) (?:down|out of|full|offline|broken)",
  // German
  "nicht von (?:dir|euch|ihnen)|(?:runner|ci) ~(?:kaputt|down|defekt)|instabil*|wackel*|bekannt(?:er|es|e)? (?:fehler|problem|issue)|liegt nicht (?:an|daran)|nicht (?:deine?|eure?|ihre?) (?:schuld|änderung)|nichts (?:damit|mit .{1,60}) zu tun|unabhängig (?:von|davon)|(?:schon|bereits) (?:vorher|vor|länger|lange|immer|ewig|seit)~(?:rot|kaputt|fehl*)?|(?:rot|kaputt) seit|seit (?!dein|dies)\\p{L}+ (?:rot|kaputt)|(?:auf|in) (?:main|master|dem hauptzweig)~(?:auch|fehl|rot|kaputt)|auch auf (?:main|master)|vorher(?: schon| auch)? (?:rot|kaputt|fehlgeschlagen)",
  // French
  "instable*|aléatoire*|problème connu|bogue connu|bug connu|rien à voir|pas (?:lié|liée|dû|due) à|pas (?:ta|votre) faute|échou(?:ait|e|aient) déjà|déjà (?:rouge|cassé|en échec)*|(?:échoue|rouge|cassé)~ sur (?:main|master)|attendu",
  // Spanish
  "inestable*|intermitente*|(?:fallo|error|problema) conocido|nada que ver|no (?:está|tiene) relaci*|no es (?:culpa tuya|tu culpa|por (?:esto|tu cambio))|ya (?:fallaba|estaba (?:rojo|roto|fallando))~|(?:también )?falla~ en (?:main|master)|falla desde (?!que|este)",
  // Portuguese
  "instáve(?:l|is)|(?:erro|problema|falha) conhecid[oa]|nada a ver|não (?:está|tem) relaci*|não é (?:culpa sua|sua culpa|por causa)|já (?:falhava|estava (?:vermelho|quebrado|falhando))~|(?:também )?falha~ (?:na|no|em) (?:main|master)",
  // Russian
  "пада(?:ет|ют|л|ла|ли) (?:и |также |тоже )?(?:на|в) (?:мастере|мейне|main|master)|нестабил*|флак*|флапа*|мигает|известн(?:ая|ый|ое) (?:проблем*|баг*|ошибк*)|не связан*|ни при ч[её]м|не (?:твоя|ваша) вина|не из-за (?:тебя|вас|этого|изменени*)|(?:и )?(?:раньше|до этого|давно) (?:падал*|был*|красн*|не прох*)|(?:уже|давно) (?:падал*|красн*|сломан*)|(?:на|в) (?:мастере|мейне|main|master) ~(?:падает|красн*|сломан*|не проход*)",
  // Japanese, Chinese
  "(?:CI|環境)の問題|不安定|フレーキー|フレイキー|既知の|(?:以前|前|もともと|元)から.{0,12}(?:失敗|落ち|赤|壊れ)|関係(?:が|は|の)?(?:ない|ありません|なし)|無関係|(?:main|master|メイン)で(?:も)?.{0,6}(?:失敗|落ち)|のせいではない|のせいではありません",
  "(?:CI|环境) ?(?:本身)?(?:的|有)?(?:问题|故障)|不稳定|不穩定|偶发|偶尔失败|时好时坏|已知(?:的)?(?:问题|問題|错误|故障)|(?:之前|以前|早|本来|原本)就.{0,6}(?:失败|失敗|红|坏|挂)|(?:和|与|跟).{0,20}(?:无关|無關|没关系)|无关|(?:主分支|main|master)(?:上)?也.{0,6}(?:失败|失敗|红|挂)|不是你的(?:错|问题)",
);

/** Someone else takes care of it, or nobody needs to. */
const othersMend = anyOf(
  "(?:i|we)(?:'ll| will|'m going to|'re going to|'ve) ~(?:fix|rerun|re-run|handle|restart|look at|look into|take care of|sort)~|no need to (?:fix|mend|touch|do|worry)~|(?:nothing|not) (?:to do|for you to do)(?: here)?|(?:fix|address|handle)(?:ed|ing)? ~(?:separately|elsewhere|in another (?:pr|request|branch|issue))|(?:just |please )?(?:rerun|re-run|restart) (?:it|the (?:job|check|build|tests?))",
  "(?:wir|ich) ~(?:kümmer*|beheben|separat|neu starten)|einfach neu starten|separat beh*|(?:nous|je) ~(?:corrigerons|séparément|relance*)|lo arregl(?:amos|aremos|o)~(?:aparte|después)?|(?:vamos|vou) ~(?:corrigir|resolver)~(?:separad*|depois)?|(?:мы|я) ~(?:исправ|почин|перезапу)\\p{L}* ~(?:отдельно|сам*|потом)|перезапущу|перезапустим",
  "別(?:途|件|で).{0,10}(?:対応|修正|直)|再実行します|我(?:们)?(?:会|来)?.{0,6}(?:单独|另外|自己).{0,6}(?:修|处理)|重跑(?:一下)?(?:就|即)可",
);

/** Requests: a person who wants something fixed does not want it left as it is. */
const mends = anyOf(
  "^(?:please )?(?:add|use|handle|write|extract|move|remove|replace|read|look|see|update|change|keep)|(?:but|and|then|also|please) (?:please |also )?(?:add|use|write|extract|move|remove|replace|update|change|drop|delete)|fix(?:es|ed|ing)?|mend|repair|correct|make|rename|rewrite|stabili[sz]e|solve|resolve|should|must|needs? to",
  "benenn*|verwend*|füge*|schreib*|reparier*|korrigier*|beheb*|stabilisier*|mach (?:den|die|das)|soll(?:te|st)?|muss",
  "corrig*|répar*|rends?|stabilis*|doit|devrait|arregl*|repar*|haz|debe(?:n|ría|rían)?|arrum*|consert*|corrij*|faça|deve(?:m|ria|riam)?",
  "исправ*|почин*|сделай*|долж*",
  "直して|修正して|修正を|安定させ|修复|修好|修正这|让它|应该",
);

/** “Don’t ignore it”, “it isn’t flaky”. */
const negated = anyOf(
  "(?:don't|do not|can't|cannot|can not|never|must not|shouldn't|not) (?:just |simply )?(?:ignore|disregard|skip|leave|forget)|(?:not|isn't|no longer|wasn't|aren't|weren't) (?:a |an |really |just )?(?:flaky|known|unrelated|intermittent|pre-existing|expected|failing|red|broken)",
  "nicht (?:egal|ignorier*|instabil*|bekannt*)|(?:das|den|es|die|ihn) nicht ignorier*",
  "n[e'] ?(?:l'|les? |la )?ignore[rz]? pas|pas (?:instable|connu)|no (?:lo |la |los |las )?ignor*|no es (?:inestable|conocido)|não (?:o |a |os |as )?ignor*|não é (?:instável|conhecid[oa])",
  "не (?:про)?игнорир*|не оставля*|не нестабил*",
  "無視しないで|不安定では|不要忽略|别忽略|不能忽略|不可忽略|不要无视|不是不稳定",
);

import { anyOf } from "../issue-text/phrases.ts";

/** Words of a limit, which may be one of the work or a property of its result: “without”, “only”, “must not”. */
const LIMITS = anyOf(
  "only|just|except|without|nothing|not? more than|limited to|" +
    "nur|ausschließlich|lediglich|außer|ohne|nichts|s[oó]lo|solamente|únicamente|salvo|excepto|sin|nada|" +
    "seulement|uniquement|sauf|hormis|sans|rien|só|somente|apenas|exceto|sem|только|лишь|кроме|без|ничего|исключ\\p{L}+",
  "只|仅|除了?|除外|だけ|のみ|以外|なし",
);
/** Those that say how the result is to be: how much at most, what must not happen in it. */
const OF_RESULT = anyOf(
  "at most|not? more than|up to|avoid\\p{L}*|prevent\\p{L}*|(?:should|must|shall|may|can)(?: not|n['’]?t)|cannot|" +
    "höchstens|maximal|vermeid\\p{L}+|verhinder\\p{L}+|(?:soll(?:en|ten?)?|muss|müssen|darf|dürfen?|kann|können)(?: [^\\s,.;]{1,40}){0,6} (?:nicht|kein\\p{L}{0,2})|" +
    "como máximo|a lo sumo|evit\\p{L}+|imped\\p{L}+|no (?:deb|pued|podr)\\p{L}+|" +
    "(?:au|tout au) (?:plus|maximum)|évit\\p{L}+|empêch\\p{L}+|ne (?:doi(?:t|vent)|devrai(?:t|ent)|peu(?:t|vent)) (?:pas|plus)|" +
    "no máximo|não (?:dev|pod)\\p{L}+|максимум|не (?:более|больше)|избе[гж]\\p{L}+|не (?:долж\\p{L}+|мо(?:жет|гут))",
  "最多|至多|不超过|上限|避免|防止|不能|不可以?|不应该?|不得|最大|避け|防[ぐい]|べきでは|できません|できない",
);
/** What a program does, and not whoever changes it: “never overwrite a file”, “don't print the sum”. */
const OF_PROGRAM = anyOf(
  "(?:never|do not|don['’]?t|please not|not to)(?: ever| silently| just| simply)? (?:overwrite|delete|erase|print|show|display|log|write|send|accept|reject|throw|crash|fail|return|exit|warn|prompt|retry|block|start|stop|truncate|lose|leak|expose|save|skip|ignore|hide|round|sort|escape|trim|let)|" +
    "nicht(?: \\p{L}+){0,2} (?:überschreiben|löschen|ausgeben|anzeigen|loggen|verlieren|abstürzen)|" +
    "(?:nunca|no) (?:sobrescrib\\p{L}+|borr\\p{L}+|muestr\\p{L}+|imprim\\p{L}+)|(?:jamais|pas) (?:écraser|supprimer de fichiers?|afficher|imprimer)|" +
    "(?:nunca|não) (?:sobrescrev\\p{L}+|apag\\p{L}+|mostr\\p{L}+|imprim\\p{L}+)|(?:никогда )?не (?:перезаписыва\\p{L}+|стира\\p{L}+|выводи\\p{L}+|показыва\\p{L}+)",
  "(?:不要|别|切勿)(?:覆盖|打印|显示|输出)|(?:上書き|表示|出力)しないで",
);

/** Somebody or something is not able to: it is so, and nobody orders it. */
const UNABLE = anyOf(
  "can(?: not|n['’]?t)|cannot|could(?: not|n['’]?t)|(?:kann|können)(?: [^\\s,.;]{1,40}){0,6} (?:nicht|kein\\p{L}{0,2})|no (?:se )?pued\\p{L}+|" +
    "ne peu(?:t|vent) (?:pas|plus)|não (?:se )?pode(?:m)?|не мо(?:жет|гут)",
  "不能|无法|できません|できない",
);
/** “We cannot”, “it must not”: the writer speaks of the work. */
const OF_WRITER =
  /^(?:and |but |so )?(?:we|i|you|this|that|it|wir|ich|das|es|nous|on|je|ça|cela|nosotros|nós|eu|мы|я|это)(?!\p{L})|^(?:我们|我|这|これ|それ)/iu;
/** Speaks of the work: its scope, what people may touch in it, what it may bring in. */
const WORK = anyOf(
  "scope|non-?goals?|part of|chang\\p{L}*|touch\\p{L}*|remov\\p{L}*|renam\\p{L}*|modif\\p{L}*|rewrit\\p{L}*|refactor\\p{L}*|introduc\\p{L}*|affected|break\\p{L}*|(?:new|extra|additional|third[- ]party|external) (?:librar|packag|framework|tool|servic|file|table|option|flag|setting)\\p{L}*|librar\\p{L}*|dependenc\\p{L}*|frameworks?|drop|migrat\\p{L}*|" +
    "ändern|geändert|veränder\\p{L}*|entfern\\p{L}*|umbenenn\\p{L}*|umbau\\p{L}*|anfass\\p{L}*|angefasst|einführ\\p{L}*|kaputt\\p{L}*|brechen|abhängigkeit\\p{L}*|bibliothek\\p{L}*|" +
    "cambi\\p{L}*|tocar|quitar|renombrar|romper|introducir|dependencias?|bibliotecas?|librerías?|" +
    "toucher|supprimer|renommer|casser|introduire|dépendances?|bibliothèques?|" +
    "mud(?:ar|ança)\\p{L}*|mexer|alter\\p{L}*|remover|renomear|quebrar|dependências?|" +
    "меня\\p{L}*|измен\\p{L}*|трога\\p{L}*|удал\\p{L}*|переимен\\p{L}*|лома\\p{L}*|зависимост\\p{L}*|библиотек\\p{L}*",
  "范围|改|变|动|引入|依赖|移除|変更|変わ|変え|触|依存|ライブラリ|導入|削除",
);
/** Something there is stays so. */
const KEEPS = anyOf(
  "keep\\p{L}*|stay\\p{L}*|remain\\p{L}*|leav(?:e|ing)|untouched|unchanged|intact|bleib\\p{L}*|beib?ehalt\\p{L}*|unverändert|" +
    "segu?i\\p{L}+|sigu\\p{L}+|manten\\p{L}+|rest(?:e|er|ent)|gard\\p{L}+|conserv\\p{L}+|continu\\p{L}+|permanec\\p{L}+|mant\\p{L}+|остав\\p{L}+|оста\\p{L}+|сохран\\p{L}+",
  "保持|保留|继续|不变|原样|残[しす]|維持|そのまま",
);

/** What a sentence that has the words of a bound says: how the work or its result is limited, or what is not possible. */
export type Limit = "work" | "result" | "either" | "unable";

/** Reads the clause around each of the words of a bound in a sentence: where one limits the work, they all do. */
export function limitIn(sentence: string, bounds: RegExp): Limit {
  let least: Limit | null = null;
  for (const { index, 0: found } of sentence.matchAll(bounds)) {
    const before =
      sentence
        .slice(Math.max(0, index - CLAUSE), index)
        .split(CLAUSE_ENDS)
        .at(-1) ?? "";
    const [after = ""] = sentence.slice(index + found.length, index + found.length + CLAUSE).split(CLAUSE_ENDS, 1);
    const own = `${found}${after}`;
    const isOfResult = OF_RESULT.test(`${before}${found}`);
    const isOfProgram = OF_PROGRAM.test(`${before}${own}`);
    if ((!isOfResult && !isOfProgram && !LIMITS.test(found)) || WORK.test(own) || KEEPS.test(own)) return "work";
    if (tellsInability(`${before}${found}`.trim())) least ??= "unable";
    else if (isOfResult || isOfProgram) least = "result";
    else least ??= "either";
  }
  return least ?? "either";
}

/** Whether a sentence tells what somebody or something is not able to do. */
export function tellsInability(sentence: string): boolean {
  return UNABLE.test(sentence) && !OF_WRITER.test(sentence);
}

const CLAUSE_ENDS = /[,;:.!?，。；：、]\s*|\s[–—-]\s/u;
/** Characters. */
const CLAUSE = 160;

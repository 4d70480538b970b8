import { treePath } from "../code/git/tree-path.ts";

export type Operation = "CREATE" | "MODIFY" | "DELETE";

/** Characters of a text that are searched for operations. */
const LONGEST_TEXT = 256 * 1024;
const AROUND = 160;
const MOST_MENTIONS = 200;

/** Turns an order into its opposite. Other negations (`isNegated`) give its reason: “Nobody imports it: delete a.ts”. */
const NEGATED =
  /(?:\b(?:not|never|without|instead of|rather than|don['’]?t|doesn['’]?t|shouldn['’]?t|mustn['’]?t|won['’]?t|avoid|no need to|nicht|kein\p{L}*|ohne|no|sin|ne|pas|sans|não|sem|nie|bez)\b|(?:^|\s)(?:не|без)\s|不要|不)[^.;:\n]{0,40}$/iu;

/** Words allowed between the verb and the file's name, so that the file itself is meant and not a part of it. */
const FILE_WORDS = String.raw`(?:(?:the|this|that|an?|whole|entire|old|obsolete|unused|dead|legacy|stale|deprecated|empty|duplicate|now|both|also|just|file|files|module|modules|script|scripts|named|called|файл\p{L}*|скрипт\p{L}*|die|das|den|datei|dateien|el|la|los|las|archivos?|ficheros?|le|les|fichiers?|o|os|a|as|arquivos?|plik\p{L}*|文件|ファイル|파일)\s*,?\s*){0,5}`;
const NAMES = String.raw`(?:[\x60"'“«][^\s\x60"'”»]+[\x60"'”»]\s*(?:,|and|or|&|и|und|y|et|e|i|та|和|と)\s*(?:the\s+)?|[\w./-]+\.\w+\s*(?:,|and|or|&|и|und|y|et|e|i|та)\s+(?:the\s+)?){0,8}`;
const DELETE_VERB = String.raw`(?:delete|remove|drop|get rid of|deleting|removing|dropping|удали(?:ть|те)?|удаляем|убрать|убери(?:те)?|видали(?:ти)?|elimina[r]?|borra[r]?|supprime[rz]?|remove[r]?|exclu[ai]r?|apaga[r]?|usu[nń](?:ąć)?|lösche?n?|entferne?n?|删除|移除|削除|삭제)`;
const DELETE_BEFORE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])${DELETE_VERB}[\s:]*${FILE_WORDS}${NAMES}${FILE_WORDS}[\x60"'“«(\[]?$`,
  "iu",
);
const END_OF_THOUGHT = String.raw`[\x60"'”»)\]]{0,2}\s*(?:$|[.,;:!?)\n。、，；]|(?:and|or|file|files|module|altogether|entirely|completely|because|since|as|which|it|from\s+(?:the\s+)?(?:repo|repository|project|tree|codebase)|и|або|und|y|et|e|i|так|потому|weil|porque|car)(?![\p{L}\p{N}_]))`;
const DELETE_AFTER_NAME = new RegExp(`^${END_OF_THOUGHT}`, "iu");
const DELETED_LATER =
  /^[`"'”»)\]]{0,2}\s*(?:file\s+)?(?:(?:should|must|can|could|may|has to|needs to|is to|shall)\s+be\s+(?:safely\s+|simply\s+|now\s+)?(?:deleted|removed|dropped)(?!\s+from\s+(?!(?:the\s+)?(?:repo|repository|project|tree|codebase)))|(?:löschen|entfernen|を削除|삭제))/iu;

const CREATE_VERB = String.raw`(?:creat(?:e|es|ing)|add(?:s|ing)?|introduc(?:e|es|ing)|writ(?:e|es|ing)|put|new|needs?|lacks?|нуж(?:ен|на|но)|brauchen|falta|manque|созда(?:ть|йте|й|дим)|добав(?:ить|ьте|ь)|напи(?:сать|ши)|новый|створи(?:ти)?|дода(?:ти|й)|erstelle?n?|anlegen|hinzufügen|neue[rsn]?|crea[r]?|añad(?:ir|e)|agrega[r]?|nuevo|crée[rz]?|créer|ajoute[rz]?|nouveau|cria[r]?|adiciona[r]?|novo|utwórz|utworzyć|doda(?:ć|j)|nowy|创建|新建|添加|新增|作成|追加|추가|생성)`;
const CREATE_BEFORE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])${CREATE_VERB}(?![\p{Ll}\p{N}_])((?:[^\n.;:]|\.(?=\w)|:\s){0,80})$`,
  "iu",
);
/** If one of these is in between, something is added to the file or said about it, rather than the file being added. */
const ABOUT_FILE =
  /(?:^|[\s`"'])(?:to|from|of|about|like|link|links|reference|references|entry|entries|mention|see|similar|via|using|by|into(?!\s+(?:a\s+)?new)|в\s+(?!нов)|из|к|zu|aus|von|desde|de|vers|depuis|para|from)(?=\s)/iu;

/** The parts of a text that mention one file: the text before its name, and the text after. */
function* mentionsOf(path: string, text: string): Generator<{ before: string; after: string }> {
  const read = text.slice(0, LONGEST_TEXT);
  let left = MOST_MENTIONS;
  for (let at = read.indexOf(path); at !== -1; at = read.indexOf(path, at + path.length)) {
    if (left === 0) return;
    left -= 1;
    const whole =
      !/[\w/.-]/.test(read[at - 1] ?? "") || /(?:^|[^\w/.-])\.\/$/.test(read.slice(Math.max(0, at - 3), at));
    if (!whole || /^[\w/-]|^\.\w/.test(read.slice(at + path.length, at + path.length + 2))) continue;
    const before = read.slice(Math.max(0, at - AROUND), at).replace(/\.\/$/, "");
    yield { before, after: read.slice(at + path.length, at + path.length + AROUND) };
  }
}

/**
 * The operation on a file (R-FIX-5). A missing file is created only if the text asks for it; an existing one is deleted
 * only if the text asks to delete that very file. Null for a missing file that is not to be created.
 *
 * @param shortName the file's name without its folders, if no other file has the same name
 */
export function operationOf(
  path: string,
  { exists, text, shortName }: { exists: boolean; text: string; shortName: string | null },
): Operation | null {
  const names = shortName === null ? [path] : [path, shortName];
  if (exists) return names.some((name) => isToBeDeleted(name, text)) ? "DELETE" : "MODIFY";
  return isToBeCreated(path, text) ? "CREATE" : null;
}

function isToBeDeleted(path: string, text: string): boolean {
  let said = false;
  for (const { before, after } of mentionsOf(path, text)) {
    const clause = clauseOf(before);
    const found = DELETE_BEFORE.exec(clause);
    const asked = (found !== null && DELETE_AFTER_NAME.test(after)) || DELETED_LATER.test(after);
    if (!asked) continue;
    // A single statement that the file must stay overrides all others.
    if (NEGATED.test(clause.slice(0, found?.index ?? clause.length))) return false;
    said = true;
  }
  return said;
}

function isToBeCreated(path: string, text: string): boolean {
  if (treePath(path) !== path) return false;
  for (const { before, after } of mentionsOf(path, text)) {
    if (/^[`"'”»)\]]{0,2}\s*\((?:new|neu|nuevo|nouveau|novo|новый|新規|新)\)/iu.test(after)) return true;
    if (
      /^[`"'”»)\]]{0,2}\s+(?:(?:page|file)\s+)?(?:is missing(?! (?:a|an|the|some)\b)|does(?: not|n['’]t) exist|отсутствует|fehlt|不存在|がない)/iu.test(
        after,
      )
    )
      return true;
    const clause = clauseOf(before);
    const found = CREATE_BEFORE.exec(clause);
    if (found === null || ABOUT_FILE.test(found[1] ?? "")) continue;
    if (!NEGATED.test(clause.slice(0, found.index))) return true;
  }
  return false;
}

/** The text after the last end of a sentence; a dot within a name does not end one. */
function clauseOf(before: string): string {
  return before.split(/[.!?;。！？]\s|\n\s*\n|\n\s*[-*+]\s/).at(-1) ?? "";
}

/** Missing files that a text asks to create. */
export function filesToCreate(
  places: readonly { path: string }[],
  { tree, text }: { tree: ReadonlySet<string>; text: string },
): string[] {
  const paths = [...new Set(places.map(({ path }) => path.replace(/^\.\//, "")))];
  return paths.filter((path) => path.includes("/") && !tree.has(path) && isToBeCreated(path, text));
}

const QUOTED = String.raw`(?:"([^"\n]{1,120})"|“([^”\n]{1,120})”|(?<![\p{L}\p{N}])'([^'\n]{1,120})'(?![\p{L}\p{N}])|‘([^’\n]{1,120})’|\x60([^\x60\n]{1,120})\x60|«([^»\n]{1,120})»|„([^“”\n]{1,120})[“”])`;
const GROUPS = 7;

/** The current text first, then the expected one. */
const WRONG_THEN_RIGHT = new RegExp(
  String.raw`${QUOTED}\s*(?:,\s*)?(?:instead of(?! )|should (?:be|read|say)|must be|ought to be|->|=>|→|with|by|to|вместо(?! )|должно быть|на|sollte|debe ser|devrait être|deveria ser|应为|应该是|改为)\s*${QUOTED}`,
  "iu",
);
const HAS_INSTEAD = new RegExp(
  String.raw`(?:has|have|says?|reads?|contains?|is|shows?|написано|steht|dice|dit|diz)\s+${QUOTED}\s*,?\s*(?:instead of|rather than|but not|вместо|statt|en lugar de|en vez de|au lieu de|em vez de)\s+(?:the\s+)?${QUOTED}`,
  "iu",
);
const USE_INSTEAD = new RegExp(String.raw`(?:use|write|say)\s+${QUOTED}\s+instead of\s+${QUOTED}`, "iu");

/** A text that an issue wants replaced, if it quotes both: `'teh' instead of 'the'`. */
export function replacementIn(text: string): { wrong: string; right: string } | null {
  const read = text.slice(0, 20_000);
  const used = partsOf(USE_INSTEAD.exec(read));
  if (used !== null) return { wrong: used[1], right: used[0] };
  const found = partsOf(HAS_INSTEAD.exec(read)) ?? partsOf(WRONG_THEN_RIGHT.exec(read));
  return found === null ? null : { wrong: found[0], right: found[1] };
}

function partsOf(found: RegExpExecArray | null): [string, string] | null {
  const first = found?.slice(1, 1 + GROUPS).find((part) => part !== undefined);
  const second = found?.slice(1 + GROUPS).find((part) => part !== undefined);
  return first === undefined || second === undefined || first === second ? null : [first, second];
}

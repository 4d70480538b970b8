import { placesMeant } from "./places-meant.ts";

/** What may stand around the names of an item that leaves them out as a whole: “changes to the file `src/a.ts`”. */
const PLAIN =
  /^(?:(?:any|all|no|keine?|ningún|aucune?|nenhuma?|никаких)?(?:chang(?:es?|ing)|edit(?:s|ing)?|touch(?:ing)?|modif\p{L}+|alter\p{L}*|änderung(?:en)?|ändern|anfassen|cambi(?:os?|ar)|tocar|changements?|changer|toucher|mudanças?|mudar|mexer|измен\p{L}+|правк\p{L}|менять|трогать)|to|the|a|an|this|any|all|anything|everything|and|or|of|in|inside|under|on|our|my|existing|files?|folders?|director(?:y|ies)|modules?|das|die|der|den|dem|an|am|im|alles|unter|und|oder|datei(?:en)?|ordner|verzeichnis(?:se)?|modul|el|la|los|las|en|de|del|y|o|todo|archivos?|carpetas?|módulos?|le|les|l|à|au|aux|dans|du|des|et|ou|tout|fichiers?|dossiers?|os|as|no|na|nos|nas|em|e|tudo|arquivos?|pastas?|в|во|и|или|все|всё|файл\p{L}*|папк\p{L}*|каталог\p{L}*|модул\p{L}*|(?:修改|更改|变更|改动|触碰|对|的|和|与|或|の|を|と|や|は|下|中|里|内|所有|全て|すべて|すべての|文件夹?|目录|模块|ファイル|フォルダ|モジュール|配下|変更|編集|修正)+)$/iu;
/** “Anything but `src/a.ts`” is the opposite. */
const ALL_BUT =
  /(?<!\p{L})(?:other than|others? than|except|but|besides|beyond|outside|apart from|than|außer\p{L}*|als|salvo|excepto|fuera de|que no sean?|sauf|hors|autres? (?:\p{L}+ )?que|exceto|fora d\p{L}+|que não sejam?|кроме|помимо|вне)(?!\p{L})|以外|之外|除了?/iu;
/** The end of what an item names; why or what it means comes behind it. */
const REMARK = /[:：;；（]|(?<!!)\(|\s[–—-]+\s|。|\.\s/u;

/**
 * The files and folders that an item of a list of what is left out forbids to change: those that it names and no more,
 * and those that it tells of, unless they are `known` from elsewhere: then it may leave out another change of theirs.
 */
export function placesLeftOut(item: string, known: (name: string) => boolean = () => true): string[] {
  if (item.length > LONGEST) return [];
  const [head = ""] = item.split(REMARK, 1);
  const { paths, forbidden } = placesMeant(item);
  const names = [...new Set([...paths, ...forbidden])];
  if (names.length === 0 || ALL_BUT.test(item.replace(/^[^:：]{0,40}[:：]/u, head))) return forbidden;
  const isWhole = (text: string) => {
    const left = names.reduce((rest, name) => rest.replaceAll(name, " "), text);
    return left !== text && (left.match(/[\p{L}\p{N}_]+/gu) ?? []).every((word) => PLAIN.test(word));
  };
  const isCode = (name: string) => head.includes(`\`${name}\``);
  const whole = isWhole(head) ? names.filter((name) => head.includes(name)) : [];
  // “Changes to `a.ts`: …” says what it leaves out, and then why; an order that is quoted there may hold in part.
  const told = whole.filter(isCode);
  if (told.length > 0 && whole.every((name) => told.some((one) => one.startsWith(name)))) return told;
  const others = names.filter((name) => (name.includes("/") || item.includes(`\`${name}`)) && !known(name));
  return [...new Set([...whole, ...others, ...forbidden])];
}

const LONGEST = 400;

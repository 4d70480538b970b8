import { codeSpan } from "../../lib/text.ts";
import { phrasePattern } from "../issue-text/phrases.ts";
import { BARE, allBut, isFile, isPath, namesLeft } from "./file-names.ts";
import { stripHiddenText } from "../text/hidden-text.ts";
import { LANGUAGES as WORDS } from "./words.ts";

/** Files and symbols that a text names, as written, by what it wants of them. */
export interface PlacesMeant {
  /** Those to change, besides what is known. */
  paths: string[];
  symbols: string[];
  /** Those that stay as they are: “leave `a.ts` alone”, “not in `a.ts`”. */
  spared: string[];
  /**
   * Those that it forbids to change in so many words, also where it reports a fault: “do not touch `a.ts`”. “Change only
   * `a.ts`” forbids `!(a.ts)`, all files but this one.
   */
  forbidden: string[];
  /** Those that it allows to change: “you may change `a.ts`”, “do it in `a.ts`”. */
  freed: string[];
  /** Those where it says to put the work: “put it into `b.ts`”. */
  put: string[];
  /** It says that the place is another one, without naming the wrong one: “instead”, “the bug is in”. */
  corrects: boolean;
  /** The text without the names of what stays, and of what it only refers to. */
  text: string;
}

const READ = 8_000;
/** Names stand as one character each of the private use area while the words around them are read. */
const FIRST = 0xe000;
const MOST = 200;
const NAME = String.raw`[\uE000-\uE0C7]`;
const CONJUNCTION = "(?:and|n?or|und|oder|noch|y|o|ni|e|nem|et|ou|и|или|ни|和|与|或|と|や|および)";
const JOIN = String.raw`\s*(?:[,、，&+]\s*(?:${CONJUNCTION}\s+)?|${CONJUNCTION}\s*)(?:(?:the|die|das|den|der|el|la|los|las|le|les|au|aux|à|o|a|os|as|no|na|em|en|in|в) )?`;
const JOINED = new RegExp(`(?<=${NAME})${JOIN}(?=${NAME})`, "giu");
/** One name or several: those that are joined stand side by side. */
const NAMES = `${NAME}+`;
/** With a few words before the first. */
const WORDS_AND_NAMES = String.raw`[^,.;:!?，。；：！？\n\uE000-\uE0C7]{0,25}?${NAMES}`;

/** Words between an order and the name that leave the whole file or folder forbidden; “the output of” does not. */
const FILE_WORDS =
  "the|this|any|anything|code|in|inside|under|of|our|my|existing|files?|folders?|director(?:y|ies)|modules?|die|das|den|der|dem|etwas|an|im|sie|bitte|datei(?:en)?|ordner|verzeichnis|el|la|los|las|archivos?|carpetas?|en|à|au|aux|dans|de|le|les|fichiers?|dossiers?|o|a|os|as|em|no|na|nos|nas|arquivos?|ficheiros?|pastas?|файл\\p{L}*|папк\\p{L}*|модул\\p{L}*|в|от|к|ни|ni|neither|either|weder|nichts|nada|ничего";
/** What stands between an order and the names, captured: compiled into each phrase, the file words take a third of a second. */
const GAP_AND_NAMES = String.raw`([^,.;:!?，。；：！？\uE000-\uE0C7]{0,60}?)${NAMES}(?: (?:files?|folders?|director(?:y|ies)|modules?)|\s?(?:目录|文件夹))?`;
const FILE_GAP = phrasePattern(
  String.raw`^(?:(?:\s+(?:${FILE_WORDS})|\s*(?:文件夹?|目录|ファイル))(?!\p{L})){0,4}\s*$`,
);
/** An order opens its clause: “I do not touch `a.ts`” and “if you do not touch `a.ts`” are none. */
const ORDERED = String.raw`(?<=(?:^|[.!?¡¿;:,，。；：！？、(\n*•–—-])\s*|(?<!\p{L})(?:please|pls|kindly|and|but|also|just|so|then|surtout|bitte|und|aber|por favor|y|pero|merci de|prière de|veuillez|et|mais|favor|e|mas|пожалуйста|просьба|прошу|и|но|请|但|而且),?\s*)`;
/** A clause ends here, or another one is joined to it. */
const ENDS = String.raw`(?=\s*(?:[.!;,:()]|(?:and|please|und|bitte|y|et|e|и)[ ,.!]|$))`;
const ASKED = String.raw`(?![^.!?？。！\n]*[?？])`;

/** `hint` stands in each text in which phrases of the language can stand; it saves compiling those of the others. */
const LANGUAGES = Object.values(WORDS).map((words) => ({ ...words, hint: new RegExp(words.hint, "iu") }));
type Words = (typeof LANGUAGES)[number];
/** “Could you please not touch `a.ts`?” is an order in the form of a question. */
const POLITE = phrasePattern(
  String.raw`(?<=(?:^|[.!?;,。！？，])[\s¿]*|(?:and|but|please|und|y|et|e|и),? )(?:${LANGUAGES.flatMap(({ politely }) => politely).join("|")}),? ?([^.!?;。！？\n]{2,300})[?？]`,
  "gimu",
);
const POLITE_ENDING = /(?<=[でて])(?:もらえ|いただけ|頂け|くれ)(?:ます|ません|る|ない)(?:か|でしょうか)[?？。]?/g;

/** With `g`, all of the languages' phrases; names are marked `<m>`, or `<M>` after a few words; `<e>` is the end of a clause. */
function phrasesOf(
  languages: readonly Words[],
  key: "spares" | "forbids" | "confines" | "puts" | "frees" | "refers" | "instead",
): RegExp {
  const of = (spaced: boolean) =>
    factored(languages.filter((words) => words.spaced === spaced).flatMap((words) => words[key]))
      .replaceAll("<M>", WORDS_AND_NAMES)
      // In a word, no gap begins: “трогай” is no order before “те”.
      .replaceAll(/(?<=[\p{L})?])<f>/gu, spaced ? `(?=[ \\n${NAME.slice(1)})<f>` : "<f>")
      .replaceAll("<f>", GAP_AND_NAMES)
      .replaceAll("<m>", String.raw`\s*${NAMES}\s*`)
      .replaceAll("<e>", ENDS);
  // The bounds stand once: compiled for each phrase, they take most of the time of a first reading.
  const spaced = String.raw`(?<![\p{L}\p{N}])(?:${of(true)})(?![\p{L}\p{N}])`;
  const unspaced = of(false);
  return phrasePattern(unspaced === "" ? spaced : `${spaced}|${unspaced}`, "giu");
}

/** Phrases that end in the same marks share them, and those that begin with them: a mark takes long to compile. */
function factored(phrases: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const phrase of phrases) {
    const [before = "", shared = "", ...after] = phrase.split(/((?:<[mMfe]>)+)/);
    const key = after.join("") === "" ? ` ${shared}` : before === "" && after.length === 1 ? `${shared} ` : phrase;
    groups.set(key, [...(groups.get(key) ?? []), before === "" ? after.join("") : before]);
  }
  // One that opens with a gap would match what another one begins with words of its own.
  return [...groups]
    .toSorted(([one], [other]) => Number(one.startsWith("<f>")) - Number(other.startsWith("<f>")))
    .map(([key, words]) => (/^ | $/.test(key) ? key.replace(" ", `(?:${words.join("|")})`) : key))
    .join("|");
}

type Patterns = ReturnType<typeof patternsOf>;

function patternsOf(languages: readonly Words[]) {
  const ordered = (key: "forbids" | "confines") =>
    phrasePattern(`${ORDERED}(?:${phrasesOf(languages, key).source})${ASKED}`, "gimu");
  return {
    spares: phrasesOf(languages, "spares"),
    forbids: ordered("forbids"),
    confines: ordered("confines"),
    puts: phrasesOf(languages, "puts"),
    frees: phrasePattern(`(?:${phrasesOf(languages, "frees").source})${ASKED}`, "giu"),
    refers: phrasesOf(languages, "refers"),
    instead: new RegExp(phrasesOf(languages, "instead").source, "iu"),
  };
}

const compiled = new Map<string, Patterns>();

/** The phrases that can stand in a text. */
function patternsFor(text: string): Patterns {
  const languages = LANGUAGES.filter(({ hint }) => hint.test(text));
  const key = languages.map(({ language }) => language).join();
  const patterns = compiled.get(key) ?? patternsOf(languages);
  compiled.set(key, patterns);
  return patterns;
}

/** What others said. */
const QUOTED = /"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」/g;
const NAMED =
  /`([^`\n]{1,200})`|(?<![\w@./-])((?:[\w@+-][\w@.+-]{0,80}\/){1,12}[\w@+-][\w@.+-]{0,80}\/?|[\w@+-][\w@.+-]{0,80}\.[A-Za-z]{1,6}|[\w@+-]{2,80}\/)(?![\w/])/g;
const NOT_OWN = /^(?:`{3,}|~{3,})[^]*?(?:^(?:`{3,}|~{3,})[^\n]*$|(?![^]))|^[ \t]{0,3}>.*$|https?:\/\/\S+/gm;

/**
 * Reads which places a wish is about, in the languages that Relay speaks: what it names is to change too, unless the words
 * around the name spare it or only refer to it (R-CONF-9). Pure; time grows linearly with the text.
 */
export function placesMeant(content: string): PlacesMeant {
  const names: string[] = [];
  const bare = new Set<number>();
  const own = stripHiddenText(content, { most: READ }).text.replaceAll(NOT_OWN, " ");
  const named = own
    .replaceAll(NAMED, (whole: string, code: string | undefined) => {
      const name = (code ?? whole).trim().replace(/[.]+$/, "");
      if (names.length >= MOST || name === "") return whole;
      names.push(name);
      return String.fromCodePoint(FIRST + names.length - 1);
    })
    .replaceAll(BARE, (name) => {
      if (names.length >= MOST) return name;
      names.push(name);
      bare.add(names.length - 1);
      return String.fromCodePoint(FIRST + names.length - 1);
    })
    .replaceAll(JOINED, "")
    .replaceAll(POLITE, "$1.")
    .replaceAll(POLITE_ENDING, "ください。");
  const patterns = patternsFor(named);
  const nameOf = (mark: string) => names[(mark.codePointAt(0) ?? 0) - FIRST] ?? "";
  const namesOf = (found: readonly string[]) => [
    ...new Set(found.flatMap(marks).map((mark) => withoutLine(nameOf(mark)))),
  ];
  const confined = namesOf(named.replaceAll(QUOTED, " ").match(patterns.confines) ?? []).filter(isFile);
  // The files that are left are places like those of any wish.
  const marked =
    confined.length === 0 ? named : named.replaceAll(patterns.confines, (found) => ` ${marks(found).join("")} `);
  const said = marked.replaceAll(QUOTED, " ");
  const namesIn = (text: string, pattern: RegExp) => namesOf([...text.matchAll(pattern)].map(([found]) => found));
  const orders = forbidsIn(said, patterns);
  const forbidden = namesOf(orders);
  const spared = [...new Set([...namesIn(marked, patterns.spares), ...forbidden])];
  const rest = without(marked, forbidsIn(marked, patterns)).replaceAll(patterns.spares, " ");
  const wanted = rest.replaceAll(patterns.refers, " ");
  const isBare = (mark: string) => bare.has((mark.codePointAt(0) ?? 0) - FIRST);
  const places = marks(wanted)
    .filter((mark) => !isBare(mark))
    .map((mark) => withoutLine(nameOf(mark)));
  return {
    paths: [...new Set(places.filter(isPath))],
    symbols: symbolsAmong(places),
    spared,
    forbidden: confined.length === 0 ? forbidden : [...forbidden, allBut(confined)],
    freed: namesIn(said, patterns.frees).filter((name) => isAllowed(name, forbidden)),
    put: namesIn(without(said, orders), patterns.puts).filter(isPath),
    corrects: patterns.instead.test(rest),
    text: wanted.replaceAll(new RegExp(NAMES, "gu"), (found) =>
      Array.from(found, (mark) => (isBare(mark) ? nameOf(mark) : codeSpan(nameOf(mark)))).join(", "),
    ),
  };
}

/** A file that is no place where the same text forbids to work. */
function isAllowed(name: string, forbidden: readonly string[]): boolean {
  return isFile(name) && !forbidden.includes(name);
}

function marks(text: string): string[] {
  return [...text.matchAll(new RegExp(NAME, "gu"))].map(([mark]) => mark);
}

/** The orders not to touch whole files or folders, as they stand in a text. */
function forbidsIn(text: string, { forbids }: Patterns): string[] {
  const found: string[] = [];
  const order = new RegExp(forbids);
  for (let match = order.exec(text); match !== null; match = order.exec(text)) {
    const [whole, ...gaps] = match;
    const isFree = (gap?: string) => gap === undefined || FILE_GAP.test(whole.startsWith(gap) ? ` ${gap}` : gap);
    if (gaps.every(isFree)) found.push(whole);
    else order.lastIndex = match.index + 1;
  }
  return found;
}

function without(text: string, parts: readonly string[]): string {
  return parts.reduce((rest, part) => rest.replace(part, " "), text);
}

/** Whether a sentence is an order not to touch a file or folder, and asks for nothing in another one. */
export function forbidsPlaces(sentence: string): boolean {
  if (sentence.length > LONGEST_ORDER || (sentence.search(NAMED) === -1 && sentence.search(BARE) === -1)) return false;
  const { forbidden, paths, put } = placesMeant(sentence);
  const left = new Set([...put, ...forbidden.flatMap(namesLeft)]);
  return forbidden.length > 0 && paths.every((path) => left.has(path));
}

const LONGEST_ORDER = 400;

/** Whether an order not to touch several files holds for some that a later sentence, which takes up others, does not name. */
export function staysInPart(order: string, later: string): boolean {
  const forbidden = forbidsPlaces(order) ? placesMeant(order).forbidden : [];
  if (forbidden.length < 2) return false;
  const { paths } = placesMeant(later);
  return paths.length > 0 && forbidden.some((name) => !paths.includes(name));
}

/** The symbols among names that people wrote: `total` of `cart.total()`, none of `src/cart.ts`. */
export function symbolsAmong(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => !isPath(name)).flatMap((name) => symbolIn(name) ?? []))];
}

const withoutLine = (name: string) => name.replace(/(?::\d+(?:-\d+)?|#L\d+)$/, "");

/** `total([])` and `cart.total` name `total`. */
function symbolIn(name: string): string | null {
  const whole = /^[\p{L}\p{N}_$.:#>-]+/u.exec(name)?.[0] ?? "";
  return whole.split(/[.:#>-]+/).findLast((part) => /^[\p{L}_$]/u.test(part)) ?? null;
}

import { shared, significantWords } from "../text/significant-words.ts";

/** Of each row, a program does one: where somebody says another one, the first no longer holds. */
const ALTERNATIVES = rows(
  "stdout stderr; before after; vor nach; avant après; antes después depois; ascending descending; " +
    "aufsteigend absteigend; ascendente descendente; croissant décroissant; uppercase lowercase; " +
    "tabs spaces commas semicolons; tab space comma semicolon; tabs leerzeichen kommas semikolons; utc local",
);
/** It may do several of these: they rule each other out only where somebody chooses. */
const CHOICES = rows(
  "prefix suffix substring; json csv yaml xml toml; warning error; warnung fehler; bytes characters",
);

function rows(text: string): string[][] {
  return text.split("; ").map((row) => row.split(" "));
}

/** A number between the word before it and the word behind it, which may be its unit. */
const NUMBER = /(?:(\p{L}+)\s+)?(?<![\p{L}\p{N}_.])(\d+(?:[.,]\d+)?)(?![\p{N}_])(?:\s?(%|\p{L}{2,}))?/gu;
/** With such a word, a number is a name: “version 3”, “status 404”, “404 responses”. */
const NAMED_BY =
  /^(?:version(?:en|es|s)?|versión|versão|версия|status|statut|estado|http|node|python|java|ruby|php|step|option|variant|case|issue|pr|line|column|row|chapter|level|phase|plan|gap|question|point|item|number|page|section|errors?|codes?|responses?|port|rule|task|test|example|schritt|fall|zeile|spalte|punkt|frage|seite|fehler|antworten?|paso|línea|columna|página|étape|ligne|colonne|page|passo|linha|coluna|шаг|строка|столбец|ошибка)$/iu;
const EXIT = /exit|rückgabe|sortie|salida|saída|выход|завершен/iu;

interface Value {
  /** Values of one kind rule each other out. */
  kind: string;
  value: string;
}

/** What a text sets: its numbers by what they count, and words of which only one can hold. */
export function valuesIn(text: string, isChoice = false): Value[] {
  const numbers = [...text.matchAll(NUMBER)].flatMap(([, before = "", value = "", unit = ""]) => {
    const isName = [before, unit].some((word) => NAMED_BY.test(word)) && !EXIT.test(text);
    const [stem = unit === "%" ? unit : ""] = significantWords(unit);
    return isName ? [] : [{ kind: `number ${stem}`, value }];
  });
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu));
  const named = [...ALTERNATIVES, ...(isChoice ? CHOICES : [])].flatMap((row) =>
    row.filter((word) => words.has(word)).map((value) => ({ kind: row.join(" "), value })),
  );
  return [...numbers, ...named];
}

/** Whether a later text sets another value of the same kind; `isChoice` where it chooses one of what was said before. */
export function isRival(later: string, earlier: string, isChoice = false): boolean {
  const [after, before] = [valuesIn(later, isChoice), valuesIn(earlier, isChoice)];
  return after.some(
    (one) => !before.some(({ value }) => value === one.value) && before.some((other) => areOfOneKind(one, other)),
  );
}

function areOfOneKind(later: Value, earlier: Value): boolean {
  const isOfUnit = isNumber(later) && isNumber(earlier) && isSameUnit(unitOf(later), unitOf(earlier));
  return later.kind === earlier.kind || isOfUnit;
}

/** “Tage” and “Tagen”; a later number without a unit may be of any. */
function isSameUnit(later: string, earlier: string): boolean {
  const [short = "", long = ""] = [later, earlier].toSorted((one, other) => one.length - other.length);
  return later === "" || (short.length > 2 && long.startsWith(short) && long.length - short.length < 3);
}

function unitOf({ kind }: Value): string {
  return kind.slice("number ".length);
}

function isNumber({ kind }: Value): boolean {
  return kind.startsWith("number ");
}

/** Share of the words beside its values that a later statement has in common with the one whose value it changes. */
const NEARLY_ALL = 0.8;

/** How much of what a later statement says beside its values an earlier one says too, from 0 to 1. */
export function sharedBeside(rest: ReadonlySet<string>, earlier: string, isNear: boolean): number {
  if (rest.size === 0) return isNear ? NEARLY_ALL : 0;
  const share = shared(rest, significantWords(earlier)) / rest.size;
  return share >= NEARLY_ALL ? share : 0;
}

/** The words of a text beside its values, what its numbers count, and what they take the place of. */
export function besideValues(
  words: ReadonlySet<string>,
  text: string,
  replaced: ReadonlySet<string> | null,
): Set<string> {
  const values = new Set(
    valuesIn(text).flatMap((one) => [...significantWords(one.value), ...(isNumber(one) ? [unitOf(one)] : [])]),
  );
  return new Set([...words].filter((word) => !values.has(word) && !replaced?.has(word) && !GRAMMAR.has(word)));
}

const GRAMMAR = significantWords(
  "instead rather than place statt anstatt anstelle lugar vez lieu plutôt вместо must should soll sollen sollte sollten " +
    "müssen muss sein werden debe deben debería ser doit doivent devrait être deve devem deveria sejam sean должно должен " +
    "должны быть больше",
);

/** Whether a text says all of what is replaced. */
export function hasReplaced(replaced: ReadonlySet<string> | null, text: string): boolean {
  return replaced === null || shared(replaced, significantWords(text)) === replaced.size;
}

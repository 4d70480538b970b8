import { shared, significantWords } from "../text/significant-words.ts";

/** Of each row, a program does one: where somebody says another one, the first no longer holds. */
const ALTERNATIVES = [
  "stdout stderr",
  "before after",
  "vor nach",
  "avant après",
  "antes después depois",
  "ascending descending",
  "aufsteigend absteigend",
  "ascendente descendente",
  "croissant décroissant",
  "prefix suffix substring",
  "uppercase lowercase",
  "tabs spaces commas semicolons",
  "tab space comma semicolon",
  "tabs leerzeichen kommas semikolons",
  "json csv yaml xml toml",
  "warning error",
  "warnung fehler",
  "bytes characters",
  "utc local",
].map((row) => row.split(" "));

/** A number with the word behind it; empty if it has none. */
const NUMBER = /(?<![\p{L}\p{N}_.])(\d+(?:[.,]\d+)?)(?:\s?(%|\p{L}{2,}))?(?![\p{N}_])/gu;

interface Value {
  /** Values of one kind rule each other out. */
  kind: string;
  value: string;
}

/** What a text sets: its numbers by what they count, and words of which only one can hold. */
export function valuesIn(text: string): Value[] {
  const numbers = [...text.matchAll(NUMBER)].map(([, value = "", unit = ""]) => {
    const [stem = unit === "%" ? unit : ""] = significantWords(unit);
    return { kind: `number ${stem}`, value };
  });
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu));
  const named = ALTERNATIVES.flatMap((row) =>
    row.filter((word) => words.has(word)).map((value) => ({ kind: row.join(" "), value })),
  );
  return [...numbers, ...named];
}

/** Whether a later text sets another value of the same kind. */
export function isRival(later: string, earlier: string): boolean {
  const [after, before] = [valuesIn(later), valuesIn(earlier)];
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

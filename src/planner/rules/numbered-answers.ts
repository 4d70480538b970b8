/** `1. text`, `Q1: text`, `**2)** text`, `gap 3 - text`, at the beginning of a line. */
const NUMBERED = /^[ \t]*(?:[-*][ \t]+)?\**(?:Q|gap[ \t]*|#)?(\d{1,4})\**[ \t]*[.):：、.\-–—][ \t]*\**[ \t]*(.*)$/iu;
const MENTION = /^[ \t]*(?:@[\w-]{1,80}(?:\[bot\])?[,:]?[ \t]+)+/;
/** The same within a line, where a hyphen separates nothing; after a Q, a blank is enough. */
const WITHIN =
  /(?<=^|[\s;,，；。、])\**(?:(?:gap[ \t]|#)?(\d{1,4})\**[.):：、](?=\s|\*|[\u0080-\uFFFF])|Q(\d{1,4})\**[.):：、]?(?=\s|\*))\**/giu;
/** Words that a number belongs to: “use version 2. It is newer”. */
const NAMES_NUMBER =
  /(?:^|[\s(])(?:versions?|v|releases?|node|python|java|php|ruby|go|http|es|tls|steps?|options?|variants?|lines?|pages?|levels?|items?|cases?|phases?|parts?|chapters?|sections?|questions?|answers?|number|no|nr|than|to|of|by|at|from|after|before|least|most|until|over|under|about|in|is|be|and|or|версии|версия|версию|шаг|вариант|строка|schritt|zeile|seite|stufe|auf|mit|und|oder|versión|versão|opción|opção|línea|linha|paso|passo|étape|ligne|à|de|en|et|ou|y|o|e|и|или|на|=|<|>|版本|选项|バージョン)$/iu;
/** “Q1 and Q2 are the same”, “Q1, Q2: yes”. */
const JOINED = /^\s*(?:[,;&/+–—-]|(?:and|or|und|oder|et|ou|y|o|e|и|или)(?!\p{L})|[和と])/iu;

/** The answers that a text gives by number; several on one line are told apart by the numbers of open questions, in order. */
export function numberedParts(text: string, open: ReadonlySet<number>): Map<number, string> {
  const parts = new Map<number, string>();
  let current: number | null = null;
  let inFence = false;
  for (const line of text.split("\n")) {
    if (/^[ \t]*(?:`{3}|~{3})/.test(line)) inFence = !inFence;
    const split = inFence ? null : splitLine(line, open);
    for (const [number, note] of split ?? []) {
      current = number;
      parts.set(number, note);
    }
    if (split === null && current !== null) parts.set(current, `${parts.get(current) ?? ""}\n${line}`);
  }
  return new Map([...parts].map(([number, note]) => [number, note.trim()]));
}

/** Null where the line begins no answer. */
function splitLine(line: string, open: ReadonlySet<number>): [number, string][] | null {
  const bare = line.replace(MENTION, "");
  const marks = marksIn(bare.slice(0, LONGEST_LINE), open);
  const parts = marks.map(({ number, end }, at): [number, string] => [
    number,
    bare
      .slice(end, marks[at + 1]?.start ?? bare.length)
      .trim()
      .replace(/[;,，；]$/, ""),
  ]);
  if (parts.length > 0 && parts.every(([, note]) => note !== "")) return parts;
  const [, number, note = ""] = NUMBERED.exec(bare) ?? [];
  return number === undefined ? null : [[Number(number), note.trim()]];
}

const LONGEST_LINE = 4_000;

/** Where answers begin: at the start or after punctuation, and then at each further number of an open question. */
function marksIn(line: string, open: ReadonlySet<number>): { number: number; start: number; end: number }[] {
  const marks: { number: number; start: number; end: number }[] = [];
  for (const found of line.matchAll(WITHIN)) {
    const number = Number(found[1] ?? found[2]);
    const [start, end] = [found.index, found.index + found[0].length];
    const before = line.slice(Math.max(0, start - 40), start).trimEnd();
    const isApart = start === 0 || /[.!?:;,，；。！？、)]$/.test(before);
    // “wait 1. 5 s”
    const isNumber = /^\s*\d/.test(line.slice(end)) && !isApart;
    const last = marks.at(-1);
    const isOneOf = !/[.):：、]\**$/.test(found[0]) && JOINED.test(line.slice(end));
    if (!open.has(number) || isNumber || isOneOf || NAMES_NUMBER.test(before)) continue;
    if (last === undefined ? isApart : number > last.number) marks.push({ number, start, end });
  }
  // One number in the middle of a line may be anything.
  return marks.length === 1 && marks[0]?.start !== 0 ? [] : marks;
}

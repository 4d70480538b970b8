import { anyPhrase } from "../domain/issue-text/phrases.ts";
import { bareMarks, letterMarks } from "./letter-marks.ts";
import { type Mark, marksInLine, ordinalMarks } from "./number-marks.ts";
import words from "./number-words.json" with { type: "json" };

/** Bullets and names of people before the text of a line. */
const HEAD = /^[ \t]*(?:(?:[-*+]|#{1,6})[ \t]+)?(?:@[\w-]{1,80}(?:\[bot\])?[,:]?[ \t]+)*/;
const LONGEST_LINE = 4_000;
const STEPS = anyPhrase(words.steps);
/** What leads on to the next answer of a line; a letter alone may be a name. */
const LEADS_ON = new RegExp(
  String.raw`[;,\s](?:${words.joins.filter((word) => word.length > 1).join("|")})[^\S\n]{0,9}$`,
  "iu",
);

/**
 * The answers that a text gives by number; several on one line are told apart by the numbers of open questions, in
 * order.
 */
export function numberedParts(text: string, open: ReadonlySet<number>): Map<number, string> {
  return answersIn(text, open).answers;
}

/** The same, with what stands before the first of them. */
export function answersIn(text: string, open: ReadonlySet<number>): { before: string; answers: Map<number, string> } {
  const prose = withoutCode(text);
  const numbered = numberMarks(prose, open);
  const isHead = (start: number) => beginning(prose, start) !== start || isAtLineStart(prose, start);
  const lettered = numbered.length > 0 ? numbered : letterMarks(prose, open, isHead);
  const bare = lettered.length > 0 ? lettered : bareMarks(prose, open, isHead);
  const marks = bare.length > 0 ? bare : ordinalMarks(prose, open);
  const lead = prose
    .slice(0, marks[0]?.start ?? 0)
    .trimEnd()
    .split("\n")
    .at(-1);
  // “Steps to reproduce: 1. … 2. …” is one answer.
  if (lead !== undefined && /[:：]$/.test(lead) && STEPS.test(lead)) return { before: text, answers: new Map() };
  const answers = new Map(
    marks.map(({ number, end }, at) => {
      const part = text.slice(end, beginning(text, marks[at + 1]?.start));
      const note = at === marks.length - 1 ? part : part.replace(LEADS_ON, "");
      return [number, note.trim().replace(/[;,，；]$/, "")];
    }),
  );
  return { before: text.slice(0, beginning(text, marks[0]?.start)).trim(), answers };
}

/** Where the line begins of a mark that only a bullet or a name precedes. */
function beginning(text: string, start: number | undefined): number | undefined {
  if (start === undefined) return undefined;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  return HEAD.exec(text.slice(lineStart, start))?.[0].length === start - lineStart ? lineStart : start;
}

function isAtLineStart(text: string, start: number): boolean {
  return start === 0 || text[start - 1] === "\n";
}

const ASKED_NUMBER = new RegExp(
  String.raw`(?<!\p{L})(?:${words.asked.spaced.join("|")})\s?\d|(?:${words.asked.unspaced.join("|")})\s?\d|#\d`,
  "iu",
);

/** Whether a text begins with a question about a numbered one: “What do you mean in question 1? …”. */
export function asksAboutNumber(text: string): boolean {
  const [first = ""] = /^[^.!?。！？\n]{0,200}[?？]/u.exec(text) ?? [];
  return ASKED_NUMBER.test(first);
}

/** Code with its characters replaced, so that no number is found there. */
function withoutCode(text: string): string {
  let inFence = false;
  return text
    .split("\n")
    .map((line) => {
      const isFence = /^[ \t]*(?:`{3}|~{3})/.test(line);
      const isCode = isFence || inFence;
      if (isFence) inFence = !inFence;
      return isCode ? hidden(line) : line.replaceAll(/`[^`]+`/g, hidden);
    })
    .join("\n");
}

function hidden(code: string): string {
  return code.replaceAll(/\S/g, "x");
}

function numberMarks(text: string, open: ReadonlySet<number>): Mark[] {
  const marks: Mark[] = [];
  let offset = 0;
  let indent = Infinity;
  for (const line of text.split("\n")) {
    const head = HEAD.exec(line)?.[0].length ?? 0;
    const found = marksInLine({ line: line.slice(0, LONGEST_LINE), head, open, above: marks.at(-1) });
    const [first] = found;
    const depth = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    if (first !== undefined && depth <= indent + 1 && !belongsTo(marks, first, open)) {
      indent = depth;
      const from = offset;
      marks.push(...found.map((mark) => ({ ...mark, start: from + mark.start, end: from + mark.end })));
    }
    offset += line.length + 1;
  }
  const bare = marks.filter(({ named, closed }) => named === "" && closed === "");
  // One “#1” may be any issue.
  return bare.length === 1 && /^\**#/.test(text.slice(bare[0]?.start))
    ? marks.filter((mark) => mark !== bare[0])
    : marks;
}

/** Whether a line that begins with a number goes on with the answer before it: a list there, or a number once more. */
function belongsTo(marks: readonly Mark[], { number }: Mark, open: ReadonlySet<number>): boolean {
  const last = marks.at(-1);
  return last !== undefined && (open.has(number) ? marks.some((mark) => mark.number === number) : number < last.number);
}

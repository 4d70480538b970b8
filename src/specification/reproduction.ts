import { HAPPENS, REPRODUCES } from "../domain/issue-text/aspect-words.ts";
import { tellsTheStory } from "../domain/issue-text/aspects.ts";
import { contrastIn } from "../domain/issue-text/contrast.ts";
import { isExample } from "../domain/issue-text/example.ts";
import type { IssueReading } from "../domain/issue-text/issue-reading.ts";
import { type Block, plainText } from "../domain/issue-text/markdown.ts";
import { announcesWish, isAround } from "../domain/issue-text/remarks.ts";
import type { Section } from "../domain/issue-text/sections.ts";
import { sentencesOf } from "../domain/issue-text/sentences.ts";
import { isTraceLine } from "../domain/issue-text/stack-traces.ts";
import { stripHiddenCharacters } from "../domain/text/hidden-characters.ts";

/** Code of the issue with the words that announce it. */
export interface Passage {
  /** As people wrote it; empty without one. */
  lead: string;
  language: string;
  lines: string[];
  /** Lines that were left out at the end. */
  left: number;
  /** The case itself, what comes of it, or what is asked for. */
  shows: "case" | "outcome" | "wish";
}

const MOST = 5;
/** Its announcement, the fences, and an empty line. */
const FRAME = 4;
const FEWEST = 3;
/** Lines of what a program printed. */
const MOST_OUTPUT = 10;
const LONGEST_LINE = 160;
const LONGEST_LEAD = 160;
/** Lines that a spec must show of the first passage to have carried it over. */
const COMPARED = 12;
/** Announces what a program said of its failure, which is no code. */
const FAILED = /\b(?:errors?|exceptions?|logs?|traces?|messages?)\b|ошибк|fehler|报错|エラー/iu;
/** Announces what a program printed. */
const PRINTED = /\b(?:outputs?|prints?)\b|вывод|ausgabe|salida|sortie|saída|输出|出力/iu;
const FIXES = /\b(?:fix(?:e[sd])?|workarounds?|work around|patch|solution|instead)\b/i;

/** Takes the place of what was asked for before. */
const FINAL = /^\W*(?:update|edit)\b|\bfinal\b|^\W*(?:обновление|правка)|endgültig|definitiv|最终|最終/iu;

/**
 * The code by which the issue shows its case or what it asks for, in its order; with what frames it at most `most` lines
 * (R-SPEC-19).
 */
export function passagesOf(reading: IssueReading, most: number): Passage[] {
  const told = reading.sections.filter(tellsTheStory);
  const spans = new Set(reading.facts.commands);
  const codeOf = (sections: readonly Section[]) => sections.flatMap((section) => codeIn(section, spans));
  const stated = codeOf(told.filter(({ topic }) => topic === "reproduction"));
  const all = stated.some(({ block }) => isExample(block)) ? stated : codeOf(told);
  const last = all.findLastIndex(({ lead, shows }) => shows === "wish" && FINAL.test(lead));
  const seen = new Set<string>();
  const passages: Passage[] = [];
  let room = most;
  for (const { block, lead, shows } of all.filter((one, at) => one.shows !== "wish" || at >= last)) {
    const lines = linesOf(block.kind === "paragraph" ? block.text.trim().slice(1, -1) : block.text);
    // A form may hold the whole report twice, and a command is told as such.
    const isNew = !seen.has(lines.join("\n")) && lines.some((line) => !spans.has(line.replace(/^\s*[$❯>]\s*/, "")));
    if (!isNew || (shows === "outcome" && lines.length > MOST_OUTPUT)) continue;
    seen.add(lines.join("\n"));
    if (passages.length >= MOST || room < FRAME + Math.min(FEWEST, lines.length)) break;
    const kept = wholeStatements(lines, lines.length + FRAME <= room ? lines.length : Math.max(1, room - FRAME - 2));
    const language = block.kind === "code" ? block.language : "";
    passages.push({ lead, language, lines: kept, left: lines.length - kept.length, shows });
    room -= FRAME + kept.length;
  }
  return passages;
}

/** The first lines, up to the end of the last statement that they hold whole; all of them if they hold none. */
function wholeStatements(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  const indents = lines.map((line) => line.search(/\S/));
  const outer = Math.min(...indents);
  // A statement begins at the outer margin, unless it closes one.
  const isStart = (at: number) =>
    indents[at] === outer && !/^\s*(?:[)\]}]|end\b|<\/|else\b|except\b|catch\b)/.test(lines[at] ?? "");
  const ends = lines.flatMap((_, at) =>
    at > 0 && at <= most && isStart(at) && !isDecorator(lines[at - 1]) ? [at] : [],
  );
  const end = ends.at(-1) ?? most;
  return lines.slice(0, end * 3 < most ? most : end);
}

function isDecorator(line = ""): boolean {
  return /^\s*(?:@\w|#\[|\/\/|#|\/?\*)/.test(line);
}

/** A patch of the reporter: the fix that they propose, or a way around the fault; null without one. */
export function patchOf(reading: IssueReading, most: number): { text: string; isAround: boolean } | null {
  const at = reading.blocks.findIndex((block) => block.kind === "code" && isPatch(block.language, block.text));
  const patch = reading.blocks[at];
  if (patch === undefined) return null;
  const before = reading.blocks[at - 1]?.text ?? "";
  return { text: linesOf(patch.text).slice(0, most).join("\n"), isAround: isAround(before) };
}

/** Shows what to change, rather than what was expected and what came. */
function isPatch(language: string, text: string): boolean {
  const changes = text.split("\n").filter((line) => /^[+-](?![+-]{2})\s*\S/.test(line));
  const isDiff = /^(?:diff|patch)$/.test(language) || /^@@ .* @@|^diff --git /m.test(text);
  return isDiff && changes.length > 0 && !changes.some((line) => COMPARES.test(line));
}

/** A line that names what it shows: `+ Expected: …`, `- Displayed: …`. */
const COMPARES =
  /^[+-]\s*(?:expected|actual(?:ly)?|displayed|got|received|shown|printed|ожида\p{L}+|факт\p{L}*|erwartet|tatsächlich|esperado|obtenido|obtido|attendu|obtenu|期望|预期|实际|期待|実際)(?!\p{L})/iu;

/** The code that reproduces a bug, as lines that its spec should show; none if the issue has no such code. */
export function reproductionOf(reading: IssueReading): string[] {
  const { kind } = reading.kind;
  if (kind !== "bug" && kind !== "performance") return [];
  const first = passagesOf(reading, COMPARED + FRAME + 2).find(({ shows }) => shows === "case");
  return (first?.lines ?? []).slice(0, COMPARED).map((line) => line.trim());
}

type Shown = Extract<Block, { kind: "code" | "paragraph" }>;

/** Code blocks, and code spans that stand alone; a title announces what stands first under it. */
function codeIn(
  { blocks, title, topic }: Section,
  commands: ReadonlySet<string>,
): (Pick<Passage, "lead" | "shows"> & { block: Shown })[] {
  let last: Passage["shows"] = "case";
  return blocks.flatMap((block, at) => {
    const isSpan = block.kind === "paragraph" && isExample(block) && !commands.has(block.text.trim().slice(1, -1));
    if (block.kind !== "code" && !isSpan) return [];
    const before = blocks[at - 1];
    const said = before?.kind === "paragraph" && !before.quoted && !isExample(before) ? before.text : "";
    const sentence = plainText(sentencesOf(said).at(-1)?.text ?? "");
    const lead = before === undefined && topic !== "description" && topic !== "reproduction" ? title : leadOf(sentence);
    // Code right after code goes on with it.
    last = before?.kind === "code" && last === "wish" ? last : shownBy(block, lead, topic);
    const mends = (block.kind === "code" && block.language === "diff") || FIXES.test(lead);
    const compares = block.text.split("\n").some((line) => COMPARES.test(line));
    const isMessage = FAILED.test(isSpan ? sentence : lead);
    const isKept = isExample(block) || (last === "outcome" && lead !== "" && !isTrace(block.text));
    return compares || (isKept && !mends && !isMessage) ? [{ block, lead, shows: compares ? "outcome" : last }] : [];
  });
}

function shownBy(block: Shown, lead: string, topic: Section["topic"]): Passage["shows"] {
  if (topic === "proposal" || (announcesWish(lead) && isExample(block))) return "wish";
  if (!isExample(block) || topic === "actual" || topic === "expected") return "outcome";
  const comes = contrastIn(lead) !== null || PRINTED.test(lead) || (HAPPENS.test(lead) && !REPRODUCES.test(lead));
  return comes ? "outcome" : "case";
}

function isTrace(text: string): boolean {
  return text.split("\n").some((line) => isTraceLine(line));
}

/** The sentence before the code, if it announces it or is not ended. */
function leadOf(sentence: string): string {
  return !/[.!?。！？]$/.test(sentence.replace(/\.{3}$/, "…")) && sentence.length <= LONGEST_LEAD ? sentence : "";
}

/** Without blank lines, and without what a reader cannot see. */
function linesOf(text: string): string[] {
  return stripHiddenCharacters(text)
    .split(/\r\n?|[\n\u2028\u2029]/)
    .filter((line) => line.trim() !== "")
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE).toWellFormed()}…` : line).trimEnd());
}

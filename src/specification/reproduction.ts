import { isExample, tellsTheStory } from "../domain/issue-text/aspects.ts";
import type { IssueReading } from "../domain/issue-text/issue-reading.ts";
import { type Block, plainText } from "../domain/issue-text/markdown.ts";
import { announcesWish, isAround } from "../domain/issue-text/remarks.ts";
import type { Section } from "../domain/issue-text/sections.ts";
import { sentencesOf } from "../domain/issue-text/sentences.ts";
import { stripHiddenText } from "../domain/text/hidden-text.ts";

/** Code of the issue with the words that announce it. */
export interface Passage {
  /** As people wrote it; empty without one. */
  lead: string;
  language: string;
  lines: string[];
  /** Lines that were left out at the end. */
  left: number;
  /** Shows what is asked for, rather than what there is. */
  isWanted: boolean;
}

const MOST = 5;
/** Its announcement, the fences, and an empty line. */
const FRAME = 4;
const FEWEST = 3;
const LONGEST_LINE = 160;
const LONGEST_LEAD = 160;
/** Lines that a spec must show of the first passage to have carried it over. */
const COMPARED = 12;
/** Announces what a program printed, which is no code. */
const PRINTED =
  /\b(?:errors?|exceptions?|outputs?|logs?|traces?|messages?|prints?)\b|ошибк|вывод|fehler|ausgabe|salida|sortie|saída|报错|输出|エラー|出力/iu;
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
  const last = all.findLastIndex(({ lead, isWanted }) => isWanted && FINAL.test(lead));
  const passages: Passage[] = [];
  let room = most;
  for (const { block, lead, isWanted } of all.filter((one, at) => !one.isWanted || at >= last)) {
    const lines = linesOf(block.kind === "paragraph" ? block.text.trim().slice(1, -1) : block.text);
    if (passages.length >= MOST || room < FRAME + Math.min(FEWEST, lines.length)) break;
    const kept = wholeStatements(lines, lines.length + FRAME <= room ? lines.length : Math.max(1, room - FRAME - 2));
    const language = block.kind === "code" ? block.language : "";
    passages.push({ lead, language, lines: kept, left: lines.length - kept.length, isWanted });
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
  const [first] = passagesOf(reading, COMPARED + FRAME + 2);
  return (first?.lines ?? []).slice(0, COMPARED).map((line) => line.trim());
}

type Shown = Extract<Block, { kind: "code" | "paragraph" }>;

/** Code blocks, and code spans that stand alone; a title announces what stands first under it. */
function codeIn(
  { blocks, title, topic }: Section,
  commands: ReadonlySet<string>,
): { block: Shown; lead: string; isWanted: boolean }[] {
  let wasWanted = false;
  return blocks.flatMap((block, at) => {
    const isSpan = block.kind === "paragraph" && isExample(block) && !commands.has(block.text.trim().slice(1, -1));
    if (block.kind !== "code" && !isSpan) return [];
    const before = blocks[at - 1];
    const said = before?.kind === "paragraph" && !before.quoted && !isExample(before) ? before.text : "";
    const told = leadOf(said);
    const lead = before === undefined && topic !== "description" && topic !== "reproduction" ? title : told;
    const compares = block.text.split("\n").some((line) => COMPARES.test(line));
    const isShown =
      isExample(block) &&
      !FIXES.test(lead) &&
      !PRINTED.test(lead) &&
      !(isSpan && PRINTED.test(sentencesOf(said).at(-1)?.text ?? "")) &&
      !(block.kind === "code" && block.language === "diff");
    // Code right after code goes on with it.
    const goesOn = before?.kind === "code" && wasWanted;
    const isWanted = topic === "proposal" || topic === "expected" || announcesWish(lead) || goesOn;
    wasWanted = isWanted;
    return compares || isShown ? [{ block, lead, isWanted }] : [];
  });
}

/** The sentence before the code, if it announces it or is not ended. */
function leadOf(text: string): string {
  const last = plainText(sentencesOf(text).at(-1)?.text ?? "");
  return !/[.!?。！？]$/.test(last.replace(/\.{3}$/, "…")) && last.length <= LONGEST_LEAD ? last : "";
}

/** Without blank lines, and without what a reader cannot see. */
function linesOf(text: string): string[] {
  return stripHiddenText(text)
    .text.split(/\r\n?|[\n\u2028\u2029]/)
    .filter((line) => line.trim() !== "")
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE).toWellFormed()}…` : line).trimEnd());
}

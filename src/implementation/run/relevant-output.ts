import { stripVTControlCharacters } from "node:util";
import { stripHiddenCharacters } from "../../domain/text/hidden-characters.ts";
import { cut } from "../../lib/text.ts";
import { removeSecrets } from "../../domain/text/secrets/remove-secrets.ts";

/** Characters of a check's output that are kept. */
const MOST = 8_000;
/** Of these, for the first lines with failures; the rest is for the end, where most programs print a summary. */
const ERRORS_SHARE = 0.6;
const CUT = " […]";
const LONGEST_LINE = 400;
/** The first cut, far longer than any secret, so that no half of a secret slips through. */
const LONGEST_RAW = 8_000;
const LINES_AFTER = 3;

const FAILURE_WORDS =
  /\b(?:errors?|fail(?:ed|s|ure|ures|ing)?|exception|panic(?:ked)?|traceback|fatal|assert\w*|expected|received|not ok|cannot|undefined|unresolved|unexpected)\b|[✗✘×●❌]|\w(?:Error|Exception)\b/iu;
/** `0 errors`, `no failures`: good news in the words of bad news. */
const GOOD = /\b(?:0|no) (?:errors?|fail(?:ed|ures?|ing)?|exceptions?)\b/gi;

/** Printable ASCII, which cannot hide anything: most lines. */
const PLAIN = /^[\u0020-\u007e]*$/;

/**
 * The part of a command's output that shows what failed: the first failure lines with some context, and the end. As a
 * terminal shows it, without colours and overwritten progress; with paths relative to `directory`; without the paths of
 * `others` (folders of this machine that tell readers nothing) and without secrets. At most 8,000 characters.
 */
export function relevantOutput(raw: string, directory: string, others: readonly string[] = []): string {
  return excerptOf(shown(raw, directory, others), MOST, ERRORS_SHARE);
}

/**
 * The lines of a relevant output that show what failed, for people: at most `most` characters, usually without its end.
 */
export function failingLines(output: string, most: number): string {
  return excerptOf(output.split("\n"), most, 0.9);
}

function excerptOf(lines: readonly string[], most: number, errorsShare: number): string {
  if (lengthOf(lines) <= most) return lines.join("\n");
  const picked = new Set<number>();
  const mostErrors = Math.floor(most * errorsShare);
  let room = mostErrors;
  for (const [at, line] of lines.entries()) {
    if (!isFailureLine(line)) continue;
    const around = [at, ...Array.from({ length: LINES_AFTER }, (_, n) => at + 1 + n)];
    const more = around.filter((each) => each < lines.length && !picked.has(each));
    const needed = more.reduce((sum, each) => sum + (lines[each]?.length ?? 0) + 1, 0);
    if (needed > room) break;
    room -= needed;
    for (const each of more) picked.add(each);
  }
  let end = most - (mostErrors - room) - Math.floor(most / 20);
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    end -= (lines[at]?.length ?? 0) + 1;
    if (end < 0) break;
    picked.add(at);
  }
  return withGaps(lines, picked).slice(0, most).toWellFormed();
}

export function isFailureLine(line: string): boolean {
  return FAILURE_WORDS.test(line.replaceAll(GOOD, ""));
}

function shown(raw: string, directory: string, others: readonly string[]): string[] {
  const plain = raw.split("\n").map(asSeen).join("\n");
  const relative = plain.replaceAll(`${directory}/`, "").replaceAll(directory, ".");
  const ours = others.reduce((text, folder) => text.replaceAll(folder, "…"), relative);
  const lines = removeSecrets(ours)
    .text.split("\n")
    .map((line) => cut(line.trimEnd(), LONGEST_LINE, CUT));
  const once = withoutTables(lines).filter((line, at, all) => line !== "" || all[at - 1] !== "");
  return once.join("\n").trim().split("\n");
}

/** A table with at least this many rows is left out: it says nothing about a failure. */
const LONG_TABLE = 8;

/** A row of a table, such as a coverage report: a name and columns of numbers. */
function isTableRow(line: string): boolean {
  if (line.split("|").length >= 3) return /\d/.test(line);
  const [, ...columns] = line
    .replace(/^[ℹ#] /u, "")
    .trim()
    .split(/\s+/);
  return columns.length >= 2 && columns.every((column) => /^[\d.,%-]+$/.test(column));
}

function withoutTables(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let rows: string[] = [];
  const flush = () => {
    kept.push(...(rows.length < LONG_TABLE ? rows : [`[… ${rows.length} lines]`]));
    rows = [];
  };
  for (const line of lines) {
    if (isTableRow(line) && !isFailureLine(line)) rows.push(line);
    else {
      flush();
      kept.push(line);
    }
  }
  flush();
  return kept;
}

/** If a line is overwritten again and again, only its last state is visible. */
function asSeen(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  const last = cut(text.slice(text.lastIndexOf("\r") + 1), LONGEST_RAW, CUT);
  return PLAIN.test(last) ? last : stripHiddenCharacters(stripVTControlCharacters(last));
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function withGaps(lines: readonly string[], picked: ReadonlySet<number>): string {
  const excerpt: string[] = [];
  let before = -1;
  for (const at of [...picked].toSorted((a, b) => a - b)) {
    if (at > before + 1) excerpt.push(`[… ${at - before - 1} lines]`);
    excerpt.push(lines[at] ?? "");
    before = at;
  }
  return excerpt.join("\n");
}

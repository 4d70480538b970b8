import { fence, fenceCode } from "../../adapters/models/fence.ts";
import type { Turn } from "../../adapters/models/model.ts";
import { readIssue } from "../../domain/issue-text/issue-reading.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { locate, reasonText, type Located } from "../search/rank-files.ts";
import { type SearchTerms, searchTerms } from "../search/query.ts";
import type { FileAccess } from "../tools/file-access.ts";
import type { Seen } from "./seen-lines.ts";
import { shownPath, shownText } from "../tools/sanitize.ts";
import type { Thoroughness } from "../../domain/exploration.ts";

const QUESTION_CHARACTERS = 4_000;
const CONTEXT_CHARACTERS = 12_000;

/** A question, cut to the part that a model sees. */
export interface BoundedQuestion {
  question: string;
  /** The reason for the question; may be empty. */
  context: string;
  thoroughness: Thoroughness;
}

/** Bounds a question, which comes from a model too (R-SAFE-5). */
export function bounded({ question, context, thoroughness }: BoundedQuestion): BoundedQuestion {
  return {
    question: cutMarked(question.trim(), QUESTION_CHARACTERS),
    context: cutMarked(context.trim(), CONTEXT_CHARACTERS),
    thoroughness,
  };
}

/** The first message to the model. All text from outside is fenced (R-SAFE-1). */
export function openingTurn(asked: BoundedQuestion, look: string, steps: number, boundary: string): Turn {
  const parts = [
    `Thoroughness: ${asked.thoroughness}. You have ${steps} turns in all, the one with submit_findings included.`,
    fence("question", asked.question, boundary, { tags: false }),
    ...(asked.context === "" ? [] : [fence("context", asked.context, boundary, { tags: false })]),
    look === ""
      ? "The first look found no file that has to do with the question."
      : fenceCode("first look", look, boundary),
    `Answer the question, in its language. The boundary of all fences here is ${boundary}.`,
  ];
  return { role: "user", content: parts.join("\n\n") };
}

function cutMarked(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (cut)`;
}

const LOOK_CHARACTERS = 8_000;
const REASONS = 3;
const SYMBOLS = 5;
const LINES = 4;
const PART_CHARACTERS = 160;

/** The same as `locate`, or ordered in another way, with its own reasons. */
export type Ranking = (
  index: OpenIndex,
  terms: SearchTerms,
  limits: { limit: number },
) => Promise<readonly (Located & { placement?: string | null })[]>;

/**
 * The files that a question seems to be about, with reasons, symbols and lines, which saves the model its first steps.
 * Leaves out files that the tools would not open; empty when nothing matches.
 */
export async function firstLook(
  index: OpenIndex,
  fileAccess: FileAccess,
  asked: { question: string; context: string },
  files: number,
  { seen, rank = locate }: { seen?: Pick<Seen, "line">; rank?: Ranking } = {},
): Promise<string> {
  const reading = readIssue({ title: asked.question, body: `${asked.question}\n\n${asked.context}`, labels: [] });
  const located = await rank(index, { ...searchTerms(reading), asked: "question" }, { limit: files });
  const shown: string[] = [];
  let room = LOOK_CHARACTERS;
  for (const file of located) {
    const entry = index.file(file.path);
    if (entry === undefined || !fileAccess.has(file.path) || fileAccess.statusOf(entry) !== "open") continue;
    const text = entryOf(file);
    room -= text.length + 1;
    if (room < 0) break;
    shown.push(text);
    for (const { line } of shownLines(file)) seen?.line(file.path, line);
  }
  return shown.join("\n");
}

function entryOf({ path, role, reasons, symbols, lines, placement }: Awaited<ReturnType<Ranking>>[number]): string {
  const own = reasons.slice(0, REASONS).map((reason) => part(reasonText(reason)));
  const why = placement ? [shownText(placement), ...own] : own;
  return [
    `${shownPath(path)} (${role})${why.length === 0 ? "" : `: ${why.join("; ")}`}`,
    ...symbols.slice(0, SYMBOLS).map(({ kind, name, start, end }) => `  ${start}-${end} ${kind} ${part(name)}`),
    ...shownLines({ lines }).map(({ line, text }) => `  ${line}: ${part(text.trim())}`),
  ].join("\n");
}

function shownLines({ lines }: Pick<Located, "lines">) {
  return lines.slice(0, LINES).filter(({ text }) => text !== "");
}

function part(text: string): string {
  return shownText(text, PART_CHARACTERS);
}

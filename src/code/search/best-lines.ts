import { NEWLINE } from "../index/bytes.ts";
import { eachDefinition } from "../index/definitions.ts";
import { eachTerm } from "../index/terms.ts";
import type { DirectEvidence, Evidence } from "./evidence.ts";

/** A line worth looking at. */
export interface RelevantLine {
  /** From 1. */
  line: number;
  /** Empty where the issue names the line but the file does not have it. */
  text: string;
  why: string;
}

const LINES_PER_FILE = 5;
const TEXT_LIMIT = 200;
/** Lines within this distance count as the same place. */
const NEAR = 3;
/** Longer lines are data or minified code. */
const LONGEST_LINE = 900;
/** Bytes of a file that are searched. */
const MOST_BYTES = 300_000;

interface MatchedLine {
  start: number;
  /** Indexes of matching words, strongest first. */
  words: Set<number>;
  defines: string | null;
  message: string | null;
}

/** The lines of a text that the issue is about: explicitly named ones, then by how well they match. */
export function bestLines(evidence: Evidence, direct: DirectEvidence | undefined, content: Buffer): RelevantLine[] {
  const bytes = content.subarray(0, MOST_BYTES);
  const lines = new Lines(bytes);
  matchWords(bytes, lines, evidence);
  matchDefinitions(bytes, lines, direct);
  matchMessages(bytes, lines, direct);
  const chosen: RelevantLine[] = [];
  const taken = (line: number) => chosen.some((other) => Math.abs(other.line - line) < NEAR);
  for (const { line, why } of pointedAt(direct)) if (!taken(line)) chosen.push({ line, text: lines.text(line), why });
  const ranked = [...lines.matched]
    .map(([line, matched]) => ({ line, matched, score: scoreOfLine(matched, evidence) }))
    .toSorted((a, b) => b.score - a.score || a.line - b.line);
  for (const { line, matched } of ranked) {
    if (chosen.length >= LINES_PER_FILE) break;
    const text = taken(line) ? "" : lines.text(line);
    if (text !== "") chosen.push({ line, text, why: reasonOf(matched, evidence) });
  }
  return chosen;
}

function matchWords(bytes: Buffer, lines: Lines, evidence: Evidence): void {
  const positions = new Map(evidence.words.words.map(({ term }, position) => [term, position]));
  eachTerm(bytes, 0, bytes.length, (term, start) => {
    const position = positions.get(term);
    if (position !== undefined) lines.at(start).words.add(position);
  });
}

function matchDefinitions(bytes: Buffer, lines: Lines, direct: DirectEvidence | undefined): void {
  if (!direct?.defines.size) return;
  eachDefinition(bytes, (start, end) => {
    const name = bytes.toString("utf8", start, end);
    if (direct.defines.has(name)) lines.at(start).defines = name;
  });
}

function matchMessages(bytes: Buffer, lines: Lines, direct: DirectEvidence | undefined): void {
  for (const message of direct?.messages ?? []) {
    const at = bytes.toString("latin1").toLowerCase().indexOf(Buffer.from(message).toString("latin1").toLowerCase());
    if (at !== -1) lines.at(at).message = message;
  }
}

function pointedAt(direct: DirectEvidence | undefined): { line: number; why: string }[] {
  const named = (direct?.named ?? []).map((each) => ({ ...each, why: "named in the issue" }));
  const frames = (direct?.frames ?? [])
    .toSorted((a, b) => a.depth - b.depth)
    .map((each) => ({ ...each, why: "in the stack trace" }));
  return [...named, ...frames].flatMap(({ line, certainty, why }) =>
    line !== null && certainty >= 0.5 ? [{ line, why }] : [],
  );
}

function scoreOfLine(matched: MatchedLine, { words, match }: Evidence): number {
  let sum = 0;
  let strongest = 1;
  for (const position of matched.words) {
    sum += (words.words[position]?.weight ?? 0) * (match.rarity[position] ?? 0);
  }
  for (const { weight } of words.words) strongest = Math.max(strongest, weight);
  return sum + (matched.message === null ? 0 : strongest * 40) + (matched.defines === null ? 0 : strongest * 10);
}

function reasonOf(matched: MatchedLine, { words }: Evidence): string {
  if (matched.message !== null) return `contains the message "${matched.message}"`;
  if (matched.defines !== null) return `defines ${matched.defines}`;
  const strongest = [...matched.words].toSorted((a, b) => a - b).slice(0, 4);
  return `speaks of ${strongest.map((position) => words.words[position]?.text ?? "").join(", ")}`;
}

/** The lines of a text and their matches. */
class Lines {
  readonly matched = new Map<number, MatchedLine>();
  readonly #bytes: Buffer;
  readonly #starts: number[] = [0];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) this.#starts.push(at + 1);
  }

  /** The matches of the line that contains a byte. */
  at(byte: number): MatchedLine {
    const line = this.#lineOf(byte);
    const known = this.matched.get(line);
    if (known) return known;
    const none = { start: this.#starts[line - 1] ?? 0, words: new Set<number>(), defines: null, message: null };
    this.matched.set(line, none);
    return none;
  }

  /** Empty for a line that does not exist or is too long. */
  text(line: number): string {
    const start = this.#starts[line - 1];
    if (start === undefined) return "";
    const end = this.#starts[line] ?? this.#bytes.length;
    if (end - start > LONGEST_LINE) return "";
    return this.#bytes.toString("utf8", start, end).trim().slice(0, TEXT_LIMIT);
  }

  #lineOf(byte: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

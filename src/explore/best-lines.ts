import type { Evidence, FileEvidence, MatchedLine } from "./evidence.ts";

/** A line worth looking at. */
export interface FoundLine {
  /** From 1. */
  line: number;
  /** Empty where the line was only named, not read. */
  text: string;
  why: string;
}

const LINES_PER_FILE = 5;
const TEXT_LIMIT = 200;
/** Lines this near tell the same thing. */
const NEAR = 3;

/** The lines of a file that the issue points at: named ones first, then by how much they agree with it. */
export function bestLines(evidence: Evidence, path: string): FoundLine[] {
  const file = evidence.files.get(path);
  if (!file) return [];
  const chosen: FoundLine[] = [];
  const taken = (line: number) => chosen.some((other) => Math.abs(other.line - line) < NEAR);
  for (const pointed of pointedAt(file)) if (!taken(pointed.line)) chosen.push(pointed);
  const ranked = file.matched
    .map((matched) => ({ matched, worth: worthOf(matched, evidence) }))
    .toSorted((a, b) => b.worth - a.worth || a.matched.line - b.matched.line);
  for (const { matched } of ranked) {
    if (chosen.length >= LINES_PER_FILE) break;
    if (taken(matched.line)) continue;
    chosen.push({ line: matched.line, text: matched.text.trim().slice(0, TEXT_LIMIT), why: whyOf(matched) });
  }
  return chosen;
}

function pointedAt(file: FileEvidence): FoundLine[] {
  const text = (line: number) => file.matched.find((matched) => matched.line === line)?.text.trim() ?? "";
  const frames = file.frames.filter(sure).toSorted((a, b) => a.depth - b.depth);
  return [
    ...file.named.filter(sure).map(({ line }) => ({ line, why: "named in the issue" })),
    ...frames.map(({ line }) => ({ line, why: "in the stack trace" })),
  ].flatMap(({ line, why }) => (line === null ? [] : [{ line, text: text(line).slice(0, TEXT_LIMIT), why }]));
}

function sure(match: { certainty: number }): boolean {
  return match.certainty >= 0.5;
}

function worthOf(matched: MatchedLine, evidence: Evidence): number {
  const words = matched.words.reduce(
    (sum, word) => sum + (evidence.words.weights.get(word) ?? 0) * evidence.rarity(word),
    0,
  );
  const strongest = Math.max(1, ...evidence.words.weights.values());
  return words + (matched.message === null ? 0 : strongest * 40) + (matched.defines === null ? 0 : strongest * 10);
}

function whyOf(matched: MatchedLine): string {
  if (matched.message !== null) return `contains the message "${matched.message}"`;
  if (matched.defines !== null) return `defines ${matched.defines}`;
  return `speaks of ${matched.words.slice(0, 4).join(", ")}`;
}

import type { FileRole } from "../classify.ts";
import type { TreeFile } from "../index/tree-file.ts";
import type { DirectEvidence, Evidence } from "./evidence.ts";

/** Why a file was found. */
export type Reason =
  /** `depth` counts the repository's own frames, from 0 where it failed. */
  | { kind: "frame"; symbol: string | null; line: number | null; depth: number }
  | { kind: "named"; as: string }
  | { kind: "module"; name: string }
  | { kind: "message"; text: string }
  | { kind: "defines"; symbol: string }
  | { kind: "path"; words: string[] }
  | { kind: "history" }
  | { kind: "imports"; path: string }
  | { kind: "imported"; by: string }
  | { kind: "words"; words: string[] };

/**
 * The weight of each kind of evidence, relative to a match of every word. Tuned by coordinate ascent on the development
 * split and on past commits of its repositories, holding out one repository at a time.
 */
const WEIGHT = {
  title: 0.52,
  text: 0.92,
  path: 0.5,
  name: 0.15,
  history: 0.1,
  length: 0.007,
  named: 0.6,
  frame: 0.8,
  message: 0.6,
  module: 0.6,
  defines: 0.26,
} as const;

const ROLE_WEIGHT: Partial<Record<FileRole, number>> = { config: 0.5 };
const MOST_DEFINITIONS = 2;
const WORDS_SHOWN = 4;
/** A smaller share of history is not worth showing. */
const SHOWN_HISTORY = 0.25;

/** The score of the file at a position; 0 without evidence. */
export function scoreOf(position: number, file: TreeFile, evidence: Evidence): number {
  const { match, history } = evidence;
  const title = match.title[position] ?? 0;
  const text = match.text[position] ?? 0;
  const path = match.path[position] ?? 0;
  const past = history[position] ?? 0;
  const direct = directScore(evidence.direct.get(position), evidence);
  if (title + text + path + past + direct === 0) return 0;
  const total =
    WEIGHT.title * title +
    WEIGHT.text * text +
    WEIGHT.path * path +
    WEIGHT.name * (match.name[position] ?? 0) +
    WEIGHT.history * past +
    // Of two files that match equally well, the longer one does more.
    WEIGHT.length * Math.log1p(file.length) +
    direct;
  return total * (ROLE_WEIGHT[file.role] ?? 1);
}

function directScore(file: DirectEvidence | undefined, evidence: Evidence): number {
  if (file === undefined) return 0;
  const named = file.named.reduce((most, { certainty }) => Math.max(most, certainty), 0);
  const frame = file.frames.reduce((most, { certainty, depth }) => Math.max(most, certainty / (1 + depth / 4)), 0);
  return (
    WEIGHT.named * named +
    WEIGHT.frame * frame +
    WEIGHT.message * sharedWeight(file.messages, evidence.filesWithMessage) +
    WEIGHT.module * sharedWeight(file.modules, evidence.filesOfModule) +
    WEIGHT.defines * Math.min(MOST_DEFINITIONS, sharedWeight(file.defines, evidence.filesDefining))
  );
}

/** Evidence that many files share counts less for each of them. */
function sharedWeight(names: ReadonlySet<string>, holders: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const name of names) sum += 1 / Math.max(1, holders.get(name) ?? 1);
  return sum;
}

/** Why the file at a position was found, the strongest first. */
export function reasonsFor(position: number, evidence: Evidence): Reason[] {
  const reasons: Reason[] = [];
  const direct = evidence.direct.get(position);
  for (const { as } of direct?.named ?? []) reasons.push({ kind: "named", as });
  const nearest = direct?.frames.toSorted((a, b) => a.depth - b.depth)[0];
  if (nearest) reasons.push({ kind: "frame", symbol: nearest.symbol, line: nearest.line, depth: nearest.depth });
  for (const text of direct?.messages ?? []) reasons.push({ kind: "message", text });
  for (const name of direct?.modules ?? []) reasons.push({ kind: "module", name });
  for (const symbol of direct?.defines ?? []) reasons.push({ kind: "defines", symbol });
  const onPath = strongest(evidence, evidence.match.paths, position);
  if (onPath.length > 0) reasons.push({ kind: "path", words: onPath });
  const inText = strongest(evidence, evidence.match.texts, position);
  if (inText.length > 0) reasons.push({ kind: "words", words: inText });
  if ((evidence.history[position] ?? 0) > SHOWN_HISTORY) reasons.push({ kind: "history" });
  return reasons;
}

function strongest(evidence: Evidence, hits: readonly { files: readonly number[] }[], position: number): string[] {
  return evidence.words.words
    .map(({ text, weight }, at) => ({ text, at, worth: weight * (evidence.match.rarity[at] ?? 0) }))
    .filter(({ at, worth }) => worth > 0 && includesSorted(hits[at]?.files ?? [], position))
    .toSorted((a, b) => b.worth - a.worth || (a.text < b.text ? -1 : 1))
    .slice(0, WORDS_SHOWN)
    .map(({ text }) => text);
}

/** Whether a sorted list has the position. */
function includesSorted(positions: readonly number[], position: number): boolean {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return positions[low] === position;
}

/** A reason in English, for logs and the command line. */
export function reasonText(reason: Reason): string {
  switch (reason.kind) {
    case "frame":
      return `in the stack trace${reason.line === null ? "" : ` at line ${reason.line}`}${reason.symbol ? ` (${reason.symbol})` : ""}`;
    case "named":
      return `named in the issue as ${reason.as}`;
    case "module":
      return `is the module ${reason.name}`;
    case "message":
      return `contains the message "${reason.text}"`;
    case "defines":
      return `defines ${reason.symbol}`;
    case "path":
      return `its path says ${reason.words.join(", ")}`;
    case "history":
      return "recent commits about the same changed it";
    case "imports":
      return `imports ${reason.path}`;
    case "imported":
      return `imported by ${reason.by}`;
    case "words":
      return `speaks of ${reason.words.join(", ")}`;
    default:
      return reason satisfies never;
  }
}

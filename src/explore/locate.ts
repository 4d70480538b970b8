import { classify } from "./classify.ts";
import type { FileRole } from "./classify.ts";
import { bestLines } from "./best-lines.ts";
import type { FoundLine } from "./best-lines.ts";
import { gatherEvidence } from "./evidence.ts";
import type { Evidence, FileEvidence } from "./evidence.ts";
import type { Repository } from "./repository.ts";
import { searchWords } from "./search-words.ts";
import type { SearchTerms } from "./search-words.ts";

export type { FoundLine } from "./best-lines.ts";
export type { SearchTerms } from "./search-words.ts";

/** Why a file was found. */
export type Reason =
  | { kind: "frame"; symbol: string | null; line: number | null }
  | { kind: "named"; as: string }
  | { kind: "module"; name: string }
  | { kind: "message"; text: string }
  | { kind: "defines"; symbol: string }
  | { kind: "path"; words: string[] }
  | { kind: "words"; words: string[] };

export interface Located {
  path: string;
  role: FileRole;
  language: string | null;
  /** Comparable only within one answer. */
  score: number;
  /** The strongest first. */
  reasons: Reason[];
  lines: FoundLine[];
}

export interface LocateLimits {
  /** Files of source and configuration; of tests, docs and everything else half as many. Default 20. */
  limit?: number;
}

/**
 * Ranks the files that an issue is about (R-EXP-2): source and configuration first, then tests, then docs and
 * examples, then what nobody edits. Two git processes; the same answer for the same commit and terms.
 */
export async function locate(
  repository: Repository,
  terms: SearchTerms,
  { limit = 20 }: LocateLimits = {},
): Promise<Located[]> {
  const words = searchWords(terms);
  const evidence = await gatherEvidence(repository, terms, words);
  const scored = [...evidence.files.values()].map((file) => score(file, evidence)).filter((found) => found.score > 0);
  scored.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  const located: Located[] = [];
  for (const [group, roles] of GROUPS.entries()) {
    const own = scored
      .filter((found) => roles.includes(found.role))
      .slice(0, group === 0 ? limit : Math.ceil(limit / 2));
    for (const found of own) located.push({ ...found, lines: bestLines(evidence, found.path) });
  }
  return located;
}

/** Ranked apart: a fix seldom begins in a test, and never in a lock file. */
const GROUPS: readonly (readonly FileRole[])[] = [
  ["source", "config"],
  ["test"],
  ["docs", "example"],
  ["generated", "vendored", "minified", "lock", "asset"],
];

const ROLE_WEIGHT: Partial<Record<FileRole, number>> = { config: 0.5 };

const K1 = 1.2;
const B = 0.75;
/** How many times over the words of a path count. */
const PATH_TIMES = 3;

function score(file: FileEvidence, evidence: Evidence): Omit<Located, "lines"> {
  const { role, language } = classify(file.path);
  const norm = 1 - B + B * Math.min(8, file.size / evidence.averageSize);
  let byWords = 0;
  const agreed: Agreement[] = [];
  const inPath: Agreement[] = [];
  for (const [word, weight] of evidence.words.weights) {
    const onPath = file.pathWords.has(word);
    const count = (file.counts.get(word) ?? 0) + (onPath ? PATH_TIMES : 0);
    if (count === 0) continue;
    const value = weight * evidence.rarity(word) * ((count * (K1 + 1)) / (count + K1 * norm));
    byWords += value;
    agreed.push({ word, value });
    if (onPath) inPath.push({ word, value });
  }
  const { direct, reasons } = directEvidence(file, evidence);
  if (inPath.length > 0) reasons.push({ kind: "path", words: strongestOf(inPath) });
  if (agreed.length > 0) reasons.push({ kind: "words", words: strongestOf(agreed) });
  const total = (byWords / evidence.words.scale + direct) * (ROLE_WEIGHT[role] ?? 1);
  return { path: file.path, role, language, score: Math.round(total * 1_000) / 1_000, reasons };
}

interface Agreement {
  word: string;
  value: number;
}

function strongestOf(list: Agreement[]): string[] {
  return list
    .toSorted((a, b) => b.value - a.value || (a.word < b.word ? -1 : 1))
    .slice(0, 4)
    .map(({ word }) => word);
}

/** What the issue says outright about the file, worth more than any agreement of words. */
function directEvidence(file: FileEvidence, evidence: Evidence): { direct: number; reasons: Reason[] } {
  const reasons: Reason[] = [];
  let direct = 0;
  for (const named of file.named) {
    direct += WORTH.named * named.certainty;
    reasons.push({ kind: "named", as: named.as });
  }
  const nearest = file.frames.toSorted((a, b) => a.depth - b.depth)[0];
  if (nearest) {
    direct += (WORTH.frame * nearest.certainty) / (1 + 0.25 * nearest.depth);
    reasons.push({ kind: "frame", symbol: nearest.symbol, line: nearest.line });
  }
  for (const text of file.messages) {
    direct += WORTH.message / (evidence.filesWithMessage.get(text) ?? 1);
    reasons.push({ kind: "message", text });
  }
  for (const name of file.modules) {
    direct += WORTH.module / (evidence.filesOfModule.get(name) ?? 1);
    reasons.push({ kind: "module", name });
  }
  let defined = 0;
  for (const symbol of file.defines) {
    defined += WORTH.defines / (evidence.filesDefining.get(symbol) ?? 1);
    reasons.push({ kind: "defines", symbol });
  }
  return { direct: direct + Math.min(defined, WORTH.defines * 2), reasons };
}

/** In units of the best agreement of words that any text could have. */
const WORTH = { named: 1, frame: 0.8, message: 0.6, module: 0.3, defines: 0.3 } as const;

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
    case "words":
      return `speaks of ${reason.words.join(", ")}`;
    default:
      return reason satisfies never;
  }
}

import type { FileRole } from "../classify.ts";
import type { CodeSymbol } from "../code-index.ts";
import type { Corpus } from "../index/corpus.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { symbolAt } from "../outline/outline.ts";
import { bestLines, type RelevantLine } from "./best-lines.ts";
import { gatherEvidence } from "./evidence.ts";
import { gainsFrom, type Scored } from "./neighbours.ts";
import { reasonsFor, scoreOf, type Reason } from "./score.ts";
import { searchWords, type SearchTerms } from "./query.ts";

export type { RelevantLine } from "./best-lines.ts";
export { reasonText } from "./score.ts";
export type { Reason } from "./score.ts";
export type { SearchTerms } from "./query.ts";

export interface Located {
  path: string;
  role: FileRole;
  language: string | null;
  /** Comparable only within one answer. */
  score: number;
  /** The strongest first. */
  reasons: Reason[];
  lines: RelevantLine[];
  /** The symbols around the lines, in the same order. */
  symbols: CodeSymbol[];
}

/** The reasons by which the issue itself points at a file, rather than sharing words with it. */
export const PINPOINTING: ReadonlySet<Reason["kind"]> = new Set(["frame", "message", "named", "defines"]);

export function isPinpointed({ reasons }: Pick<Located, "reasons">): boolean {
  return reasons.some(({ kind }) => PINPOINTING.has(kind));
}

export interface LocateLimits {
  /** Most files of source and configuration; half as many tests, docs, and others. Default 20. */
  limit?: number;
}

/**
 * Ranks the files that an issue is about (R-EXP-2): source and configuration, then tests, then docs and examples, then
 * generated and vendored files. Deterministic for a commit and terms.
 */
export async function locate(
  index: OpenIndex,
  terms: SearchTerms,
  { limit = 20 }: LocateLimits = {},
): Promise<Located[]> {
  const { corpus } = index;
  const words = searchWords(terms);
  const textAt = async (position: number) => (await index.content(position))?.toString("utf8") ?? null;
  const evidence = await gatherEvidence(corpus, terms, words, textAt);
  const scores = corpus.files.map((file, position) => scoreOf(position, file, evidence));
  const [code = []] = bestOf(corpus, scores, NEIGHBOUR_CANDIDATES);
  const gains = await gainsFrom(
    index,
    code.filter(({ position }) => corpus.files[position]?.role === "source"),
  );
  for (const [position, { worth }] of gains) scores[position] = (scores[position] ?? 0) + worth;
  const located: Located[] = [];
  for (const { position, score } of bestOf(corpus, scores, limit).flat()) {
    const file = corpus.files[position];
    if (!file) continue;
    const gain = gains.get(position);
    const content = await index.content(position);
    const lines = content === null ? [] : bestLines(evidence, evidence.direct.get(position), content);
    located.push({
      path: file.path,
      role: file.role,
      language: file.language,
      score: Math.round(score * 1_000) / 1_000,
      reasons: gain ? [...reasonsFor(position, evidence), gain.reason] : reasonsFor(position, evidence),
      lines,
      symbols: lines.length === 0 ? [] : symbolsAround(lines, await index.outline(file.path)),
    });
  }
  return located;
}

function symbolsAround(lines: readonly RelevantLine[], outline: readonly CodeSymbol[]): CodeSymbol[] {
  const symbols = lines.map(({ line }) => symbolAt(outline, line)).filter((symbol) => symbol !== null);
  return [...new Set(symbols)];
}

/** Groups that are ranked separately, since a fix seldom starts in a test, and never in a lock file. */
const GROUPS: readonly (readonly FileRole[])[] = [
  ["source", "config"],
  ["test"],
  ["docs", "example"],
  ["generated", "vendored", "minified", "lock", "asset"],
];

/** Files that take part in the exchange with their import neighbours. */
const NEIGHBOUR_CANDIDATES = 40;

/** The best files of each group. */
function bestOf(corpus: Corpus, scores: readonly number[], limit: number): Scored[][] {
  const groups = GROUPS.map((_, group) => new TopList(group === 0 ? limit : Math.ceil(limit / 2)));
  for (const [position, score] of scores.entries()) {
    const role = corpus.files[position]?.role;
    if (score > 0 && role) groups[GROUPS.findIndex((roles) => roles.includes(role))]?.add({ position, score });
  }
  return groups.map((group) => group.list);
}

/** Keeps the best entries; on a tie the earlier one wins, which has the smaller path. */
class TopList {
  readonly list: Scored[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(one: Scored): void {
    const last = this.list.at(-1);
    if (last && this.list.length >= this.#most && one.score <= last.score) return;
    let place = this.list.length;
    while (place > 0 && (this.list[place - 1]?.score ?? 0) < one.score) place -= 1;
    this.list.splice(place, 0, one);
    if (this.list.length > this.#most) this.list.pop();
  }
}

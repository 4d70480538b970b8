import { BEGINNING, type FileRole, saysGenerated } from "../classify.ts";
import type { CodeSymbol } from "../code-index.ts";
import type { Corpus } from "../index/corpus.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { bestPlaces, type RelevantLine, symbolsAround } from "./best-places.ts";
import { demoted } from "./demote.ts";
import { type Evidence, gatherEvidence } from "./evidence.ts";
import { gainsFrom, type Scored } from "./neighbours.ts";
import { reasonsFor, type Reason } from "./reasons.ts";
import { scoreOf } from "./score.ts";
import { lowerForComments } from "./told-in-comments.ts";
import { searchWords, type SearchTerms } from "./query.ts";

export type { RelevantLine } from "./best-places.ts";
export { reasonText } from "./reasons.ts";
export type { Reason } from "./reasons.ts";
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

/** A file with its place in the order. */
export type Ranked = Pick<Located, "path" | "role" | "language" | "score">;

/** The reasons by which the issue itself points at a file, rather than sharing words with it. */
export const PINPOINTING: ReadonlySet<Reason["kind"]> = new Set([
  "frame",
  "message",
  "named",
  "handles",
  "uses",
  "defines",
]);

export function isPinpointed({ reasons }: Pick<Located, "reasons">): boolean {
  return reasons.some(({ kind }) => PINPOINTING.has(kind) || kind === "beside");
}

export interface LocateLimits {
  /** Most files of source and configuration; half as many tests, docs, and others. Default 20. */
  limit?: number;
  /** Further files to look at, however they rank; they come last, in this order. */
  also?: readonly string[];
  /**
   * Picks the files that will be shown, by default all; only these get reasons, lines and symbols. The first `found` of
   * them are the search's own.
   */
  shown?: (ranked: Ranked[], found: number) => Ranked[];
}

/**
 * Ranks the files that an issue is about (R-EXP-2): source and configuration, then tests, then docs and examples, then
 * generated and vendored files. Deterministic for a commit and terms.
 */
export async function locate(
  index: OpenIndex,
  terms: SearchTerms,
  { limit = 20, also = [], shown = (all) => all }: LocateLimits = {},
): Promise<Located[]> {
  const { corpus } = index;
  const words = searchWords(terms);
  const textAt = async (position: number) => (await index.content(position))?.toString("utf8") ?? null;
  const evidence = await gatherEvidence(index, terms, words, textAt);
  const scores = new Float64Array(corpus.files.length);
  corpus.files.forEach((file, position) => (scores[position] = scoreOf(position, file, evidence)));
  const roleByPath = (at: number) => corpus.files[at]?.role;
  const [leading = []] = bestOf(corpus, scores, NEIGHBOUR_CANDIDATES, roleByPath);
  for (const [position, score] of demoted(corpus, leading, (at) => scores[at] ?? 0)) scores[position] = score;
  const [likely = []] = bestOf(corpus, scores, NEIGHBOUR_CANDIDATES, roleByPath);
  for (const [position, score] of await lowerForComments(index, evidence, likely)) scores[position] = score;
  const [code = []] = bestOf(corpus, scores, NEIGHBOUR_CANDIDATES, roleByPath);
  const gains = await gainsFrom(
    index,
    code.filter(({ position }) => roleByPath(position) === "source"),
  );
  for (const [position, { worth }] of gains) scores[position] = (scores[position] ?? 0) + worth;
  const generated = await generatedAmong(index, code);
  const roleAt = (at: number) => (generated.has(at) ? "generated" : roleByPath(at));
  const best = bestOf(corpus, scores, limit, roleAt).flat();
  const found = new Set(best.map(({ position }) => position));
  const added = also.flatMap((path) => corpus.position(path) ?? []).filter((position) => !found.has(position));
  const ranked = [...best, ...added.map((at) => ({ position: at, score: scores[at] ?? 0 }))].flatMap(
    ({ position, score }): Ranked[] => {
      const file = corpus.files[position];
      if (!file) return [];
      const { path, language } = file;
      const role = roleAt(position) ?? file.role;
      return [{ path, role, language, score: Math.round(score * 1_000) / 1_000 }];
    },
  );
  const withReasons = (file: Ranked) => {
    const position = corpus.position(file.path) ?? 0;
    const gain = gains.get(position);
    return { ...file, reasons: [...reasonsFor(position, evidence), ...(gain ? [gain.reason] : [])] };
  };
  const chosen = await Promise.all(
    shown(ranked, best.length).map(async (file) => await withPlaces(withReasons(file), index, evidence)),
  );
  // A file that shares nothing but the project's own names has nothing to show.
  return chosen.filter(({ path, reasons }) => reasons.length > 0 || also.includes(path));
}

/**
 * Adds lines and symbols, and replaces the words that match the file by those that match its best function. The index
 * knows definitions in lower case: a reason names only those that the text has letter by letter.
 */
async function withPlaces(
  file: Omit<Located, "lines" | "symbols">,
  index: OpenIndex,
  evidence: Evidence,
): Promise<Located> {
  const position = index.corpus.position(file.path);
  const content = position === undefined ? null : await index.content(position);
  if (position === undefined || content === null) return { ...file, lines: [], symbols: [] };
  const direct = evidence.direct.get(position);
  const { lines, speaks, defines } = bestPlaces(evidence, direct, content, await index.outline(file.path));
  const isMeant = (symbol: string) =>
    defines.has(symbol) && !evidence.words.members.get(symbol)?.some((member) => defines.has(member));
  const exact = file.reasons.filter((reason) => reason.kind !== "defines" || isMeant(reason.symbol));
  const reasons = (exact.length > 0 ? exact : speaks === null ? file.reasons : [speaks]).map((reason) =>
    reason.kind === "words" ? (speaks ?? reason) : reason,
  );
  return { ...file, reasons, lines, symbols: symbolsAround(lines) };
}

/** Groups that are ranked separately, since a fix seldom starts in a test, and never in a lock file. */
const GROUP_OF: Record<FileRole, number> = {
  source: 0,
  config: 0,
  test: 1,
  docs: 2,
  example: 2,
  generated: 3,
  vendored: 3,
  minified: 3,
  lock: 3,
  asset: 3,
};
const GROUPS = 4;

/** Files that take part in the exchange with their import neighbours. */
const NEIGHBOUR_CANDIDATES = 40;

/** Source files whose first lines say that they are generated. */
async function generatedAmong(index: OpenIndex, best: readonly Scored[]): Promise<Set<number>> {
  const generated = new Set<number>();
  for (const { position } of best) {
    if (index.files[position]?.role !== "source") continue;
    const content = await index.content(position);
    if (content !== null && saysGenerated(content.toString("utf8", 0, BEGINNING))) generated.add(position);
  }
  return generated;
}

/** The best files of each group. */
function bestOf(
  corpus: Corpus,
  scores: Float64Array,
  limit: number,
  roleAt: (position: number) => FileRole | undefined,
): Scored[][] {
  const groups = Array.from({ length: GROUPS }, (_, group) => new TopList(group === 0 ? limit : Math.ceil(limit / 2)));
  for (let position = 0; position < scores.length; position += 1) {
    const score = scores[position] ?? 0;
    const role = score > 0 ? roleAt(position) : undefined;
    if (role !== undefined) groups[GROUP_OF[role]]?.add(position, score);
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

  add(position: number, score: number): void {
    const last = this.list[this.list.length - 1];
    if (last && this.list.length >= this.#most && score <= last.score) return;
    let place = this.list.length;
    while (place > 0 && (this.list[place - 1]?.score ?? 0) < score) place -= 1;
    this.list.splice(place, 0, { position, score });
    if (this.list.length > this.#most) this.list.pop();
  }
}

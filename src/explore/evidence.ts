import { baseName, PathIndex } from "./path-match.ts";
import type { Repository } from "./repository.ts";
import type { SearchTerms, SearchWords } from "./search-words.ts";
import { definitionOn } from "./symbols.ts";
import { eachWord } from "./words.ts";

export interface MatchedLine {
  line: number;
  text: string;
  words: string[];
  defines: string | null;
  message: string | null;
}

/** All that speaks for one file. */
export interface FileEvidence {
  path: string;
  size: number;
  counts: Map<string, number>;
  pathWords: Set<string>;
  matched: MatchedLine[];
  frames: { depth: number; certainty: number; line: number | null; symbol: string | null }[];
  named: { as: string; certainty: number; line: number | null; endLine: number | null }[];
  modules: Set<string>;
  messages: Set<string>;
  defines: Set<string>;
}

export interface Evidence {
  words: SearchWords;
  files: Map<string, FileEvidence>;
  averageSize: number;
  /** Higher for words in fewer files. */
  rarity(word: string): number;
  filesDefining: Map<string, number>;
  filesWithMessage: Map<string, number>;
  filesOfModule: Map<string, number>;
}

const MAX_FILE_BYTES = 1_000_000;
const LINES_KEPT_PER_FILE = 400;
const LINES_READ = 250_000;
/** Longer lines are data or minified code. */
const LONGEST_LINE = 900;
const FRAMES_READ = 60;

/** Looks everything up: the tree for paths, one search for words, messages and definitions. */
export async function gatherEvidence(
  repository: Repository,
  terms: SearchTerms,
  words: SearchWords,
): Promise<Evidence> {
  const entries = (await repository.files()).filter((entry) => entry.kind === "file");
  const files = new Map<string, FileEvidence>();
  let bytes = 0;
  let readable = 0;
  for (const entry of entries) {
    const size = entry.size ?? 4_000;
    if (size > MAX_FILE_BYTES) continue;
    bytes += size;
    readable += 1;
    files.set(entry.path, emptyEvidence(entry.path, size));
  }
  const evidence: Evidence = {
    words,
    files,
    averageSize: Math.max(1, bytes / Math.max(1, readable)),
    rarity: () => 0,
    filesDefining: new Map(),
    filesWithMessage: new Map(),
    filesOfModule: new Map(),
  };
  followPaths(new PathIndex(entries), terms, evidence);
  await searchText(repository, evidence);
  evidence.rarity = rarityOf(evidence);
  return evidence;
}

function emptyEvidence(path: string, size: number): FileEvidence {
  const pathWords = new Set<string>();
  eachWord(path, (word) => pathWords.add(word));
  pathWords.add(baseName(path).replace(/\..*$/, "").toLowerCase());
  return {
    path,
    size,
    pathWords,
    counts: new Map(),
    matched: [],
    frames: [],
    named: [],
    modules: new Set(),
    messages: new Set(),
    defines: new Set(),
  };
}

function followPaths(index: PathIndex, terms: SearchTerms, evidence: Evidence): void {
  let depth = 0;
  for (const { path, line, symbol } of terms.frames.slice(0, FRAMES_READ)) {
    const matches = index.match(path);
    for (const match of matches) {
      evidence.files.get(match.path)?.frames.push({ depth, certainty: match.certainty, line, symbol });
    }
    // Frames of other packages do not push the repository's own ones down.
    if (matches.length > 0) depth += 1;
  }
  for (const { path, line, endLine } of terms.places) {
    for (const match of index.match(path)) {
      const file = evidence.files.get(match.path);
      if (file?.named.some((named) => named.as === path)) continue;
      file?.named.push({ as: path, certainty: match.certainty, line, endLine });
    }
  }
  for (const symbol of terms.symbols) {
    if (!/[.:/]/.test(symbol)) continue;
    const found = index.module(symbol);
    evidence.filesOfModule.set(symbol, found.length);
    for (const path of found) evidence.files.get(path)?.modules.add(symbol);
  }
}

async function searchText(repository: Repository, evidence: Evidence): Promise<void> {
  const { words } = evidence;
  const texts = [...words.weights.keys(), ...words.messages];
  const options = { ignoreCase: true, maxPerFile: LINES_KEPT_PER_FILE, maxLines: LINES_READ };
  const { matches } = await repository.grep(texts, options);
  const messages = words.messages.map((text) => ({ text, lower: text.toLowerCase() }));
  for (const match of matches) {
    const file = evidence.files.get(match.path);
    if (!file || match.text.length > LONGEST_LINE) continue;
    const found = new Set<string>();
    eachWord(match.text, (word) => {
      if (!words.weights.has(word)) return;
      file.counts.set(word, (file.counts.get(word) ?? 0) + 1);
      found.add(word);
    });
    const lower = messages.length > 0 ? match.text.toLowerCase() : "";
    const message = messages.find((each) => lower.includes(each.lower))?.text ?? null;
    if (message !== null) addOnce(file.messages, message, evidence.filesWithMessage);
    const definition = found.size > 0 ? (definitionOn(match.text)?.name ?? null) : null;
    const defines = definition !== null && words.symbols.has(definition) ? definition : null;
    if (defines !== null) addOnce(file.defines, defines, evidence.filesDefining);
    if (found.size > 0 || message !== null) {
      file.matched.push({ line: match.line, text: match.text, words: [...found], defines, message });
    }
  }
}

function addOnce(set: Set<string>, value: string, counts: Map<string, number>): void {
  if (set.has(value)) return;
  set.add(value);
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

function rarityOf(evidence: Evidence): (word: string) => number {
  const inFiles = new Map<string, number>();
  for (const file of evidence.files.values()) {
    for (const word of evidence.words.weights.keys()) {
      if (file.counts.has(word) || file.pathWords.has(word)) inFiles.set(word, (inFiles.get(word) ?? 0) + 1);
    }
  }
  const all = evidence.files.size;
  return (word) => {
    const n = inFiles.get(word) ?? 0;
    return Math.log(1 + (all - n + 0.5) / (n + 0.5));
  };
}

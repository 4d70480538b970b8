import { createHash } from "node:crypto";
import { fenceCode } from "../../adapters/models/fence.ts";
import { countTokens } from "../../adapters/models/tokens.ts";
import { keptCode, seenText } from "../../domain/text/clean-text.ts";
import type { OpenIndex } from "../index/explorer.ts";
import type { SearchTerms } from "../search/query.ts";
import type { Located } from "../search/rank-files.ts";
import { shownPath, shownText, withoutStrayKey } from "../tools/sanitize.ts";
import { type Candidate, FOUND } from "./pool.ts";

/** Tokens for each part of an issue; its beginning says what it is about. */
const ISSUE = { title: 80, prose: 420, code: 200 };
/** The share of the tokens for files that the first files of the search may use before others get any. */
const FOUND_SHARE = 0.7;
/** How many found files get the most detail. */
const LEADING = 8;
const PART_CHARACTERS = 110;
const BOUNDARY_LENGTH = 24;

/** How much of a file is shown. */
interface Detail {
  definitions: number;
  lines: number;
}
const FULL: Detail = { definitions: 4, lines: 2 };
const SOME: Detail = { definitions: 3, lines: 1 };
const LITTLE: Detail = { definitions: 2, lines: 0 };
const NAMED: Detail = { definitions: 0, lines: 0 };
/** For the leading files and the other found ones; tried in turn until they fit. */
const DETAILS: readonly (readonly [Detail, Detail])[] = [
  [FULL, SOME],
  [SOME, SOME],
  [SOME, LITTLE],
  [LITTLE, LITTLE],
  [NAMED, NAMED],
];

/** The text for a model, and the files in it by their numbers. */
export interface Question {
  text: string;
  /** File number n is at index n - 1. */
  files: readonly Candidate[];
}

/**
 * The question for a pool, in about this many tokens: the shortened issue, and as many of the files as fit. Files are
 * sorted by a hash of their paths, so that their order does not reveal their rank in the search: the model's order is
 * then independent of it. The same issue and code always give the same text, including the boundary, so that answers
 * can be cached by its hash.
 */
export async function questionFor(
  index: OpenIndex,
  terms: SearchTerms,
  pool: readonly Candidate[],
  tokens: number,
): Promise<Question> {
  const issue = await issueText(terms);
  const room = tokens - (await sizeOf(issue));
  const entries = await fitting(index, pool, room);
  const key = (path: string) => hashOf(`${terms.title}\n${path}`);
  const files = entries.toSorted((a, b) => (key(a.candidate.file.path) < key(b.candidate.file.path) ? -1 : 1));
  const list = files.map(({ text }, at) => `${at + 1}. ${text}`).join("\n");
  // A text cannot contain its own hash; a fence would withstand one that did.
  const boundary = hashOf(`${issue}\n${list}`).slice(0, BOUNDARY_LENGTH);
  return {
    text: [
      "# The issue",
      fenceCode("issue", issue, boundary),
      "# The files",
      fenceCode("files", list, boundary),
      `Order the files for the issue. The boundary of both fences is ${boundary}.`,
    ].join("\n\n"),
    files: files.map(({ candidate }) => candidate),
  };
}

/** Title, prose and code of an issue, as people see them, without credentials, each cut to its tokens. */
async function issueText({ title, prose, code }: SearchTerms): Promise<string> {
  const parts = [
    `Title: ${await cutToTokens(keptCode(title.slice(0, 4_000)), ISSUE.title)}`,
    await cutToTokens(seenText(prose, 20_000), ISSUE.prose),
    await cutToTokens(keptCode(code.slice(0, 20_000)), ISSUE.code),
  ];
  return parts
    .map((part) => part.replaceAll(/\n{2,}/g, "\n").trim())
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The beginning of a text, cut to `most` tokens. */
async function cutToTokens(text: string, most: number): Promise<string> {
  // A token of prose seldom has more than five characters.
  let cut = text.slice(0, most * 6);
  for (let size = await sizeOf(cut); size > most; size = await sizeOf(cut)) {
    cut = cut.slice(0, Math.min(cut.length - 1, Math.floor((cut.length * most) / size)));
  }
  return cut.length < text.length ? `${cut.toWellFormed().trimEnd()} …` : cut;
}

interface Entry {
  candidate: Candidate;
  text: string;
}

/**
 * The first files of the search in as much detail as fits, then the others in little detail, until the tokens are used
 * up.
 */
async function fitting(index: OpenIndex, pool: readonly Candidate[], room: number): Promise<Entry[]> {
  const found = pool.filter(isFirst);
  const others = pool.filter((one) => !isFirst(one));
  const entryOf = async (candidate: Candidate, detail: Detail) => ({
    candidate,
    text: await entryText(candidate.file, detail, index),
  });
  const share = others.length === 0 ? room : Math.floor(room * FOUND_SHARE);
  let shown: Entry[] = [];
  let used = 0;
  for (const [leading, further] of DETAILS) {
    shown = [];
    for (const [at, one] of found.entries()) shown.push(await entryOf(one, at < LEADING ? leading : further));
    used = await sizeOfAll(shown);
    if (used <= share) break;
  }
  while (used > room && shown.length > 0) used -= await sizeOfAll(shown.splice(-1));
  for (const other of others) {
    const entry = await entryOf(other, LITTLE);
    const size = await sizeOfAll([entry]);
    if (used + size > room) continue;
    shown.push(entry);
    used += size;
  }
  return shown;
}

function isFirst({ offlineRank }: Candidate): boolean {
  return offlineRank !== null && offlineRank <= FOUND;
}

async function entryText(file: Located, { definitions, lines }: Detail, index: OpenIndex): Promise<string> {
  const own = await definitionsOf(file, definitions, index);
  const told = new Set(own.map(({ line }) => line));
  const best = file.lines.filter(({ line, text }) => text !== "" && !told.has(line)).slice(0, lines);
  const parts = [...own, ...best].map(({ line, text }) => `  ${line}: ${shownPart(text)}`);
  return [shownPath(file.path), ...parts].join("\n");
}

/**
 * The first lines of the definitions around the best lines; if the file has no such lines, of its first definitions.
 */
async function definitionsOf(file: Located, most: number, index: OpenIndex): Promise<{ line: number; text: string }[]> {
  if (most === 0) return [];
  const symbols = file.symbols.length > 0 ? file.symbols : await index.outline(file.path);
  const position = index.corpus.position(file.path);
  const content = position === undefined ? null : await index.content(position);
  const text = content?.toString("utf8").split("\n") ?? [];
  return symbols.slice(0, most).map(({ name, kind, start }) => {
    const line = text[start - 1]?.trim() ?? "";
    // A line above the name, such as a decorator, says less than the name.
    return { line: start, text: line.includes(name) ? line : `${kind} ${name}` };
  });
}

function shownPart(text: string): string {
  return withoutStrayKey(shownText(text.trim(), PART_CHARACTERS));
}

async function sizeOfAll(entries: readonly Entry[]): Promise<number> {
  let size = 0;
  // Plus the number of the entry.
  for (const { text } of entries) size += (await sizeOf(text)) + 4;
  return size;
}

/** The tokens of a text in the JSON that is sent. */
async function sizeOf(text: string): Promise<number> {
  return await countTokens(JSON.stringify(text));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

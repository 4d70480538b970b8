import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { styleText } from "node:util";
import type { Repository } from "../code/git/repository.ts";
import type { IndexedFile, Skipped } from "../code/code-index.ts";
import type { FileRole } from "../code/classify.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import { type Located, type SearchTerms, locate, reasonText } from "../code/search/rank-files.ts";
import { cut, visible } from "../lib/text.ts";

interface Answer {
  /** Absolute. */
  repo: string;
  repository: Pick<Repository, "commit" | "branch">;
  ms: number;
  files: readonly FoundFile[];
  skipped: readonly SkippedFiles[];
  asked: string;
}

const HEADINGS: Record<Group, string> = {
  code: "Code",
  tests: "Tests",
  docs: "Docs and examples",
  other: "Generated, vendored and other files that nobody edits",
};
const SYMBOLS_SHOWN = 4;
const REASONS_SHOWN = 3;
const ASKED_SHOWN = 80;

type Format = Parameters<typeof styleText>[0];

/** Renders a result as text: files by group, each with its reasons and locations. */
export function renderFound(answer: Answer, color: boolean): string {
  const { repo, repository, files, ms } = answer;
  const style = (format: Format, text: string) => (color ? styleText(format, text, { validateStream: false }) : text);
  const branch = repository.branch === undefined ? "" : ` (${visible(repository.branch)})`;
  const where = `${visible(repo)} at ${repository.commit.slice(0, 10)}${branch}`;
  const unread = notSearched(answer.skipped);
  if (files.length === 0) {
    return `Nothing found for “${visible(cut(answer.asked, ASKED_SHOWN))}” in ${where}.\n${WHAT_TO_TRY}\n${unread}`;
  }
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const lines = [style("dim", `${count} in ${where}, ${ms} ms`)];
  for (const group of ["code", "tests", "docs", "other"] as const) {
    const own = files.filter((file) => groupOf(file.role) === group);
    if (own.length === 0) continue;
    lines.push("", style("bold", HEADINGS[group]));
    for (const [at, file] of own.entries()) {
      const path = pathFromHere(repo, file.path);
      const first = file.lines[0]?.line ?? file.symbols[0]?.start;
      const place = style("cyan", first === undefined ? path : `${path}:${first}`);
      lines.push(`${String(at + 1).padStart(3)}  ${place}  ${style("dim", file.score.toFixed(2))}`);
      lines.push(`     ${visible(file.reasons.slice(0, REASONS_SHOWN).join("; "))}`);
      for (const { name, kind, start, end } of file.symbols.slice(0, SYMBOLS_SHOWN)) {
        lines.push(style("dim", `     ${path}:${start}  ${kind} ${visible(name)}, lines ${start}-${end}`));
      }
    }
  }
  return `${lines.join("\n")}\n${unread === "" ? "" : `\n${style("dim", unread.trimEnd())}\n`}`;
}

/** Skipped files worth mentioning; pictures and links are not. */
const MISSED: Partial<Record<Skipped, string>> = {
  missing: "not in this clone (fetch it whole)",
  pointer: "only a pointer to Git LFS",
  submodule: "a submodule (look into it with --repo)",
  "too large": "too large",
};

function notSearched(skipped: readonly SkippedFiles[]): string {
  const told = skipped.flatMap(({ reason, files, examples }) => {
    const why = MISSED[reason];
    if (why === undefined) return [];
    const others = files > 1 ? ` and ${files - 1} more` : "";
    return [`${visible(examples[0] ?? "")}${others}: ${why}`];
  });
  return told.length === 0 ? "" : `Not searched: ${told.join("; ")}\n`;
}

const WHAT_TO_TRY =
  "Try names as the code spells them, a file name, an error message or a stack trace; or another branch with --ref.";

/** The path relative to the current folder, when the file is checked out. */
function pathFromHere(repo: string, path: string): string {
  const absolute = join(repo, path);
  const here = relative(process.cwd(), absolute);
  if (here === path || !existsSync(absolute)) return visible(path);
  return visible(here.length < absolute.length ? here : absolute);
}

/** One file of an answer, as `relay explore --json` prints it. */
export interface FoundFile {
  path: string;
  /** Comparable only within one answer. */
  score: number;
  /** In English, the strongest first. */
  reasons: string[];
  symbols: { name: string; kind: string; start: number; end: number }[];
  lines: { line: number; text: string; why: string }[];
  role: FileRole;
  language: string | null;
}

/** Files of one kind whose text was not searched. */
export interface SkippedFiles {
  reason: Skipped;
  files: number;
  /** Paths of a few. */
  examples: string[];
}

/** The result of a search. */
export interface CodeSearch {
  /** At most `limit`: code first, then others. */
  files: FoundFile[];
  /** A few tests and docs beyond the limit. */
  apart: FoundFile[];
  /** Files that were not searched. */
  skipped: SkippedFiles[];
}

/** Files that the terms are about. */
export async function searchCode(index: OpenIndex, terms: SearchTerms, limit: number): Promise<CodeSearch> {
  const { chosen, apart } = shareOut(await locate(index, terms, { limit }), limit);
  return { files: chosen.map(found), apart: apart.map(found), skipped: skippedOf(index.files) };
}

function found(file: Located): FoundFile {
  const { path, score, role, language, lines } = file;
  const symbols = file.symbols.map(({ name, kind, start, end }) => ({ name, kind, start, end }));
  return { path, score, reasons: file.reasons.map(reasonText), symbols, lines, role, language };
}

const EXAMPLES = 3;

function skippedOf(files: readonly IndexedFile[]): SkippedFiles[] {
  const byReason = new Map<Skipped, SkippedFiles>();
  for (const { path, skipped } of files) {
    if (skipped === null) continue;
    const all = byReason.get(skipped) ?? { reason: skipped, files: 0, examples: [] };
    all.files += 1;
    if (all.examples.length < EXAMPLES) all.examples.push(path);
    byReason.set(skipped, all);
  }
  return [...byReason.values()].toSorted((a, b) => b.files - a.files || (a.reason < b.reason ? -1 : 1));
}

export type Group = "code" | "tests" | "docs" | "other";

/** The group of a file in the output. */
export function groupOf(role: FileRole): Group {
  switch (role) {
    case "source":
    case "config":
      return "code";
    case "test":
      return "tests";
    case "docs":
    case "example":
      return "docs";
    case "generated":
    case "vendored":
    case "minified":
    case "lock":
    case "asset":
      return "other";
    default:
      return role satisfies never;
  }
}

const TESTS_APART = 3;
const DOCS_APART = 2;

/**
 * Cuts an answer to `limit` files: all code first, then tests and docs in the places left. The best tests and docs
 * without a place are returned separately.
 */
export function shareOut<T extends { role: FileRole }>(
  located: readonly T[],
  limit: number,
): { chosen: T[]; apart: T[] } {
  const of = (group: Group) => located.filter((file) => groupOf(file.role) === group);
  const chosen = [...of("code"), ...of("tests"), ...of("docs"), ...of("other")].slice(0, limit);
  const left = (group: Group, most: number) =>
    of(group)
      .slice(0, most)
      .filter((file) => !chosen.includes(file));
  return { chosen, apart: [...left("tests", TESTS_APART), ...left("docs", DOCS_APART)] };
}

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { styleText } from "node:util";
import type { Repository } from "../code/git/repository.ts";
import type { Skipped } from "../code/code-index.ts";
import {
  type FoundFile,
  type Group,
  type SkippedFiles,
  aroundOf,
  groupOf,
  placesShown,
} from "../code/search/search-code.ts";
import { cut, visible } from "../lib/text.ts";

interface Answer {
  /** Absolute. */
  repo: string;
  repository: Pick<Repository, "commit" | "branch">;
  ms: number;
  files: readonly FoundFile[];
  skipped: readonly SkippedFiles[];
  /** The model that was asked for the order, and its cost; null for the search alone. */
  by: string | null;
  asked: string;
}

const HEADINGS: Record<Group, string> = {
  code: "Code",
  tests: "Tests",
  docs: "Docs and examples",
  other: "Generated, vendored and other files that nobody edits",
};
const REASONS_SHOWN = 3;
const ASKED_SHOWN = 80;
const TEXT_SHOWN = 100;

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
  const lines = [style("dim", `${count} in ${where}, ${ms} ms${answer.by === null ? "" : `; ${answer.by}`}`)];
  for (const group of ["code", "tests", "docs", "other"] as const) {
    const own = files.filter((file) => groupOf(file.role) === group);
    if (own.length === 0) continue;
    lines.push("", style("bold", HEADINGS[group]));
    for (const [at, file] of own.entries()) {
      const path = pathFromHere(repo, file.path);
      const first = file.lines[0]?.line;
      const place = style("cyan", first === undefined ? path : `${path}:${first}`);
      lines.push(`${String(at + 1).padStart(3)}  ${place}  ${style("dim", file.score.toFixed(2))}`);
      lines.push(`     ${visible(file.reasons.slice(0, REASONS_SHOWN).join("; "))}`);
      for (const { line, text, symbol, part } of placesShown(file)) {
        const around = aroundOf({ symbol, part }, visible);
        lines.push(style("dim", `     ${path}:${line}${around === null ? "" : `  ${around}`}`));
        if (text !== "") lines.push(`         ${visible(cut(text, TEXT_SHOWN))}`);
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

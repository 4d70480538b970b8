import { withoutClosing, withoutClosingNumbers, withoutSkips } from "../../domain/text/closing-keywords.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import type { Classification } from "../../domain/plan.ts";
import type { ChangedFile } from "../../domain/work.ts";

const TYPE: Record<Classification, string> = {
  BUG: "fix",
  FEATURE: "feat",
  DOCS: "docs",
  CHORE: "chore",
  OTHER: "fix",
};
const LONGEST = 100;

/** What people put before a title: `[Bug]`, `Feature request:`, `fix(ui):`, `WIP:`. */
const PREFIX =
  /^(?:\[[^\]]{1,30}\]|\((?:draft|wip)\)|(?:bug(?: report)?|feature(?: request)?|docs?|chore|task|issue|fix|feat|refactor|perf|draft|wip)(?:\([^)]{1,30}\))?!?:)\s{0,20}/i;

/**
 * One line in the way of Conventional Commits: the kind in English, then the issue's own title, as people know it; of
 * an issue without one, the files. Closes nothing, mentions nobody, and makes no draft by its words.
 */
export function requestTitle(
  classification: Classification,
  issue: { title: string; language: string },
  changes: readonly ChangedFile[],
): string {
  // Twice: `[Bug] ui: …`.
  const bare = oneLine(issue.title)
    .replace(PREFIX, "")
    .replace(PREFIX, "")
    .replace(/[.。\s]+$/, "");
  const named = issue.language === "en" ? withSmallStart(bare) : bare;
  const quiet = withoutClosing(bare === "" ? oneLine(filesOf(changes)) : named).replaceAll(
    /(?<![\p{L}\p{N}`])@([\w-]+(?:\/[\w.-]+)*)/gu,
    "`@$1`",
  );
  // The kind itself is such a word.
  return cut(withoutSkips(withoutClosingNumbers(`${TYPE[classification]}: ${quiet}`)));
}

function oneLine(text: string): string {
  return keptText(text.slice(0, 1_000).replace(/[\ud800-\udbff]$/, ""))
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

function filesOf(changes: readonly ChangedFile[]): string {
  const [first] = changes;
  if (!first) return "change nothing";
  return changes.length === 1 ? `change ${first.path}` : `change ${first.path} and ${changes.length - 1} more`;
}

/** Abbreviations keep their capitals, as do the nouns of other languages. */
function withSmallStart(text: string): string {
  return /^\p{Lu}\p{Ll}*(?=\s)/u.test(text) && !/^I\s/.test(text)
    ? text.slice(0, 1).toLowerCase() + text.slice(1)
    : text;
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  const start = text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, "");
  const word = start.lastIndexOf(" ");
  return `${(word > LONGEST / 2 ? start.slice(0, word) : start).trimEnd()}…`;
}

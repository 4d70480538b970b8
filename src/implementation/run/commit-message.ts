import { cutAtWord } from "../../lib/text.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import type { ChangedFile, RevertedChange } from "../../domain/work.ts";
import type { WorkOrder } from "./work-order.ts";

const LONGEST_SUBJECT = 72;
const MOST_LISTED = 20;

const TYPES: Readonly<Record<string, string>> = { fix: "fix", feature: "feat", docs: "docs", chore: "chore" };

/**
 * The message of an iteration's commit: a Conventional Commit that references the issue (R-WORK-6). Text by others is
 * sanitized, so that trackers see no mentions and no references to other issues.
 */
export function commitMessage(
  order: WorkOrder,
  iteration: { number: number; changed: readonly ChangedFile[]; reverted: readonly RevertedChange[]; merges?: boolean },
): string {
  const { changed, reverted } = iteration;
  const lines = changed.map(
    (file) => `- ${file.change} ${plain(file.path)} (+${file.addedLines} -${file.removedLines})`,
  );
  const refused = reverted.map(({ path, why }) => `- ${plain(path)}: ${why}`);
  const body = [
    `${OCCASION[order.reason]}, iteration ${iteration.number}.`,
    listed("Changed:", lines),
    listed("Not taken in:", refused),
  ];
  const merged = iteration.merges === true && order.merge !== null ? order.merge.base : null;
  const subject = merged === null ? subjectOf(order) : mergeSubject(merged, order.issue.number);
  return `${subject}\n\n${body.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The subject of a merge commit in git's own form, which linters of messages accept. */
export function mergeSubject(base: string, issueNumber: number): string {
  return `Merge branch '${cutAtWord(plain(base), LONGEST_SUBJECT)}' (#${issueNumber})`;
}

const OCCASION = {
  plan: "Work on the plan",
  review: "Work on the review",
  checks: "Work on red checks",
  conflict: "Work on a conflict",
} as const;

function subjectOf({ plan, issue, neutral }: WorkOrder): string {
  const type = TYPES[plan.branch_name.split("/", 1)[0] ?? ""] ?? "chore";
  const reference = ` (#${issue.number})`;
  const title = (neutral ? "" : plain(issue.title)).replace(
    /^(?:(?:fix|feat|feature|docs|chore|bug)\s{0,3}(?:\([^)]{0,40}\))?:|\[[^\]]{0,40}\])\s*/i,
    "",
  );
  const trimmed = title.replace(/[.\s]+$/, "");
  const subject = trimmed === "" ? "carry out the plan" : lowered(trimmed);
  return `${type}: ${cutAtWord(subject, LONGEST_SUBJECT - type.length - 2 - reference.length)}${reference}`;
}

/** Lower-cases the first letter of `Wrong total`, but not of `HTTP` and `README`. */
function lowered(text: string): string {
  return /^\p{Lu}(?=\p{Ll}|\s)/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** One line without mentions, references, commands and links that a tracker would act on. */
function plain(text: string): string {
  const line = keptText(text.slice(0, 2_000)).replaceAll(/\s+/g, " ").trim();
  return line
    .replaceAll(/@(?=[\w-])/g, "")
    .replaceAll(/[#!](?=\d)/g, "")
    .replaceAll(/\bGH-(?=\d)/gi, "GH ")
    .replaceAll(/\b([a-z]{2,10}):\/\//gi, "$1 ")
    .replaceAll(/\[(?=(?:skip|no)[ -]ci|ci[ -]skip)/gi, "(");
}

function listed(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const more = lines.length > MOST_LISTED ? [`- and ${lines.length - MOST_LISTED} more`] : [];
  return [title, ...lines.slice(0, MOST_LISTED), ...more].join("\n");
}

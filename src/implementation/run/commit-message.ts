import { keptText } from "../../domain/text/clean-text.ts";
import { addressesAsWords } from "../../domain/text/outgoing-links.ts";
import type { ChangedFile, RevertedChange } from "../../domain/work.ts";
import { blockquote, cut, cutAtWord } from "../../lib/text.ts";
import { LONGEST_SUBJECT, topicOf, withSmallStart } from "../subject.ts";
import type { ChangedSymbols } from "../pull-request/changed-symbols.ts";
import type { WorkOrder } from "./work-order.ts";

const MOST_LISTED = 10;
const LONGEST_WISH = 200;
const LONGEST_SAID = 600;

const TYPES: Readonly<Record<string, string>> = { fix: "fix", feature: "feat", docs: "docs", chore: "chore" };

/** The contents of a commit, and what was on the branch before it. */
export interface CommitFacts {
  changed: readonly ChangedFile[];
  reverted: readonly RevertedChange[];
  merges?: boolean;
  /** The agent's own words; empty without any. */
  said?: string;
  /** Files that earlier commits of the branch change, and the subjects of these commits. */
  before?: { files: readonly string[]; subjects: readonly string[] };
  /** The functions and other symbols that it changes, file by file. */
  symbols?: readonly ChangedSymbols[];
  /** Commands that failed before it. */
  red?: readonly string[];
}

/**
 * The message of an iteration's commit: a Conventional Commit that references the issue (R-WORK-6). No two commits of a
 * branch have the same subject. Text by others is sanitized, so that trackers find no mentions and no references to
 * other issues in it.
 */
export function commitMessage(order: WorkOrder, commit: CommitFacts): string {
  const merged = commit.merges === true && order.merge !== null ? order.merge.base : null;
  const subject = merged === null ? subjectOf(order, commit) : mergeSubject(merged, order.issue.number);
  const refused = commit.reverted.map(({ path, why }) => `- ${plain(path)}: ${why}`);
  const body = [
    ...(order.neutral ? [] : [wished(order), quotedAgent(commit.said ?? "")]),
    listed("Left out:", refused),
  ];
  return `${[subject, ...body.filter((part) => part !== "")].join("\n\n")}\n`;
}

/** The subject of a merge commit in git's own form, which linters of messages accept. */
export function mergeSubject(base: string, issueNumber: number): string {
  return `Merge branch '${cutAtWord(plain(base), LONGEST_SUBJECT)}' (#${issueNumber})`;
}

function subjectOf(order: WorkOrder, commit: CommitFacts): string {
  const { reason, plan, issue } = order;
  const type = reason === "checks" ? "fix" : (TYPES[plan.branch_name.split("/", 1)[0] ?? ""] ?? "chore");
  const taken = new Set(commit.before?.subjects);
  const made = candidates(order, commit)
    .filter((words) => words !== "")
    .map((words) => withReference(`${type}: `, words, ` (#${issue.number})`));
  const free = made.find((subject) => !taken.has(subject));
  if (free !== undefined) return free;
  const count = taken.size + 1;
  return withReference(`${type}: `, `${reworked(commit)}, step ${count}`, ` (#${issue.number})`);
}

function withReference(type: string, words: string, reference: string): string {
  return `${type}${cutAtWord(words, LONGEST_SUBJECT - type.length - reference.length)}${reference}`;
}

/** Possible subjects, the most specific first. */
function candidates(order: WorkOrder, commit: CommitFacts): string[] {
  const { reason, neutral, issue, spec, changeRequests } = order;
  const { red = [], before } = commit;
  const later = reworked(commit);
  const after = red[0] === undefined ? [] : [`${later} after ${plain(red[0])} failed`];
  const isFirst = (before?.subjects ?? []).length === 0;
  if (reason === "checks") {
    const [check, ...others] = changeRequests.map(({ from }) => plain(from.replace(/^check /, "")));
    return [
      ...(check === undefined ? [] : [`address failing check ${check}${counted(others.length)}`]),
      ...after,
      later,
    ];
  }
  if (reason === "conflict") return [`bring the change up to ${plain(order.merge?.base ?? "its base")}`, later];
  if (reason === "review") {
    // Describe what the commit changes; reviewers' words describe what they want.
    return [inSymbols(commit), ...after, later];
  }
  const topic = neutral ? "" : plain(topicOf({ title: issue.title, language: issue.language, spec }));
  if (isFirst) return [topic === "" ? "carry out the plan" : topic, later];
  return [neutral ? "" : stepOf(order, commit), ...after, inSymbols(commit), later];
}

/** The plan's step that this commit starts: of the steps whose files it all changes, the one with the fewest files. */
function stepOf({ plan }: WorkOrder, { changed, before }: CommitFacts): string {
  const here = new Set(changed.map(({ path }) => path));
  const known = new Set(before?.files);
  const [step] = plan.plan_steps
    .filter(
      ({ files_involved: involved, command }) =>
        command === null && involved.length > 0 && involved.every((path) => here.has(path)),
    )
    .filter(({ files_involved: involved }) => involved.some((path) => !known.has(path)))
    .toSorted((a, b) => a.files_involved.length - b.files_involved.length || b.order - a.order);
  const text = plain(step?.description ?? "");
  return withSmallStart((text.split(/(?<=[.。])\s?/)[0] ?? "").replace(/[.。]$/, ""), "");
}

/** `rework src/cart.ts and 2 more files` */
function reworked({ changed }: CommitFacts): string {
  const [first, ...others] = changed;
  if (first === undefined) return "rework the change";
  const verb = changed.every(({ change }) => change === "added")
    ? "add"
    : changed.every(({ change }) => change === "deleted")
      ? "remove"
      : "rework";
  return `${verb} ${plain(first.path)}${others.length === 0 ? "" : ` and ${moreFiles(others.length)}`}`;
}

function moreFiles(count: number): string {
  return count === 1 ? "1 more file" : `${count} more files`;
}

function counted(others: number): string {
  return others === 0 ? "" : `, and ${others} more`;
}

/** `change total in src/cart.ts`: new symbols, else changed ones, else removed ones; empty if there are none. */
function inSymbols({ symbols = [], changed }: CommitFacts): string {
  const verbs = [
    ["add", "added"],
    ["change", "changed"],
    ["remove", "removed"],
  ] as const;
  for (const [verb, key] of verbs) {
    const all = symbols.flatMap((file) => file[key].map((name) => ({ name, path: file.path })));
    const [first, ...others] = all;
    if (first === undefined) continue;
    const more = others.length === 0 ? "" : others.length === 1 ? ` and ${others[0]?.name}` : `, ${others.length} more`;
    const isOneFile = changed.length === 1 || all.every(({ path }) => path === first.path);
    return plain(`${verb} ${first.name}${more}${isOneFile ? ` in ${first.path}` : ""}`);
  }
  return "";
}

/** The text without quotes and code blocks. */
function ownLines(text: string): string[] {
  return cut(text, 10_000, "")
    .replaceAll(/^(`{3,}|~{3,})[\s\S]*?(?:^\1|$(?![\s\S]))/gm, "")
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s{0,3}>/.test(line));
}

function wished({ reason, changeRequests }: WorkOrder): string {
  if (reason !== "review") return "";
  const lines = changeRequests.map(({ from, path, line, text }) => {
    const at = path === null ? "" : `, ${plain(path)}${line === null ? "" : `:${line}`}`;
    return `- ${plain(from)}${at}: ${cutAtWord(plain(ownLines(text).join(" ")), LONGEST_WISH)}`;
  });
  return listed("Asked for in the review:", lines);
}

/** Quoted, since nobody has checked what it says. */
function quotedAgent(said: string): string {
  const words = said
    .split("\n")
    .map(plain)
    .filter((line) => line !== "")
    .join("\n");
  return words === "" ? "" : `The coding agent says:\n\n${blockquote(cutAtWord(words, LONGEST_SAID))}`;
}

/** One line, without mentions, references, commands and links that a tracker would react to. */
function plain(text: string): string {
  const line = keptText(cut(text, 2_000, ""))
    .replaceAll(/\s+/g, " ")
    .trim();
  return addressesAsWords(line)
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

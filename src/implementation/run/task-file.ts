import { cut, codeSpan } from "../../lib/text.ts";
import { keptCode, keptText, seenText } from "../../domain/text/clean-text.ts";
import type { ChangedFile, IterationFacts } from "../../domain/work.ts";
import { exploredText } from "../../dossier/render.ts";
import { fenceCode } from "../../adapters/models/fence.ts";
import { baselineChecks } from "./completion.ts";
import { ANSWERS_FILE, DONE_FILE, SPEC_FILE } from "./notes.ts";
import type { WorkLimits, WorkOrder } from "./work-order.ts";
import { isPreexisting } from "./progress.ts";

/** The limit of each part, in characters; together about 90,000. */
const MOST = {
  spec: 22_000,
  body: 6_000,
  said: 3_000,
  settled: 4_000,
  findings: 5_000,
  explored: 10_000,
  plan: 8_000,
  changeRequests: 9_000,
  answers: 4_000,
  failures: 11_000,
  learnings: 3_000,
  files: 2_000,
};
const CUT = "\n[… cut]";
/** A spec is never longer (decision 8). */
const LONGEST_SPEC = 200_000;

export interface TaskState {
  facts: readonly IterationFacts[];
  /** What the branch changes so far. */
  changes: readonly ChangedFile[];
  /** Files with conflict markers. */
  unresolved?: readonly string[];
  limits: WorkLimits;
  number: number;
  /** Of the fences around other people's text (R-SAFE-1). */
  boundary: string;
}

/**
 * The task for a fresh agent, as Markdown (R-WORK-2), at most about 90,000 characters; a longer spec becomes a separate
 * file. Other people's text is fenced, without hidden text and secrets.
 */
export function taskFile(order: WorkOrder, state: TaskState): { task: string; spec: string | null } {
  const { boundary } = state;
  const quote: Quote = (label, text, most) =>
    fenceCode(label.slice(0, 500), cut(keptText(beginning(text, most)), most, CUT), boundary);
  const spec = order.spec ?? "";
  const parts = [
    opening(order, state, quote),
    section("Conflicts to resolve", conflicts(order, state, quote)),
    section("What people ask for now", changeRequests(order, quote)),
    section("The issue", quote("text of the issue", seenText(order.known.body, 2 * MOST.body), MOST.body)),
    section("What people said", said(order, quote)),
    section("The spec", spec === "" ? "" : specText(spec, quote)),
    section("The plan", plan(order, state, quote)),
    section("Questions that were answered", answers(order, quote)),
    section("What is known of the code", code(order, state, quote)),
    section("Where it stands", currentState(order, state, quote)),
    section("Commands that will be run on your work", commands(order, state)),
    section("How code is written here", conventions(order, quote)),
  ];
  const long = spec.length > MOST.spec ? `${quote("spec", spec, LONGEST_SPEC)}\n` : null;
  return { task: `${parts.filter((part) => part !== "").join("\n\n")}\n`, spec: long };
}

type Quote = (label: string, text: string, most: number) => string;

const OCCASION = {
  plan: "A plan that people agreed to is to be carried out.",
  review:
    "The work was done and proposed; people looked at it and want more. Do what they ask for, on top of what is there.",
  checks: `The work was done and proposed; checks of the branch are red. Find out why, and mend what the work broke. Where the work is not the cause (they were red before it, or fail for a reason outside of it), change nothing, and say in \`${DONE_FILE}\` how you know.`,
  conflict:
    "The work was done and proposed; meanwhile the branch that it is to go into has changed the same places. Bring both together, and change nothing else.",
} as const;

const NEUTRAL =
  "The issue is confidential, and the code can be read by more people than the issue. Let nothing that only the issue says, such as the names of people, customers and places, get into code, comments, tests, data or names of files.";

function opening(order: WorkOrder, { number, limits, boundary }: TaskState, quote: Quote): string {
  return [
    `# Your task: ${order.issue.name.replaceAll(/[^\w/#.-]/g, "").slice(0, 200)}`,
    `${OCCASION[order.reason]} This is run ${number} of at most ${limits.iterations}. The boundary of fences in this file is ${boundary}.`,
    ...(order.neutral ? [NEUTRAL] : []),
    quote("title of the issue", order.issue.title, 500),
  ].join("\n\n");
}

function conflicts({ merge }: WorkOrder, { unresolved = [] }: TaskState, quote: Quote): string {
  if (merge === null || unresolved.length === 0) return "";
  return [
    "The branch that the work is to go into has moved on, and is being merged into the work. In the files below both have changed the same.",
    "Between `<<<<<<<` and `=======` stands what the work has, between `=======` and `>>>>>>>` what the other branch has; where one of them is empty, that side has taken it out. Make of each place what serves both, or delete the file where that is right, and leave no marks. Nothing that you do is kept before all marks are gone.",
    quote("the other branch, and the files", [merge.base, "", ...unresolved].join("\n"), MOST.files),
  ].join("\n\n");
}

function changeRequests({ changeRequests: all, reason }: WorkOrder, quote: Quote): string {
  const most = Math.floor(MOST.changeRequests / Math.max(1, Math.min(all.length, 30)));
  const quoted = all
    .slice(0, 30)
    .map(({ from, path, line, text }, at) =>
      quote(`request ${at + 1} of ${from}${path === null ? "" : ` at ${path}:${line ?? ""}`}`, text, most),
    );
  const answering = `Answer each person: in \`${ANSWERS_FILE}\` beside this file, a line \`## 1\` for request 1, and below it one or two sentences of what you did about it, or why nothing; then the others.`;
  return [reason === "review" && quoted.length > 0 ? answering : "", ...quoted]
    .filter((part) => part !== "")
    .join("\n\n");
}

function specText(spec: string, quote: Quote): string {
  if (spec.length <= MOST.spec) return quote("spec", spec, MOST.spec);
  return `This is its beginning; the whole is in \`${SPEC_FILE}\` beside this file. Read that.\n\n${quote("spec", spec, MOST.spec)}`;
}

function plan({ plan: planned }: WorkOrder, { changes }: TaskState, quote: Quote): string {
  const changed = new Set(changes.map(({ path }) => path));
  const steps = planned.plan_steps.map(({ order, description, files_involved: files }) => {
    const begun = files.length > 0 && files.every((file) => changed.has(file));
    return `${order}. ${mark(begun)} ${description}${files.length === 0 ? "" : ` (${files.join(", ")})`}`;
  });
  const files = planned.file_changes.map(({ path, operation, change_summary: summary, line_range: range }) => {
    const lines = range === null ? "" : `, lines ${range[0]} to ${range[1]}`;
    return `- ${mark(changed.has(path))} ${operation} ${path}${lines}: ${summary}`;
  });
  const text = [...steps, "", "Files that change:", ...files].join("\n");
  return `\`[touched]\` means only that the files differ from where the branch began.\n\n${quote("plan", text, MOST.plan)}`;
}

function mark(touched: boolean): string {
  return touched ? "[touched]" : "[open]";
}

/** Statements by people who decide are binding; those by others only inform. */
function said({ known }: WorkOrder, quote: Quote): string {
  const linesOf = (decides: boolean) =>
    known.said
      .filter((one) => one.decides === decides)
      .map(({ kind, author, message, text }) => `- ${kind}, @${author}${placeOf(message)}: ${text}`)
      .join("\n");
  const [binding, informing] = [linesOf(true), linesOf(false)];
  return [
    binding === ""
      ? ""
      : `The spec was written from this; where it leaves something open, this decides.\n\n${quote("by people who decide", binding, MOST.said)}`,
    informing === "" ? "" : quote("by others, who do not decide", informing, MOST.said),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** In the form in which specs cite it. */
function placeOf(message: number | null): string {
  return message === null ? "" : ` (message ${message})`;
}

/** What was settled before the work began, and answers to earlier runs. */
function answers({ answers: all, known }: WorkOrder, quote: Quote): string {
  const settled = known.settled.map(
    ({ number, question, outcome, assumed }) =>
      `- Gap #${number}: ${question}\n  → ${outcome}${assumed ? " (assumed; nobody said so)" : ""}`,
  );
  const newest = all.slice(-10);
  const most = Math.floor(MOST.answers / Math.max(1, newest.length));
  return [
    ...(settled.length === 0 ? [] : [quote("questions before the spec", settled.join("\n"), MOST.settled)]),
    ...newest.map(({ question, answer }) =>
      quote("question and answer", `${question}\n\n→ ${seenText(answer, 2 * most)}`, most),
    ),
  ].join("\n\n");
}

function code({ known: { findings, explorations } }: WorkOrder, { boundary }: TaskState, quote: Quote): string {
  const most = Math.floor(MOST.findings / Math.max(1, findings.length)) - 10;
  const found = findings.map(({ number, synthesis, locations }) =>
    cut(`- Finding #${number}: ${synthesis} (${locations.join(", ")})`, most, "…"),
  );
  return [
    ...(found.length === 0 ? [] : [quote("findings", found.join("\n"), MOST.findings)]),
    ...(explorations.length === 0
      ? []
      : [fenceCode("explored", keptCode(exploredText(explorations, MOST.explored)), boundary)]),
  ].join("\n\n");
}

function currentState(order: WorkOrder, { facts, changes, boundary }: TaskState, quote: Quote): string {
  const last = facts.at(-1);
  const asCode = (label: string, text: string, most: number) =>
    fenceCode(label, cut(keptCode(beginning(text, most)), most, CUT), boundary);
  const files = changes.map(
    ({ path, change, addedLines, removedLines }) => `${change} ${path} +${addedLines} -${removedLines}`,
  );
  const lines = [
    files.length === 0
      ? "Nothing has been changed yet."
      : `The branch changes these files so far; they are as you find them:\n\n${asCode("changed files", files.join("\n"), MOST.files)}`,
  ];
  if (last === undefined) return lines.join("\n\n");
  if (last.agent !== null) lines.push(...lastRun(last, order, quote));
  const before = baselineChecks(facts);
  const failed = last.checks.filter(({ outcome }) => outcome === "failed" || outcome === "timeout");
  const most = Math.floor(MOST.failures / Math.max(1, failed.length));
  if (last.proof !== undefined && failed.some((check) => !isPreexisting(check, before))) lines.push(CLEAN_FAILS);
  for (const check of failed) {
    const known = last.agent === null || isPreexisting(check, before);
    const whose = known ? "It failed so before any change: mend it only where your task is about it." : "Mend this.";
    const how =
      check.outcome === "timeout" ? `did not end within ${check.seconds} s` : `failed with code ${check.code}`;
    lines.push(`${codeSpan(commandText(check.command))} ${how}. ${whose}`, asCode("its output", check.output, most));
  }
  return lines.join("\n\n");
}

const CLEAN_FAILS =
  "A clean checkout of the commit fails, after the repository's own set-up: it has no ignored files, no build output and no packages but those that the committed files name. The same commands may pass in your tree. What is missing must be committed, or made by the set-up.";

const BESIDE_PLAN =
  "The branch changes other files only, and none that people agreed to. Do what the plan says, and take back what it does not need.";

const ENDED: Readonly<Record<string, string>> = {
  limit: "It ended at a limit of its own, perhaps in the middle of something.",
  timeout: "It took too long and was ended, perhaps in the middle of something. Take small steps.",
  flooded: "It printed too much and was ended.",
  failed: "It ended with an error.",
};

function lastRun(last: IterationFacts, order: WorkOrder, quote: Quote): string[] {
  const { agent, commit, undone, untouched } = last;
  if (agent === null) return [];
  const lines = [`The run before you was number ${last.number}. ${ENDED[agent.ending] ?? ""}`.trim()];
  if (commit === null) {
    lines.push(
      agent.summary === "" && agent.done === null
        ? "It changed no file."
        : "Whatever it said, it changed no file that could be kept. Only what is in the files counts: see to it that you change them.",
    );
  }
  if (agent.summary !== "") lines.push(quote("its last words", agent.summary, 1_500));
  if (undone.length > 0) {
    const list = undone.slice(0, 40).map(({ path, why, detail }) => `${path}: ${why}. ${detail}`);
    lines.push("These of its changes were not allowed and are undone; do not make them again:");
    lines.push(quote("undone", list.join("\n"), 3_000));
  }
  if (agent.denied.length > 0) {
    lines.push("It was not allowed to do this:", quote("denied", agent.denied.join("\n"), 1_000));
  }
  if (order.reason === "plan" && untouched.length > 0 && last.changedFiles > 0) {
    if (untouched.length === order.plan.file_changes.length) lines.push(BESIDE_PLAN);
    lines.push(
      `Files of the plan that nobody has touched yet; change them, or say in \`${DONE_FILE}\` why they need no change:`,
      quote("untouched", untouched.join("\n"), 2_000),
    );
  }
  return lines;
}

function commands({ commands: { checks, tests } }: WorkOrder, { limits }: TaskState): string {
  const all = [...checks, ...tests].map((command) => `- ${codeSpan(commandText(command))}`);
  if (all.length === 0) return "None are known. Look how the repository is checked, and do that yourself.";
  return `${all.join("\n")}\n\nThey decide on a clean checkout of your work, after the repository's own set-up: ignored files are not there. Each may take at most ${limits.checkMinutes} minutes.`;
}

function conventions({ styleGuide, learnings }: WorkOrder, quote: Quote): string {
  const guide =
    styleGuide === "standard" ? "" : quote("where the repository says how code is to be written", styleGuide, 500);
  const taught =
    learnings.length === 0
      ? ""
      : quote("what the team has taught", learnings.map((one) => `- ${one}`).join("\n"), MOST.learnings);
  return [guide, taught].filter((part) => part !== "").join("\n\n");
}

function section(title: string, content: string): string {
  return content === "" ? "" : `# ${title}\n\n${content}`;
}

function commandText(text: string): string {
  return keptText(text)
    .replaceAll(/[\s`]+/g, " ")
    .slice(0, 300);
}

/** Limits the input before hidden text is removed, since others may write any amount of text. */
function beginning(text: string, most: number): string {
  return text.slice(0, 2 * most + 10_000);
}

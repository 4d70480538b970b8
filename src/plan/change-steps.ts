import { codeSpan } from "../lib/text.ts";
import type { IssueReading } from "../domain/issue-text/issue-reading.ts";
import type { Classification, FileChange } from "../domain/plan.ts";
import { type FileRole, classify } from "../code/classify.ts";
import { type Say, namesOf, phrase } from "./phrase.ts";
import type { PlaceInCode } from "./places.ts";
import { replacementIn } from "./operations.ts";

/** A step before it is numbered. */
export interface DraftStep {
  description: string;
  command: string | null;
  files_involved: string[];
}

/** A file that will change, with its known details. */
export interface PlannedFile extends PlaceInCode {
  path: string;
  operation: FileChange["operation"];
  /** The spec's task for the file, if any. */
  task: string | null;
}

export interface WorkFacts {
  reading: IssueReading;
  classification: Classification;
  files: readonly PlannedFile[];
  /** A test of one of the files, if the repository has one. */
  test: string | null;
}

const PURPOSE = 200;
const CRITERIA = 3;
/** How many files get a step of their own, and in how many groups the others go; the most detailed layout first. */
const WAYS = [
  { own: 4, groups: 0 },
  { own: 3, groups: 3 },
  { own: 3, groups: 1 },
  { own: 2, groups: 1 },
];
const TIGHTEST = { own: 1, groups: 1 };

/** The purpose of the work, in one clause. */
function purposeOf(reading: IssueReading): string {
  const replacement = replacementOf(reading);
  if (replacement !== null) {
    return `replace '${phrase(replacement.wrong, 80)}' with '${phrase(replacement.right, 80)}'`;
  }
  return phrase(reading.title, PURPOSE) || phrase(reading.gist, PURPOSE) || "what the issue asks for";
}

function replacementOf(reading: IssueReading) {
  return replacementIn(`${reading.title}\n${reading.prose}`);
}

function replaces(reading: IssueReading): boolean {
  return replacementOf(reading) !== null;
}

/**
 * The steps from the first look to the tests, in a feasible order, at most `most` (R-FIX-4): if there are more files
 * than steps, files with similar changes share one.
 */
export function stepsOf(facts: WorkFacts, most: number): DraftStep[] {
  const after = [...testStep(facts), ...criteriaStep(facts)];
  const room = Math.max(2, most - 1 - after.length);
  const fitting = WAYS.map((way) => changeSteps(facts, way)).find((steps) => steps.length <= room);
  return [lookStep(facts), ...(fitting ?? changeSteps(facts, TIGHTEST)), ...after].slice(0, most);
}

function lookStep({ files, classification, reading }: WorkFacts): DraftStep {
  const there = files.filter(({ operation }) => operation !== "CREATE");
  const [first] = there;
  if (first === undefined) {
    const paths = files.map(({ path }) => path);
    return step(`Look at what stands around ${namesOf(paths)}, and at how its neighbours are written`, paths);
  }
  const paths = there.map(({ path }) => path);
  const place = `${namesOf([first.path])}${linesOf(first)}`;
  const rest = there.length > 1 ? `, and then ${namesOf(paths.slice(1))}` : "";
  const trace = reading.traces.length > 0 ? " with the stack trace of the issue beside it" : "";
  const what =
    classification === "BUG"
      ? `Read ${place}${trace}${rest}, and find the condition under which it goes wrong`
      : `Read ${place}${rest}, and find what the change has to fit into`;
  if (there.every(({ operation }) => operation === "DELETE")) {
    return step(`Find out what still uses ${namesOf(paths)}, in code, settings and texts`, paths);
  }
  if (classification === "DOCS")
    return step(`Read ${place}${rest}, and find the passage that the issue is about`, paths);
  return step(what, paths);
}

function linesOf({ range, symbol }: PlannedFile): string {
  const [from, to] = range ?? [0, 0];
  const lines = range === null ? "" : from === to ? `line ${from}` : `lines ${from} to ${to}`;
  const parts = [...(symbol === null ? [] : [codeSpan(symbol)]), ...(lines === "" ? [] : [lines])];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function changeSteps(facts: WorkFacts, way: { own: number; groups: number }): DraftStep[] {
  const tests = facts.files.filter(
    (file) => roleOf(file) === "test" && facts.files.some((other) => roleOf(other) !== "test"),
  );
  const work = facts.files.filter((file) => !tests.includes(file)).toSorted((a, b) => rankOf(a) - rankOf(b));
  const own = work.slice(0, way.own);
  const rest = work.slice(way.own);
  const steps = own.map((file, at) => step(capital(changeOf(file, facts, at === 0)), [file.path]));
  for (const group of groupsOf(rest, Math.max(1, way.groups))) {
    const paths = group.map(({ path }) => path);
    const [first] = group;
    if (first !== undefined)
      steps.push(step(capital(`${groupVerb(first)} ${namesOf(paths)} as far as the change reaches them`), paths));
  }
  if (tests.length > 0) {
    const paths = tests.map(({ path }) => path);
    steps.push(step(`Bring ${namesOf(paths)} up to date, with a case for what changes`, paths));
  }
  return steps;
}

/** New files come before the code that uses them; deletions come last. */
function rankOf({ operation, path }: PlannedFile): number {
  if (operation === "CREATE") return classify(path).role === "docs" ? 2 : 0;
  if (operation === "DELETE") return 3;
  return classify(path).role === "docs" || isDeclaration(path) ? 2 : 1;
}

/** Type declarations beside untyped code. */
function isDeclaration(path: string): boolean {
  return path.endsWith(".d.ts");
}

/** The spec's words about a file and its symbol, beside which path and lines stand; null if there are none. */
export function taskIn({ task, symbol }: PlannedFile, say: Say): string | null {
  if (task === null) return null;
  const text = phrase(task, PURPOSE) || say("spec_says");
  const place = symbol === null ? null : codeSpan(symbol);
  if (place === null || text.includes(place)) return text;
  return say("in_place", { place, text: text.replace(/[.。]$/u, "") });
}

/** One clause that describes the change of a file. */
export function changeOf(
  file: PlannedFile,
  facts: Pick<WorkFacts, "reading" | "classification">,
  first: boolean,
): string {
  const place = `${namesOf([file.path])}${file.operation === "MODIFY" ? linesOf(file) : ""}`;
  if (file.task !== null) return `in ${place}: ${phrase(file.task, PURPOSE)}`;
  const purpose = purposeOf(facts.reading);
  if (file.operation === "CREATE") return `create ${place}: ${purpose}`;
  if (file.operation === "DELETE") return `delete ${place}, and whatever still refers to it`;
  if (!first) return `${groupVerb(file)} ${place} as far as the change reaches it`;
  return replaces(facts.reading) || facts.classification !== "BUG"
    ? `change ${place}: ${purpose}`
    : `fix ${place}, so that this no longer happens: ${purpose}`;
}

function groupVerb(file: PlannedFile): string {
  if (file.operation === "CREATE") return "create";
  if (file.operation === "DELETE") return "delete";
  if (isDeclaration(file.path)) return "declare what changed in";
  switch (roleOf(file)) {
    case "docs":
    case "example":
      return "describe the change in";
    case "config":
    case "lock":
      return "adapt the settings in";
    case "test":
      return "bring up to date";
    default:
      return "adapt";
  }
}

/** Groups files by operation and kind. */
function groupsOf(files: readonly PlannedFile[], most: number): PlannedFile[][] {
  const groups = [...Map.groupBy(files, groupVerb).values()];
  return groups.length <= most ? groups : [...groups.slice(0, most - 1), groups.slice(most - 1).flat()];
}

/** A change in behaviour gets a test; the author of the change runs it, never the plan's checks. */
function testStep({ files, classification, test }: WorkFacts): DraftStep[] {
  const behaviour = classification === "BUG" || classification === "FEATURE";
  const sources = files.filter((file) => roleOf(file) === "source" && file.operation !== "DELETE");
  if (!behaviour || sources.length === 0 || files.some((file) => roleOf(file) === "test")) return [];
  const what = classification === "BUG" ? "a case that fails before the change and passes after it" : "cases for it";
  if (test !== null) return [step(`Add ${what} to ${codeSpan(test)}`, [test])];
  const [first] = sources;
  const paths = sources.slice(0, 1).map(({ path }) => path);
  if (first?.operation === "CREATE")
    return [step(`Write tests of ${namesOf(paths)}, beside those of its neighbours`, paths)];
  return [step(`Add ${what} beside the tests that cover ${namesOf(paths)}`, paths)];
}

function criteriaStep({ reading, files }: WorkFacts): DraftStep[] {
  const criteria = reading.acceptanceCriteria.map((each) => phrase(each, 120)).filter((each) => each !== "");
  if (criteria.length === 0) return [];
  const more = criteria.length > CRITERIA ? `; and ${criteria.length - CRITERIA} more` : "";
  const list = criteria.slice(0, CRITERIA).join("; ");
  return [
    step(
      `Go through what the issue wants to see: ${list}${more}`,
      files.map(({ path }) => path),
    ),
  ];
}

function roleOf({ path }: { path: string }): FileRole {
  return classify(path).role;
}

export function step(description: string, files: string[], command: string | null = null): DraftStep {
  return { description, command, files_involved: files };
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

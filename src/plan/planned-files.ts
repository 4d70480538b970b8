import { type IssueReading, readIssue } from "../domain/issue-text/issue-reading.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import { readLocation } from "../code/agent/source-lookup.ts";
import { failure, type Failure } from "./answer.ts";
import type { PlannedFile } from "./change-steps.ts";
import { forbiddenBy } from "./forbidden.ts";
import type { PlanInput } from "./input.ts";
import { filesToCreate, operationOf } from "./operations.ts";
import { classify } from "../code/classify.ts";
import { locatedFor, placeIn } from "./places.ts";
import { fileName } from "../lib/paths.ts";

interface Candidate {
  path: string;
  isNew: boolean;
  task: string | null;
}

const MAX_LISTED = 20;

/**
 * The files that will change (R-FIX-5): those of the spec's tasks, or else those of triage and new files that the issue
 * asks for. `FILE_NOT_FOUND` names missing files that the issue did not ask to create.
 */
export async function plannedFiles(
  input: PlanInput,
  reading: IssueReading,
  index: OpenIndex | null,
): Promise<{ success: true; data: PlannedFile[] } | Failure> {
  const tree = new Set(input.repository_context.file_tree);
  const text = `${reading.title}\n\n${reading.text}\n\n${(input.spec?.tasks ?? []).map(({ title }) => title).join("\n\n")}`;
  const { names: forbidden, isForbidden } = forbiddenBy(input);
  const candidates = candidateFiles(input, reading, { tree, text }).filter(({ path }) => !isForbidden(path));
  const named = countOfNames(candidates, input.repository_context.file_tree);
  const missing: string[] = [];
  const planned: (Candidate & { operation: PlannedFile["operation"] })[] = [];
  for (const file of candidates) {
    const name = fileName(file.path);
    const shortName = name !== file.path && (named.get(name) ?? 0) <= 1 ? name : null;
    const operation =
      file.isNew && !tree.has(file.path)
        ? "CREATE"
        : operationOf(file.path, { exists: tree.has(file.path), text, shortName });
    if (operation === null) missing.push(file.path);
    else planned.push({ ...file, operation });
  }
  if (missing.length > 0) {
    const shown = missing.slice(0, MAX_LISTED);
    return failure(
      "FILE_NOT_FOUND",
      `${missing.length === 1 ? "A file that is to change is" : `${missing.length} files that are to change are`} not in the repository: ${shown.slice(0, 3).join(", ")}; fix affected_files in the triage.`,
      { missing: shown },
    );
  }
  const known = [...citedIn(input), ...(input.spec?.places ?? [])];
  const located = await locatedFor(reading, forbidden, index);
  const alone = planned.filter(({ operation }) => operation === "MODIFY").length === 1;
  const data: PlannedFile[] = [];
  for (const { path, operation, task } of planned) {
    const place =
      operation === "MODIFY"
        ? await placeIn(path, { reading, located, index, alone, known })
        : { range: null, symbol: null };
    data.push({ path, operation, task, ...place });
  }
  return { success: true, data };
}

/** Lines that the spec's tasks name, with their touch points or in words. */
function citedIn({ spec }: PlanInput) {
  const tasks = spec?.tasks ?? [];
  const points = tasks.flatMap(({ touchPoints }) => touchPoints.flatMap(({ path }) => readLocation(path) ?? []));
  const { places } = readIssue({ title: "", body: tasks.map(({ title }) => title).join("\n\n"), labels: [] }).facts;
  const words = places.flatMap(({ path, line, endLine }) =>
    line === null ? [] : [{ path, start: line, end: endLine ?? line }],
  );
  return [...points, ...words];
}

function candidateFiles(
  { spec, triage_result }: PlanInput,
  reading: IssueReading,
  { tree, text }: { tree: ReadonlySet<string>; text: string },
): Candidate[] {
  const candidates = new Map<string, Candidate>();
  const folders = foldersOf(spec?.tasks.length ? tree : new Set());
  for (const task of spec?.tasks ?? []) {
    for (const point of task.touchPoints) {
      const path = plainPath(point.path.replace(/:\d+(?:-\d+)?$/, ""), tree);
      // A folder shows where to look, not what will change.
      if (!candidates.has(path) && !folders.has(path.replace(/\/$/, "")))
        candidates.set(path, { path, isNew: point.isNew, task: task.title });
    }
  }
  // A test may come first in the work; people read first what changes.
  if (candidates.size > 0) {
    return [...candidates.values()].toSorted((a, b) => Number(isTest(a.path)) - Number(isTest(b.path)));
  }
  // What the text of a question shares with the code is no change that the answers ask for.
  if (reading.kind.kind === "question" && (spec?.tasks.length ?? 0) > 0) return [];
  const affected = triage_result.affected_files.map((path) => plainPath(path, tree));
  return [...new Set([...affected, ...filesToCreate(reading.facts.places, { tree, text })])].map((path) => ({
    path,
    isNew: false,
    task: null,
  }));
}

function isTest(path: string): boolean {
  return classify(path).role === "test";
}

/** All folders of the tree, without a trailing slash. */
function foldersOf(tree: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of tree) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** The path in the tree's spelling. */
function plainPath(path: string, tree: ReadonlySet<string>): string {
  return tree.has(path) ? path : path.replace(/^\.\//, "");
}

/** Number of files in the tree with each name. */
function countOfNames(candidates: readonly Candidate[], tree: readonly string[]): Map<string, number> {
  const counts = new Map(candidates.map(({ path }) => [fileName(path), 0]));
  for (const path of tree) {
    const name = fileName(path);
    const count = counts.get(name);
    if (count !== undefined) counts.set(name, count + 1);
  }
  return counts;
}

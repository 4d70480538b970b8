import type { FileRole } from "../classify.ts";
import type { TreeFile } from "../index/tree-file.ts";
import type { DirectEvidence, Evidence } from "./evidence.ts";

/**
 * The weight of each kind of evidence, relative to a match of every word. Tuned on issues with known fixes, with some
 * repositories held out: changes that did not help on those were dropped.
 */
const WEIGHT = {
  title: 0.52,
  text: 0.55,
  path: 0.62,
  name: 0.15,
  history: 0.1,
  length: 0.007,
  named: 0.6,
  frame: 0.8,
  handles: 0.5,
  message: 0.4,
  module: 0.6,
  defines: 0.26,
} as const;

const ROLE_WEIGHT: Partial<Record<FileRole, number>> = { config: 0.5 };
/** How much more a file counts if it is in an area that the issue names. */
const AREA = 0.1;
/**
 * Files with fewer terms match because they are short: re-exports, icons, entry points. They count less, down to this
 * share.
 */
const SMALL = 150;
const SMALLEST = 0.8;
const MOST_DEFINITIONS = 2;

/** The score of the file at a position; 0 without evidence. */
export function scoreOf(position: number, file: TreeFile, evidence: Evidence): number {
  const { match, history } = evidence;
  const title = match.title[position] ?? 0;
  const text = match.text[position] ?? 0;
  const path = match.path[position] ?? 0;
  const past = history[position] ?? 0;
  const direct = directScore(evidence.direct.get(position), evidence);
  if (title + text + path + past + direct === 0) return 0;
  const total =
    WEIGHT.title * title +
    WEIGHT.text * text +
    WEIGHT.path * path +
    WEIGHT.name * (match.name[position] ?? 0) +
    WEIGHT.history * past +
    // Of two files that match equally well, the longer one usually does more.
    WEIGHT.length * Math.log1p(file.length) +
    direct;
  return (
    total * (ROLE_WEIGHT[file.role] ?? 1) * (1 + AREA * (evidence.area[position] ?? 0)) * weightOfSize(file.length)
  );
}

function weightOfSize(terms: number): number {
  return terms >= SMALL ? 1 : SMALLEST + ((1 - SMALLEST) * terms) / SMALL;
}

function directScore(file: DirectEvidence | undefined, evidence: Evidence): number {
  if (file === undefined) return 0;
  const named = file.named.reduce((most, { certainty }) => Math.max(most, certainty), 0);
  const frame = file.frames.reduce((most, { certainty, depth }) => Math.max(most, certainty / (1 + depth / 4)), 0);
  const handles = file.handles.reduce((most, { certainty }) => Math.max(most, certainty), 0);
  return (
    WEIGHT.named * named +
    WEIGHT.frame * frame +
    WEIGHT.handles * handles +
    WEIGHT.message * sharedWeight(file.messages, evidence.filesWithMessage) +
    WEIGHT.module * sharedWeight(file.modules, evidence.filesOfModule) +
    WEIGHT.defines * Math.min(MOST_DEFINITIONS, sharedWeight(file.defines, evidence.filesDefining))
  );
}

/** Evidence that many files share counts less for each of them. */
function sharedWeight(names: ReadonlySet<string>, holders: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const name of names) sum += 1 / Math.max(1, holders.get(name) ?? 1);
  return sum;
}

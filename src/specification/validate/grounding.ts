import { codeSpan } from "../../lib/text.ts";
import { locationOf } from "../../domain/spec-document/citations.ts";
import type { SpecDocument } from "../../domain/spec-document/document.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { readLocation } from "../../code/agent/source-lookup.ts";
import { clause } from "../rules/plain.ts";
import { peopleCovered } from "./people.ts";
import { type SpecProblem, error, warning } from "./rules.ts";

/** What citations are checked against; omitted parts are not checked. */
export interface Grounding {
  gapNumbers?: ReadonlySet<number>;
  /** Findings are cited by their number, or by their id; of a removed one it says when and why. */
  findings?: readonly { number: number; id: string; removed: string | null }[];
  /** Messages are cited by their position in the thread, from 1. */
  messageCount?: number;
  code?: {
    /** Lines of a text file at the commit; null when there is no such file. */
    lines: (path: string) => Promise<number | null>;
    /** Whether there is a file or folder at the path. */
    exists: (path: string) => Promise<boolean>;
  };
  /** Lines of the code that reproduces the case. */
  reproduction?: readonly string[];
  /** Locations, as `path:start-end`, of the code that the writer was shown. */
  shown?: readonly string[];
  /** Numbers of the closed gaps and assumptions that the spec must reflect. */
  mustCover?: readonly number[];
  /** What people said that the spec must take up. */
  statements?: readonly Statement[];
}

/** The rules that check a spec against its sources (R-SPEC-6). */
export async function groundingProblems(
  document: SpecDocument,
  grounding: Grounding,
  text: string,
): Promise<SpecProblem[]> {
  return [
    ...numbersExist(document, grounding),
    ...findingsHold(document, grounding),
    ...(await placesExist(document, grounding)),
    ...placesShown(document, grounding),
    ...(await touchPointsExist(document, grounding)),
    ...gapsCovered(document, grounding),
    ...peopleCovered(document, grounding.statements ?? []),
    ...reproductionKept(document, grounding, text),
  ];
}

/**
 * Numbers that are cited exist: in the issue's own lists where Relay writes the spec, else in the document's Evidence. A
 * text without that section, as people and earlier versions of Relay wrote them, is not checked.
 */
function numbersExist(document: SpecDocument, grounding: Grounding): SpecProblem[] {
  const { gapNumbers, findings, messageCount } = grounding;
  const inEvidence = ({ kind, id }: { kind: string; id: string }) =>
    document.evidence === null || document.evidence.some((one) => one.kind === kind && Number(one.id) === Number(id));
  return document.citations.flatMap((citation) => {
    if (citation.kind === "file") return [];
    const number = Number(citation.id);
    const isIn = (count: number) => number >= 1 && number <= count;
    const listed = {
      gap: gapNumbers?.has(number),
      finding: findings?.some((one) => isNamed(one, citation.id)),
      message: messageCount === undefined ? undefined : isIn(messageCount),
    }[citation.kind];
    if (listed ?? inEvidence(citation)) return [];
    const where = listed === undefined ? "is not in the Evidence" : "does not exist";
    const detail = `${citation.kind} ${citation.id} ${where}; cite one that ${listed === undefined ? "is" : "does"}, or drop it`;
    return [error("citations_exist", citation.line, detail)];
  });
}

function isNamed({ number, id }: { number: number; id: string }, cited: string): boolean {
  return number === Number(cited) || id === cited;
}

/** What a removed finding said may not be true any more; its number stays its own, so that a reader finds it. */
function findingsHold(document: SpecDocument, { findings }: Grounding): SpecProblem[] {
  const inEvidence = (document.evidence ?? []).flatMap(({ kind, id, removed }) =>
    kind === "finding" && removed !== undefined ? [{ number: Number(id), id, removed }] : [],
  );
  const known = findings ?? inEvidence;
  return document.citations.flatMap((citation) => {
    const found = citation.kind === "finding" ? known.find((one) => isNamed(one, citation.id)) : undefined;
    if (citation.kind !== "finding" || (found?.removed ?? null) === null) return [];
    const why = clause(found?.removed ?? "");
    const detail = `finding ${citation.id} no longer stands (${why}); cite what shows it now, or drop it`;
    return [warning("findings_hold", citation.line, detail)];
  });
}

async function placesExist(document: SpecDocument, { code }: Grounding): Promise<SpecProblem[]> {
  if (!code) return [];
  const problems: SpecProblem[] = [];
  for (const citation of document.citations) {
    if (citation.kind !== "file") continue;
    const lines = await code.lines(citation.path);
    const place = locationOf(citation);
    if (lines === null) {
      problems.push(
        error("citations_exist", citation.line, `${codeSpan(place)}: there is no such file in the repository`),
      );
    } else if (citation.start < 1 || citation.end < citation.start || citation.end > lines) {
      problems.push(error("citations_exist", citation.line, `${codeSpan(place)}: the file has ${lines} lines`));
    }
  }
  return problems;
}

/** Lines around a shown place that may be cited with it. */
const AROUND = 2;

/** A writer cites what it was shown: lines that merely exist prove nothing. */
function placesShown(document: SpecDocument, { shown }: Grounding): SpecProblem[] {
  if (shown === undefined) return [];
  const known = shown.map((location) => readLocation(location) ?? { path: location, start: 1, end: Infinity });
  return document.citations.flatMap((citation) => {
    if (citation.kind !== "file") return [];
    const { path, start, end, line } = citation;
    const isShown = known.some(
      (place) => place.path === path && start >= place.start - AROUND && end <= place.end + AROUND,
    );
    if (isShown) return [];
    const detail = `${codeSpan(locationOf(citation))} was not shown to you; cite a place of the material, or look at it first`;
    return [warning("places_shown", line, detail)];
  });
}

async function touchPointsExist(document: SpecDocument, { code }: Grounding): Promise<SpecProblem[]> {
  if (!code) return [];
  const problems: SpecProblem[] = [];
  for (const task of document.tasks) {
    for (const { path, isNew } of task.touchPoints) {
      if (isNew || (await code.exists(path))) continue;
      problems.push(
        error(
          "touch_points_exist",
          task.line,
          `${codeSpan(path)} is not in the repository; fix the path, or mark it \`(new)\``,
        ),
      );
    }
  }
  return problems;
}

function gapsCovered(document: SpecDocument, { mustCover = [] }: Grounding): SpecProblem[] {
  // Where nothing is built, what was settled before changes nothing.
  if (document.tasks.length > 0 && document.tasks.every(({ changesNothing }) => changesNothing)) return [];
  const cited = new Set(
    document.citations.flatMap((citation) => (citation.kind === "gap" ? [Number(citation.id)] : [])),
  );
  return mustCover
    .filter((number) => !cited.has(number))
    .map((number) =>
      warning(
        "gaps_covered",
        document.lineCount,
        `gap ${number} was settled, but nothing in the spec cites it; reflect it in a decision or an assumption`,
      ),
    );
}

/** Half of its lines are enough: a spec may shorten the code, or give the case as a test. */
function reproductionKept(document: SpecDocument, { reproduction = [] }: Grounding, text: string): SpecProblem[] {
  const lines = new Set(text.split(/\r\n?|\n/).map((line) => line.trim()));
  const kept = reproduction.filter((line) => lines.has(line) || (line.length > 8 && text.includes(line)));
  if (kept.length * 2 >= reproduction.length) return [];
  const at = document.sections.find(({ key }) => key === "problem")?.line ?? document.lineCount;
  return [
    warning(
      "reproduction_kept",
      at,
      "the issue has code that reproduces the case, and the spec does not; carry it over, shortened if it is long",
    ),
  ];
}

import type { Finding } from "../../domain/finding.ts";
import type { Gap, Topic } from "../../domain/gap.ts";
import type { IssueReading } from "../../domain/reading/issue-reading.ts";
import type { Complexity } from "../../domain/spec.ts";
import { classify } from "../../explore/classify.ts";
import type { SpecInput } from "../generator.ts";
import { plain } from "./plain.ts";

/** A place in the code that the plan touches. */
export interface Place {
  /** Number of the finding, from 1, as specs cite it. */
  finding: number;
  path: string;
  /** `path:line` where a line is known. */
  location: string;
  symbol: string | null;
  isTest: boolean;
  synthesis: string;
}

/** What a spec is written from, sorted for the rules. */
export interface SpecFacts {
  kind: IssueReading["kind"]["kind"];
  title: string;
  gist: string;
  /** What people said of a topic: an answer before the issue's own words. */
  known: (topic: Topic) => string | null;
  /** What is assumed of a topic that nobody spoke to. */
  assumption: (topic: Topic) => string | null;
  criteria: string[];
  /** Error messages that people saw. */
  messages: string[];
  answered: { gap: Gap; note: string; author: string | null; seq: number | null }[];
  assumed: { gap: Gap; note: string }[];
  places: Place[];
  tests: Place[];
  level: Complexity;
}

const WIDE = 3;

export function factsOf(input: SpecInput): SpecFacts {
  const { reading, closedGaps } = input;
  const answered = closedGaps
    .filter((gap) => gap.closedReason === "answered")
    .map((gap) => ({ gap, ...answerOf(gap, input) }));
  const assumed = closedGaps
    .filter((gap) => gap.closedReason === "inferred")
    .map((gap) => ({ gap, note: plain(gap.closedNote ?? "") }));
  const known = (topic: Topic): string | null => {
    const answer = answered.find(({ gap }) => gap.topic === topic)?.note;
    const own = reading.aspects[topic].text;
    return answer ?? (own === undefined ? null : nonEmpty(plain(own)));
  };
  const assumption = (topic: Topic): string | null => assumed.find(({ gap }) => gap.topic === topic)?.note ?? null;
  const places = input.findings.map(placeOf).filter((place): place is Place => place !== null);
  const code = places.filter((place) => !place.isTest);
  return {
    kind: reading.kind.kind,
    title: plain(reading.title, 100) || plain(input.issue.title, 100) || "Untitled",
    gist: plain(reading.gist, 240),
    known,
    assumption,
    criteria: reading.acceptanceCriteria
      .map((one) => plain(one, 200))
      .filter((one) => one !== "")
      .slice(0, 8),
    messages: reading.facts.messages.map((one) => plain(one, 120)).filter((one) => one !== ""),
    answered,
    assumed,
    places: code,
    tests: places.filter((place) => place.isTest),
    level: levelOf(reading.kind.kind, code, closedGaps.length, reading.acceptanceCriteria.length, input.complexityHint),
  };
}

/** From the kind of issue, the files that it touches and how much had to be settled; rules go no deeper than L2 (R-SPEC-5). */
function levelOf(
  kind: SpecFacts["kind"],
  places: Place[],
  settled: number,
  criteria: number,
  hint: Complexity | null,
): Complexity {
  if (hint === "L0" || hint === "L1" || hint === "L2") return hint;
  if (hint !== null) return "L2";
  const files = new Set(places.map((place) => place.path)).size;
  if (kind === "bug" || kind === "docs" || kind === "question") return files > WIDE && settled > 1 ? "L1" : "L0";
  return (files >= WIDE && settled >= WIDE) || criteria > 4 ? "L2" : "L1";
}

function answerOf(gap: Gap, { messages }: SpecInput): { note: string; author: string | null; seq: number | null } {
  const note = gap.closedNote ?? "";
  const start = folded(note).slice(0, 60);
  const message = messages.findLast(
    ({ content, role }) => role !== "self" && start !== "" && folded(content).includes(start),
  );
  return { note: plain(note), author: message?.author ?? null, seq: message?.seq ?? null };
}

function placeOf(finding: Finding, index: number): Place | null {
  const [first] = finding.sources;
  if (!first) return null;
  const path = first.location.replace(/:\d+(?:-\d+)?$/, "");
  return {
    finding: index + 1,
    path,
    location: first.location,
    symbol: first.kind ?? null,
    isTest: classify(path).role === "test",
    synthesis: finding.synthesis,
  };
}

function nonEmpty(text: string): string | null {
  return text === "" ? null : text;
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}

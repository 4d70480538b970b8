import type { Gap } from "../../domain/gap.ts";
import type { Complexity } from "../../domain/spec.ts";
import type { IssueUsage } from "../../storage/evals.ts";
import type { EvalCase, KeyQuestion } from "./cases.ts";

/** What came of one case, before it is held against what was expected. */
export interface CaseOutcome {
  asked: Pick<Gap, "number" | "question" | "evidence" | "topic">[];
  /** Files that findings point at. */
  foundFiles: string[];
  spec: {
    complexity: Complexity;
    valid: boolean;
    words: number;
    /** Files that its tasks touch, new ones left out. */
    plannedFiles: string[];
    citations: number;
    /** Those that point at nothing. */
    wrongCitations: number;
  } | null;
  usage: IssueUsage;
  ms: number;
}

/** Shares are from 0 to 1, and null where there is nothing to take a share of. */
export interface CaseMeasures {
  keyQuestions: { expected: number; covered: string[]; missed: string[] };
  asked: number;
  /** Questions asked that nobody should have been asked, each with the expectation that forbids it. */
  falseAsks: { question: string; forbidden: string }[];
  found: Hits;
  planned: Hits | null;
}

/** Files named, those of them that are right, and those that should have been named. */
export interface Hits {
  named: number;
  right: number;
  gold: number;
}

/** Holds a case's outcome against its hidden expectations (R-OBS-4). */
export function measureCase(one: EvalCase, outcome: CaseOutcome): CaseMeasures {
  const covered = one.key_questions.filter((key) => outcome.asked.some((asked) => isAbout(asked, key)));
  return {
    keyQuestions: {
      expected: one.key_questions.length,
      covered: covered.map((key) => key.id),
      missed: one.key_questions.filter((key) => !covered.includes(key)).map((key) => key.id),
    },
    asked: outcome.asked.length,
    falseAsks: outcome.asked.flatMap((asked) => {
      const forbidden = one.forbidden_questions.find((question) => mentionsAll(asked, question.about));
      return forbidden === undefined ? [] : [{ question: asked.question, forbidden: forbidden.id }];
    }),
    found: hitsOf(outcome.foundFiles, one.gold_files),
    planned: outcome.spec === null ? null : hitsOf(outcome.spec.plannedFiles, one.gold_files),
  };
}

/** Whether a question that was asked is this key question: by its topic, or by the words in it. */
export function isAbout(asked: CaseOutcome["asked"][number], key: KeyQuestion): boolean {
  if (key.topic !== undefined && asked.topic === key.topic) return true;
  return key.about.length > 0 && mentionsAll(asked, key.about);
}

/** Reasons count only to recognise what was asked for, so only the question itself is read. */
function mentionsAll({ question }: CaseOutcome["asked"][number], groups: readonly string[][]): boolean {
  const text = question.normalize("NFKC").toLowerCase();
  return groups.every((words) => words.some((word) => text.includes(word.normalize("NFKC").toLowerCase())));
}

function hitsOf(named: readonly string[], gold: readonly string[]): Hits {
  const files = new Set(named);
  return { named: files.size, right: gold.filter((file) => files.has(file)).length, gold: gold.length };
}

/** Words as readers count them, also in languages that write none apart. */
export function countWords(text: string): number {
  return [...new Intl.Segmenter("en", { granularity: "word" }).segment(text)].filter((part) => part.isWordLike).length;
}

import type { ConversationMessage } from "../domain/conversation.ts";
import type { Exploration } from "../domain/exploration.ts";
import type { Finding, RemovedFinding } from "../domain/finding.ts";
import type { Gap } from "../domain/gap.ts";
import type { Issue } from "../domain/issue.ts";
import type { IssueReading } from "../domain/issue-text/issue-reading.ts";
import type { Learning } from "../domain/learning.ts";
import type { Complexity, SpecRef } from "../domain/spec.ts";
import type { Statement } from "../domain/statements/statement.ts";
import type { Statements } from "../domain/statements/statements.ts";
import type { WantedDocument } from "./documents.ts";
import type { SpecProblem } from "./validate/rules.ts";

/** Everything a spec is written from, loaded from the stores only (R-SPEC-1). */
export interface SpecInput {
  issue: Issue;
  /** The go-ahead, verbatim. */
  proceedSignal: string;
  contextSummary: string;
  /** All closed gaps with their notes; inferred ones are the assumptions. */
  closedGaps: Gap[];
  findings: Finding[];
  /** Findings that no longer stand; the existing spec may cite them. */
  removed: RemovedFinding[];
  /** What was looked at in the code, as it holds at this commit (R-PLAN-13). */
  explorations: Exploration[];
  learnings: Learning[];
  /** The full discussion. */
  messages: ConversationMessage[];
  /** Seqs of the messages by people who decide, and of those that give the go-ahead (R-SPEC-2). */
  deciders: ReadonlySet<number>;
  goAheads: ReadonlySet<number>;
  /** What people stated in the issue and its thread. */
  statements: Omit<Statements, "possible"> & {
    /** The comments of those who decide, each whole as one decision, where they settle more than single sentences tell. */
    record: Statement[];
  };
  /** Documents that those who decide want to be written or changed. */
  documents: readonly WantedDocument[];
  /** Messages by people who decide that no version has considered, without mere go-aheads, oldest first. */
  requests: ConversationMessage[];
  /** Seqs of all messages that no version has read in their present form. */
  unread: readonly number[];
  /** Places that the existing spec cites and whose lines have moved or changed in the code since. */
  drifted: readonly string[];
  /** People rejected the existing spec, so that nothing of it has to stay. */
  rejected: boolean;
  /** The issue's own text as facts. */
  reading: IssueReading;
  /** The issue's own text was edited since the existing spec read it. */
  textEdited: boolean;
  existing: { content: string; ref: SpecRef } | null;
  complexityHint: Complexity | null;
  maxCharacters: number;
  /** Written into the document's header. */
  now: Date;
}

/** A part of a spec that its writer says it changed, and the message or question that asked for that. */
export interface DeclaredChange {
  part: string;
  because: string;
}

export interface SpecDraft {
  markdown: string;
  /** 5-10 bullets (R-SPEC-8). */
  summary: string[];
  /** Changes since the previous version; empty for the first one. */
  changelog: string;
  /** What its writer says it changed in a revision, and why. */
  changes?: readonly DeclaredChange[];
  complexity: Complexity;
  /** The reason for the complexity (R-SPEC-5). */
  complexityReason: string;
  /** Locations of the code that its writer was shown or told of; absent where rules wrote it. */
  shown?: readonly string[];
  /** The model that wrote it, and models that failed before. */
  writtenBy?: { model: string; fellBackFrom: string[] };
}

/** Writes a spec in its own model context (R-SPEC-3); `correction` has the problems of the previous draft. */
export interface SpecGenerator {
  readonly name: string;
  /** Whether it also gets warnings: models can weigh them, rules cannot. */
  readonly takesWarnings?: boolean;
  /** SHA-256 of its prompt file, stored with each spec (R-OBS-1). */
  readonly promptHash?: string;
  generate(input: SpecInput, correction: { previous: SpecDraft; problems: SpecProblem[] } | null): Promise<SpecDraft>;
}

import type { ActionOf } from "../../domain/action.ts";
import type { AuditEntry } from "../../domain/cycle.ts";
import type { Finding } from "../../domain/finding.ts";
import type { CloseReason, Gap } from "../../domain/gap.ts";
import type { IssueAddress } from "../../domain/issue.ts";
import type { LearningType } from "../../domain/learning.ts";
import type { Log } from "../../lib/log.ts";
import type { Tracker } from "../../adapters/trackers/tracker.ts";
import type { JudgedMessage } from "./batch-state.ts";

/** A line for the record, without what the ledger gives it: id and time (R-ACT-7). */
export type AuditDraft = Omit<AuditEntry, "id" | "at">;

export type NewGap = Pick<Gap, "question" | "evidence" | "severity" | "respondent" | "topic" | "proposedDefault"> & {
  /** Stored for later, not asked now. */
  pending: boolean;
};

/** What actions write, inside of one transaction and bound to one issue: an action cannot name another. */
export interface ActionWrites {
  /** All gaps of the issue. */
  listGaps(): Promise<Gap[]>;
  addGap(gap: NewGap): Promise<Gap>;
  /** Marks a pending gap as asked now. */
  askGap(gapId: string): Promise<void>;
  /**
   * Nothing that is open counts as asked after this moment: the tracker's time of the comment that asks. Its clock is
   * another than Relay's and may tell whole seconds only, and answers are told by it.
   */
  askedNoLaterThan(at: Date): Promise<void>;
  closeGap(gapId: string, reason: CloseReason, note: string | null): Promise<void>;
  /** All findings of the issue, oldest first. */
  listFindings(): Promise<Finding[]>;
  /** Adds a finding; over the limit the oldest goes (R-ACT-6). */
  addFinding(finding: Pick<Finding, "synthesis" | "sources">): Promise<void>;
  removeFinding(findingId: string): Promise<void>;
  /** Adds what is not known yet (R-PLAN-9); false when it is. */
  addLearning(learning: { type: LearningType; content: string }): Promise<boolean>;
  /** Sets the status of the newest spec; returns the one before, or null when there is no spec. */
  setSpecStatus(status: "approved" | "rejected"): Promise<string | null>;
}

/** What became of an action, for its row and for the record. */
export interface Recorded {
  outcome: unknown;
  audit: AuditDraft[];
}

/** Writes an action's effect, or the record of it, inside of the ledger's transaction. */
export type Apply<Tx> = (tx: Tx) => Promise<Recorded>;

/** Keeps what became of each stored action (R-ACT-5). */
export interface ActionLedger<Tx extends ActionWrites> {
  /** Counts an attempt, durably, before it is made. Returns when the first one was; null where that is not known. */
  begin(actionId: string): Promise<Date | null>;
  /**
   * In one transaction: runs `apply`, appends its audit entries, marks the action done with its outcome. When
   * `apply` throws, nothing of it stays. Does nothing when the action is done already: an answer may have been lost.
   */
  finish(actionId: string, apply: Apply<Tx>): Promise<void>;
  /** Marks the action failed and appends the entries, in one transaction, unless it is done already. */
  fail(actionId: string, error: string, audit: AuditDraft[]): Promise<void>;
}

/** What a spec writer is told beside the action. */
export interface SpecAttempt {
  idempotencyKey: string;
  /** An earlier attempt may have stored its text already: look before writing another version. */
  repeated: boolean;
}

export interface ExecutorDeps<Tx extends ActionWrites> {
  /** The one issue that the actions are for. */
  issue: IssueAddress & { id: string };
  /** Why the planner wanted the actions; goes into the record. */
  reasoning: string;
  /** The full thread, for replies. */
  messages: readonly JudgedMessage[];
  /** Logins that comments may mention. */
  participants: readonly string[];
  tracker: Pick<Tracker, "bot" | "createComment" | "listComments" | "listChangedComments">;
  ledger: ActionLedger<Tx>;
  /** Has the spec written and stored; what it returns records it in the ledger's transaction. */
  generateSpec(handoff: ActionOf<"ready_for_spec_generation">["data"], attempt: SpecAttempt): Promise<Apply<Tx>>;
  /** Stores a spec as given. */
  writeSpec(spec: ActionOf<"update_spec">["data"], attempt: SpecAttempt): Promise<Apply<Tx>>;
  /** Resolves after so many milliseconds. */
  sleep: (ms: number) => Promise<void>;
  log: Log;
}

/** What every audit entry of an action needs. */
export type RecordDeps = Pick<ExecutorDeps<ActionWrites>, "issue" | "reasoning">;

/** An audit entry of an action; the planner's reasoning is its why (R-ACT-7). */
export function auditDraft(
  { issue, reasoning }: RecordDeps,
  what: string,
  { before = null, after = null }: { before?: unknown; after?: unknown },
): AuditDraft {
  return { issueId: issue.id, actor: "relay", what, why: reasoning === "" ? null : reasoning, before, after };
}

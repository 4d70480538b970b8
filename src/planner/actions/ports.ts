import type { ActionOf } from "../../domain/action.ts";
import type { AuditEntry } from "../../domain/cycle.ts";
import type { Finding, Removal } from "../../domain/finding.ts";
import type { CloseReason, Gap } from "../../domain/gap.ts";
import type { Issue, IssueAddress } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { NewLearning } from "../../storage/learnings.ts";
import type { SpecVerdict } from "../../storage/specs.ts";
import type { Tracker } from "../../adapters/trackers/tracker.ts";
import type { OwnComment } from "../../notify/own-comment.ts";
import type { PostLedger } from "../../notify/send-once.ts";
import type { JudgedMessage } from "./batch-state.ts";

/** An audit entry without id and time, which the ledger adds (R-ACT-7). */
export type AuditDraft = Omit<AuditEntry, "id" | "at">;

export type NewGap = Pick<Gap, "question" | "evidence" | "severity" | "respondent" | "topic" | "proposedDefault"> & {
  /** Stored for later instead of asked now. */
  pending: boolean;
};

/** Writes of actions within one transaction, bound to one issue: an action cannot name another. */
export interface ActionWrites {
  /** All gaps of the issue. */
  listGaps(): Promise<Gap[]>;
  addGap(gap: NewGap): Promise<Gap>;
  /** Marks a pending gap as asked now. */
  askGap(gapId: string): Promise<void>;
  /** The questions of this cycle count as asked with its newest comment, by the tracker's time of it. */
  askWithComment(): Promise<void>;
  /** Records that a comment is in the thread. */
  settlePost(key: string, comment: { id: string; createdAt: Date }): Promise<void>;
  closeGap(
    gapId: string,
    reason: CloseReason,
    outcome: Pick<Gap, "answeredIn"> & { note: string | null },
  ): Promise<void>;
  /** All findings of the issue, oldest first. */
  listFindings(): Promise<Finding[]>;
  /** Adds a finding; over the limit the oldest goes (R-ACT-6). */
  addFinding(finding: Pick<Finding, "synthesis" | "sources">): Promise<void>;
  removeFinding(findingId: string, why: Removal): Promise<void>;
  /** Proposes a learning to the issue's repository (R-SAFE-8); false if it is known there. */
  proposeLearning(learning: NewLearning): Promise<boolean>;
  /** Sets the status of the newest spec; returns the one before, or null when there is no spec. */
  setSpecStatus(verdict: SpecVerdict): Promise<string | null>;
}

/** The outcome of an action, for its row and for the audit log. */
export interface Recorded {
  outcome: unknown;
  audit: AuditDraft[];
}

/** Writes an action's effect, or its record, within the ledger's transaction. */
export type Apply<Tx> = (tx: Tx) => Promise<Recorded>;

/** Stores the outcome of each action (R-ACT-5). */
export interface ActionLedger<Tx extends ActionWrites> {
  /** Durably counts an attempt before it is made. */
  begin(actionId: string): Promise<void>;
  /**
   * In one transaction: runs `apply`, appends its audit entries, and marks the action done. Rolls back if `apply`
   * throws. Does nothing if the action is done already.
   */
  finish(actionId: string, apply: Apply<Tx>): Promise<void>;
  /** Marks the action failed and appends the entries, in one transaction, unless it is done already. */
  fail(actionId: string, error: string, audit: AuditDraft[]): Promise<void>;
}

/** The input of a spec writer in addition to the action. */
export interface SpecAttempt {
  idempotencyKey: string;
  /** An earlier attempt may have stored its text: check before writing another version. */
  repeated: boolean;
}

export interface ExecutorDeps<Tx extends ActionWrites> {
  /** The one issue that the actions are for. */
  issue: IssueAddress & Pick<Issue, "id" | "url" | "body" | "reporter">;
  /** The planner's reasons, for the audit log. */
  reasoning: string;
  /** The full thread, for replies. */
  messages: readonly JudgedMessage[];
  /** Logins that comments may mention. */
  participants: readonly string[];
  tracker: Pick<
    Tracker,
    | "bot"
    | "linked"
    | "permissionOf"
    | "isBot"
    | "settlesAfterMs"
    | "createComment"
    | "updateComment"
    | "listComments"
    | "listChangedComments"
  >;
  posts: PostLedger;
  /** Relay's comment that is in the thread where the next one goes, but was lost in a restore; null without one. */
  lostComment: () => Promise<OwnComment | null>;
  clock: Clock;
  ledger: ActionLedger<Tx>;
  /** The author of a message, if they have write access at this moment; null otherwise. */
  writerOf(message: Pick<JudgedMessage, "externalId">): Promise<string | null>;
  /** Generates and stores the spec; the result records it in the ledger's transaction. */
  generateSpec(handoff: ActionOf<"ready_for_spec_generation">["data"], attempt: SpecAttempt): Promise<Apply<Tx>>;
  /** Stores a spec as given. */
  writeSpec(spec: ActionOf<"update_spec">["data"], attempt: SpecAttempt): Promise<Apply<Tx>>;
  /** A comment with links to the places of the code that it names. */
  linked: (markdown: string) => Promise<string>;
  /** Resolves after this many milliseconds. */
  sleep: (ms: number) => Promise<void>;
  log: Log;
}

/** Dependencies of every audit entry of an action. */
export type RecordDeps = Pick<ExecutorDeps<ActionWrites>, "issue" | "reasoning">;

/** An audit entry of an action; the planner's reasoning is its why (R-ACT-7). */
export function auditDraft(
  { issue, reasoning }: RecordDeps,
  what: string,
  { before = null, after = null }: { before?: unknown; after?: unknown },
): AuditDraft {
  return { issueId: issue.id, actor: "relay", what, why: reasoning === "" ? null : reasoning, before, after };
}

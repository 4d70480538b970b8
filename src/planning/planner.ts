import type { ActionBatch, ActionProblem } from "../domain/action.ts";
import type { ConversationMessage } from "../domain/conversation.ts";
import type { Finding } from "../domain/finding.ts";
import type { Gap } from "../domain/gap.ts";
import type { Issue } from "../domain/issue.ts";
import type { Learning } from "../domain/learning.ts";

/** All that a cycle may know (R-PLAN-2). Plain values: a cycle is stateless. */
export interface CycleContext {
  issue: Issue;
  participants: { login: string; role: "reporter" | "assignee" | "self" | "other"; mayProceed: boolean }[];
  learnings: Learning[];
  /** Asked and unanswered, all of them. */
  openGaps: Gap[];
  /** Stored, not yet asked. */
  pendingGaps: Gap[];
  /** The last 10. */
  closedGaps: Gap[];
  /** The number that the next new gap of this issue will get. */
  nextGapNumber: number;
  findings: Finding[];
  /** What is known about the current spec, without its text (R-PLAN-3). */
  specStub: string | null;
  /** `FAILED: …` lines of the previous cycle (R-ACT-4). */
  failures: string[];
  /** The most recent messages, oldest first. */
  messages: ConversationMessage[];
  /** How many older messages were left out. */
  omittedMessages: number;
  /** Seqs of the messages by others that no earlier cycle has seen, or that were edited since. */
  newMessages: number[];
  /** Whether Relay's last word was the question for the go-ahead (R-PLAN-7). */
  proceedAsked: boolean;
}

/** Asks for a batch of actions; `problems` are those of its previous answer in this cycle, if any (R-ACT-2). */
export interface Planner {
  /** `offline`, or `provider/model`. */
  readonly name: string;
  plan(context: CycleContext, problems: ActionProblem[]): Promise<ActionBatch>;
}

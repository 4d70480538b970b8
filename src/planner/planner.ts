import type { ActionBatch, ActionProblem } from "../domain/action.ts";
import type { ConversationMessage } from "../domain/conversation.ts";
import type { Exploration } from "../domain/exploration.ts";
import type { Finding } from "../domain/finding.ts";
import type { Gap } from "../domain/gap.ts";
import type { Issue } from "../domain/issue.ts";
import type { Learning } from "../domain/learning.ts";
import type { RelayError } from "../lib/errors.ts";
import type { Usage } from "../adapters/models/usage.ts";

/** Everything a cycle may know (R-PLAN-2). Plain values: a cycle is stateless. */
export interface CycleContext {
  issue: Issue;
  /** With their permissions at this moment. */
  participants: { login: string; role: "reporter" | "assignee" | "self" | "other"; mayProceed: boolean }[];
  learnings: Learning[];
  /** All asked and unanswered gaps. */
  openGaps: Gap[];
  /** Stored but not asked yet. */
  pendingGaps: Gap[];
  /** The last 10. */
  closedGaps: Gap[];
  /** Number of the next new gap. */
  nextGapNumber: number;
  findings: Finding[];
  /** What earlier looks at the code found, as it holds at this commit (R-PLAN-13). */
  explorations: Exploration[];
  /** Metadata of the current spec, without its text (R-PLAN-3). */
  specStub: string | null;
  /** The address of its current version; null if it has none. */
  specUrl: string | null;
  /** `FAILED: …` lines of the previous cycle (R-ACT-4). */
  failures: string[];
  /** The most recent messages, oldest first. */
  messages: ConversationMessage[];
  /** Number of older messages that were left out. */
  omittedMessages: number;
  /** Seqs of the messages by others that no earlier cycle has seen, or that were edited since. */
  newMessages: number[];
  /** Whether Relay's last message asked for the go-ahead (R-PLAN-7). */
  proceedAsked: boolean;
  /** There is a plan of the spec: people approve it or say what to change, so no go-ahead is asked for. */
  planned: boolean;
  /** That plan stands as posted; otherwise a new version follows this cycle. */
  planStands: boolean;
  /**
   * Seqs of the messages in which somebody whose approval of that plan counts, or of one whose work is over, asks for a
   * change: each is the go-ahead for revising spec and plan (R-CONF-9).
   */
  wishes: number[];
  /** Fast track: the spec needs no go-ahead of its own as long as nothing is open (R-LIFE-7). */
  quickWay: boolean;
  /** The issue's own text was edited since the spec read it (R-SPEC-16). */
  textEdited: boolean;
}

/** The result of validating a submission (R-ACT-2). */
export type Judged =
  | { kind: "accepted"; batch: ActionBatch }
  /** `batch` is null if it cannot be parsed. */
  | { kind: "refused"; problems: ActionProblem[]; batch: ActionBatch | null };

/** Validates a submission of any form against the issue's state in this cycle. Pure. */
export type Judge = (submitted: unknown) => Judged;

/** The cost of planning; failed and refused cycles cost money as well (R-OBS-1). */
export interface PlannerRun {
  /** `provider/model` of the last answer. */
  model: string;
  /** Models that failed before, in order. */
  fellBackFrom: string[];
  /** Model calls, including explorations and retries. */
  calls: number;
  usage: Usage;
  /** US dollars, including explorations; null if the price of a call is unknown. */
  costUsd: number | null;
  explorations: number;
  /** Submissions that were refused and sent back. */
  refusals: number;
  /** SHA-256 of the prompt file. */
  promptHash: string;
}

/** `run` is null if no model was called. */
export type Planned = { run: PlannerRun | null } & (
  | { kind: "planned"; batch: ActionBatch }
  /** Still refused after two corrections (R-ACT-2). */
  | { kind: "refused"; problems: ActionProblem[] }
  /** No usable answer: the model failed, declined, hit a limit or never submitted. `why` is a word or two. */
  | { kind: "unable"; why: string; error: RelayError }
);

/**
 * Plans the actions of a cycle without executing or writing anything (R-PLAN-1). Every submission must pass `judge`; it
 * may be corrected twice. Model failures are values, so that a cycle fails as a whole; only bugs in Relay throw.
 */
export interface Planner {
  /** `offline`, or `provider/model`. */
  readonly name: string;
  plan(context: CycleContext, judge: Judge): Promise<Planned>;
}

/**
 * Falls back to the rules if the model is unable to plan. The model's cost stays recorded, and the reasoning names the
 * planner. A refused batch is no reason to fall back.
 */
export function withRulesFallback(planner: Planner, rules: Planner): Planner {
  return {
    name: planner.name,
    plan: async (context, judge) => {
      const first = await planner.plan(context, judge);
      if (first.kind !== "unable") return first;
      const second = await rules.plan(context, judge);
      const run = first.run === null ? null : tookOver(first.run, rules.name);
      if (second.kind !== "planned") return { ...second, run };
      const reasoning = `planned by the rules, as ${planner.name} failed (${first.why}): ${second.batch.reasoning}`;
      return { kind: "planned", batch: { ...second.batch, reasoning }, run };
    },
  };
}

function tookOver(run: PlannerRun, by: string): PlannerRun {
  return { ...run, model: by, fellBackFrom: [...run.fellBackFrom, run.model] };
}

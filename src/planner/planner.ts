import type { ActionBatch, ActionProblem } from "../domain/action.ts";
import type { ConversationMessage } from "../domain/conversation.ts";
import type { Finding } from "../domain/finding.ts";
import type { Gap } from "../domain/gap.ts";
import type { Issue } from "../domain/issue.ts";
import type { Learning } from "../domain/learning.ts";
import type { RelayError } from "../lib/errors.ts";
import type { Usage } from "../adapters/models/usage.ts";

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
  /** Whether the spec needs no go-ahead of its own, as long as nothing is open (R-LIFE-7). */
  quickWay: boolean;
}

/** What the rules of actions say of something that a planner hands in (R-ACT-2). */
export type Judged =
  | { kind: "accepted"; batch: ActionBatch }
  /** `batch` is null for what cannot be read as one. */
  | { kind: "refused"; problems: ActionProblem[]; batch: ActionBatch | null };

/** Judges a submission in whatever form it comes, by the issue as it stands in this cycle. Pure. */
export type Judge = (submitted: unknown) => Judged;

/** What planning took, whatever came of it: failed and refused cycles cost money as well (R-OBS-1). */
export interface PlannerRun {
  /** `provider/model` that answered last. */
  model: string;
  /** Models that were given up on the way, first to last. */
  fellBackFrom: string[];
  /** Calls of models, those of explorations and retries included. */
  calls: number;
  usage: Usage;
  /** US dollars, explorations included; null as soon as one call had no known price. */
  costUsd: number | null;
  explorations: number;
  /** Submissions that were sent back to be mended. */
  refusals: number;
  /** sha256 of the prompt file that the rules came from. */
  promptHash: string;
}

/** `run` is null where no model was asked. */
export type Planned = { run: PlannerRun | null } & (
  | { kind: "planned"; batch: ActionBatch }
  /** Still refused after two rounds of mending (R-ACT-2). */
  | { kind: "refused"; problems: ActionProblem[] }
  /** No usable answer: the model failed, declined, reached a limit or never submitted. `why` is one short word or two. */
  | { kind: "unable"; why: string; error: RelayError }
);

/**
 * Thinks of the actions of a cycle; it carries out and writes nothing (R-PLAN-1). What it hands in is only as good as
 * `judge` says: it mends what was refused, twice at most. Whatever goes wrong with a model ends in a value, so that a
 * cycle fails whole; only faults of Relay itself throw.
 */
export interface Planner {
  /** `offline`, or `provider/model`. */
  readonly name: string;
  plan(context: CycleContext, judge: Judge): Promise<Planned>;
}

/**
 * Lets the rules plan where the model could not, for a passing reason or a lasting one. What the model took stays on
 * the record, and the reasoning says who planned. What was refused is no reason: the rules would have to say the same.
 */
export function thenOffline(planner: Planner, rules: Planner): Planner {
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

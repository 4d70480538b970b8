import { RelayError } from "../lib/errors.ts";
import type { IssueState, LifecycleEvent } from "../domain/lifecycle.ts";

/**
 * The life of an issue, as data. Read this file first: it says what each state waits for, what can happen in it, and
 * what follows. `transition.ts` carries out what is decided here; nothing else moves an issue (R-LIFE-1).
 */

/** What a state waits for, and what a wake-up does in it: after the debounce, or when somebody asks directly. */
export const WAITS: Readonly<Record<IssueState, { waitsFor: string; wake: WakeStep }>> = {
  pending_plan: { waitsFor: "the debounce", wake: "plan" },
  planning: { waitsFor: "the planner", wake: "plan" },
  clarifying: { waitsFor: "answers", wake: "plan" },
  awaiting_proceed: { waitsFor: "the go-ahead for the spec", wake: "plan" },
  specifying: { waitsFor: "the spec writer", wake: "plan" },
  waiting_confirmation: { waitsFor: "the approval of the plan", wake: "check_approval" },
  queued: { waitsFor: "a worker", wake: "check_approval" },
  in_progress: { waitsFor: "the worker", wake: "check_approval" },
  in_review: { waitsFor: "a review", wake: "check_review" },
  done: { waitsFor: "nothing; a comment revises the spec", wake: "plan" },
  stuck: { waitsFor: "an answer", wake: "check_answer" },
  failed: { waitsFor: "the operator", wake: "check_review" },
  paused: { waitsFor: "the operator, or a new budget window", wake: "rest" },
  closed: { waitsFor: "nothing", wake: "rest" },
};

/**
 * `plan`: a planner cycle, and the spec and plan that follow from it. `check_approval`, `check_answer`, `check_review`:
 * read what people wrote or did since. `rest`: nothing.
 */
export type WakeStep = "plan" | "check_approval" | "check_answer" | "check_review" | "rest";

/** What the executor does beside moving the issue, in the same transaction. */
export type Effect =
  /** The next wake-up is due now, so that a crash right after this loses no work. */
  | "wake"
  /** The same, unless a debounce is under way: its end wakes the issue. */
  | "wake_unless_debouncing"
  | "end_debounce"
  /** The posted plan no longer counts: the next one needs an approval of its own. */
  | "discard_plan"
  /** The approval of the plan that the last task carries out counts again. */
  | "restore_plan"
  /** A queued, running or stuck task is cancelled, with its run. */
  | "cancel_task"
  | "finish_task"
  /** Hands the task to a worker. */
  | "send_task"
  /** Everything said so far has been acted on. */
  | "mark_read"
  | "count_failure"
  | "reset_failures";

/** `return`: the state before the issue was worked on, paused or closed. `ignore`: the event means nothing here. */
export interface Rule {
  next: IssueState | "stay" | "return" | "ignore";
  effects?: readonly Effect[];
  /** The state to return to later. `here`: this one. `keep`: the one that is known. By default there is none. */
  returnTo?: IssueState | "here" | "keep";
}

type Rules = Readonly<Partial<Record<LifecycleEvent, Rule>>>;

const stay: Rule = { next: "stay", returnTo: "keep" };
const ignore: Rule = { next: "ignore" };

/** Late reports change nothing if people have stopped the issue meanwhile; there is nothing more to stop either. */
const LATE: Rules = {
  plan_posted: ignore,
  plan_failed: ignore,
  plan_unneeded: ignore,
  run_stuck: ignore,
  run_failed: ignore,
  run_unneeded: ignore,
  pull_request_opened: ignore,
  stop_requested: ignore,
};

/** What can happen in every open state. */
export const OPEN: Rules = {
  ...LATE,
  issue_closed: { next: "closed", effects: ["end_debounce", "discard_plan", "cancel_task"], returnTo: "here" },
  bot_unassigned: { next: "closed", effects: ["end_debounce", "discard_plan", "cancel_task"], returnTo: "here" },
  pause_requested: { next: "paused", returnTo: "here" },
  budget_used_up: { next: "paused", returnTo: "here" },
};

/** A cycle begins: if it asks nothing and writes nothing, the issue returns to where it was. */
const PLANS: Rules = { cycle_started: { next: "planning", returnTo: "here" } };

const CYCLE_ENDS: Rules = {
  cycle_started: stay,
  spec_approved: { next: "specifying", returnTo: "keep" },
  // Its plan comes next: after any interruption the issue returns here for it.
  spec_written: { next: "specifying", effects: ["reset_failures"], returnTo: "specifying" },
  last_spec_written: { next: "done", effects: ["reset_failures"] },
  questions_asked: { next: "clarifying", effects: ["reset_failures"] },
  go_ahead_asked: { next: "awaiting_proceed", effects: ["reset_failures"] },
  nothing_asked: { next: "return", effects: ["reset_failures"] },
  cycle_failed: { next: "return", effects: ["count_failure"] },
  circuit_opened: { next: "paused", effects: ["count_failure"], returnTo: "here" },
};

/** A pull request may exist in these states, and people may merge or close it at any time (R-WORK-9). */
const WITH_PULL_REQUEST: Rules = {
  pull_request_merged: { next: "done", effects: ["finish_task", "end_debounce"] },
  pull_request_closed: {
    next: "closed",
    effects: ["finish_task", "discard_plan", "end_debounce"],
    returnTo: "waiting_confirmation",
  },
};

/** A task exists: closing cancels it, and an issue that is taken up again needs a new approval. */
const WITH_TASK: Rules = {
  ...WITH_PULL_REQUEST,
  issue_closed: { ...OPEN.issue_closed, next: "closed", returnTo: "waiting_confirmation" },
  bot_unassigned: { ...OPEN.bot_unassigned, next: "closed", returnTo: "waiting_confirmation" },
  request_changed: {
    next: "waiting_confirmation",
    effects: ["cancel_task", "discard_plan", "wake_unless_debouncing"],
  },
  stop_requested: { next: "waiting_confirmation", effects: ["cancel_task"] },
};

const succeeded: Rule = { ...stay, effects: ["reset_failures"] };
const failed: Rule = { ...stay, effects: ["count_failure"] };

/** A cycle that was running when people paused or closed the issue changes only the state to return to. */
const CYCLE_ENDS_LATE: Rules = {
  spec_written: { ...succeeded, returnTo: "specifying" },
  last_spec_written: { ...succeeded, returnTo: "done" },
  questions_asked: succeeded,
  go_ahead_asked: succeeded,
  nothing_asked: succeeded,
  cycle_failed: failed,
  circuit_opened: failed,
};

/** State x event -> next state and effects. What is not listed must not happen: it is an error. */
export const MACHINE: Readonly<Record<IssueState, Rules>> = {
  pending_plan: { ...OPEN, ...PLANS },
  planning: { ...OPEN, ...CYCLE_ENDS },
  clarifying: { ...OPEN, ...PLANS },
  awaiting_proceed: { ...OPEN, ...PLANS },
  specifying: {
    ...OPEN,
    ...CYCLE_ENDS,
    spec_approved: stay,
    plan_posted: { next: "waiting_confirmation" },
    plan_failed: { next: "done" },
    plan_unneeded: { next: "done" },
  },
  waiting_confirmation: {
    ...OPEN,
    ...PLANS,
    ...WITH_PULL_REQUEST,
    plan_posted: stay,
    plan_approved: { next: "queued", effects: ["mark_read"] },
    work_approved: { next: "queued", effects: ["mark_read", "send_task"] },
    stop_requested: { next: "stay" },
  },
  queued: { ...OPEN, ...WITH_TASK, run_started: { next: "in_progress" } },
  in_progress: {
    ...OPEN,
    ...WITH_TASK,
    run_started: stay,
    run_stuck: { next: "stuck" },
    run_failed: { next: "failed" },
    run_unneeded: { next: "in_review" },
    pull_request_opened: { next: "in_review" },
  },
  in_review: {
    ...OPEN,
    ...WITH_PULL_REQUEST,
    changes_requested: { next: "queued", effects: ["send_task"] },
    stop_requested: { next: "stay" },
  },
  done: { ...OPEN, ...PLANS, plan_posted: { next: "waiting_confirmation" } },
  stuck: {
    ...OPEN,
    ...PLANS,
    ...WITH_TASK,
    question_answered: { next: "queued", effects: ["mark_read", "send_task"] },
    retry_requested: { next: "queued", effects: ["mark_read", "send_task"] },
  },
  failed: {
    ...OPEN,
    ...PLANS,
    ...WITH_PULL_REQUEST,
    retry_requested: { next: "queued", effects: ["mark_read", "send_task"] },
  },
  paused: {
    ...OPEN,
    ...CYCLE_ENDS_LATE,
    pause_requested: stay,
    budget_used_up: stay,
    budget_renewed: { next: "return", effects: ["wake"] },
    resume_requested: { next: "return", effects: ["reset_failures"] },
    pull_request_opened: { next: "stay", returnTo: "in_review" },
  },
  closed: {
    ...LATE,
    ...CYCLE_ENDS_LATE,
    issue_closed: { ...stay, effects: ["end_debounce", "discard_plan", "cancel_task"] },
    bot_unassigned: { ...stay, effects: ["end_debounce", "discard_plan", "cancel_task"] },
    issue_resumed: { next: "return", effects: ["wake"] },
    pull_request_reopened: { next: "in_review", effects: ["restore_plan"] },
    resume_requested: { next: "return", effects: ["reset_failures"] },
  },
};

/** The state to which interrupted work returns; a waiting state returns to itself. */
const BEFORE_WORK: Partial<Record<IssueState, IssueState>> = {
  planning: "pending_plan",
  specifying: "pending_plan",
  in_progress: "queued",
};

const HAS_TASK: ReadonlySet<IssueState> = new Set(["queued", "in_progress", "stuck"]);

/** The state to return to when the work, the pause or the closing of an issue in this state ends. */
export function returnState(state: IssueState, returnTo: IssueState | null): IssueState {
  return returnTo ?? BEFORE_WORK[state] ?? (state === "paused" || state === "closed" ? "pending_plan" : state);
}

export interface Step {
  state: IssueState;
  returnTo: IssueState | null;
  effects: readonly Effect[];
}

/**
 * What follows from an event; null where it means nothing in this state. `returnTo` is the stored state to return to.
 * Throws `illegal_transition`, naming state and event, where the event must not happen (R-LIFE-1).
 */
export function nextStep(
  issue: { name: string; state: IssueState; returnTo: IssueState | null },
  event: LifecycleEvent,
): Step | null {
  const rule = MACHINE[issue.state][event];
  if (rule === undefined) {
    throw new RelayError(
      "illegal_transition",
      `${event} cannot happen to issue ${issue.name}, which is ${issue.state}`,
    );
  }
  if (rule.next === "ignore") return null;
  const { effects = [] } = rule;
  const back = returnState(issue.state, issue.returnTo);
  const state = rule.next === "stay" ? issue.state : rule.next === "return" ? back : rule.next;
  const kept = rule.returnTo === "keep" ? issue.returnTo : (rule.returnTo ?? null);
  const returnTo = kept === "here" ? back : kept;
  // A task that closing cancels needs a new approval, also where the issue was paused meanwhile.
  const cancelled =
    effects.includes("cancel_task") && state === "closed" && returnTo !== null && HAS_TASK.has(returnTo);
  return { state, returnTo: cancelled ? "waiting_confirmation" : returnTo, effects };
}

/** How long an issue waits after an event, and whether words that decide are looked for at once (R-LIFE-3). */
export function debounceAfter(
  state: IssueState,
  asked: "now" | "quiet",
  idleMs: number,
): { ms: number; checksNow: boolean } {
  return { ms: asked === "now" ? 0 : idleMs, checksNow: checksNow({ state }) };
}

/** Whether words that approve or halt are looked for at once where an issue stands. */
export function checksNow({ state }: { state: IssueState }): boolean {
  return WAITS[state].wake === "check_approval";
}

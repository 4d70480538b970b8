import type { Gap } from "../../domain/gap.ts";
import type { Issue } from "../../domain/issue.ts";
import type { IssueState, LifecycleEvent } from "../../domain/lifecycle.ts";
import type { NoticeEvent } from "../../domain/notice.ts";
import { basisOf } from "../../domain/plan.ts";
import type { Stand, Standing } from "../../domain/standing.ts";
import type { IssueOverview } from "../../storage/issue-overview.ts";

/** Something that people get a notice about. */
export interface Occasion {
  /** Its types; a target that wants several of them gets the first one only. */
  types: readonly [NoticeEvent, ...NoticeEvent[]];
  stand: Stand;
  /** Identifies the message: nobody gets the same one twice. */
  key: string;
}

export interface OccasionFacts {
  issue: Issue;
  /** Where the issue was before. */
  from: IssueState;
  standing: Standing;
  overview: Pick<IssueOverview, "gaps" | "plan" | "task" | "run" | "request" | "stop">;
  /** An id of this occasion alone, for keys that must not repeat. */
  unique: string;
}

type Reading = (facts: OccasionFacts) => Occasion | null;

/** An issue that people paused or closed meanwhile asks nobody for anything. */
const unlessStopped =
  (read: Reading): Reading =>
  (facts) =>
    facts.issue.state === "paused" || facts.issue.state === "closed" ? null : read(facts);

/** What people are told when one of these events has moved an issue; other events cause no notice. */
const OCCASIONS: Readonly<Partial<Record<LifecycleEvent, Reading>>> = {
  questions_asked: unlessStopped(({ issue, overview: { gaps } }) => ({
    types: ["waiting"],
    stand: "answers",
    key: `answers:${issue.id}:${questionsOf(gaps)}`,
  })),
  go_ahead_asked: unlessStopped(({ unique }) => ({
    types: ["waiting"],
    stand: "go_ahead",
    key: `go-ahead:${unique}`,
  })),
  plan_posted: unlessStopped(({ overview: { plan }, unique }) => ({
    types: ["waiting"],
    stand: "approval",
    key: `plan:${plan?.id ?? unique}`,
  })),
  plan_approved: unlessStopped(({ overview: { task }, unique }) => ({
    types: ["waiting"],
    stand: "person",
    key: `person:${task?.id ?? unique}`,
  })),
  plan_failed: unlessStopped(({ issue }) => ({
    types: ["stuck"],
    stand: "no_plan",
    key: `no-plan:${issue.id}:${basisOf(issue)}`,
  })),
  plan_unneeded: unlessStopped(specReady),
  last_spec_written: unlessStopped(specReady),
  run_stuck: unlessStopped(({ overview: { run }, unique }) => ({
    types: ["stuck"],
    stand: "stuck",
    key: `stuck:${run?.id ?? unique}`,
  })),
  run_failed: unlessStopped(({ overview: { run }, unique }) => ({
    types: ["stuck"],
    stand: "failed",
    key: `stuck:${run?.id ?? unique}`,
  })),
  run_unneeded: unlessStopped(stuckAtRequest),
  // The request is there, even if somebody paused the issue meanwhile.
  pull_request_opened: ({ overview: { run, task }, unique }) =>
    run?.reason === "plan"
      ? { types: ["request_opened", "waiting"], stand: "review", key: `request:${task?.id ?? unique}` }
      : { types: ["waiting"], stand: "review", key: `review:${run?.id ?? unique}` },
  pull_request_merged: ({ overview: { task }, unique }) => ({
    types: ["merged"],
    stand: "merged",
    key: `merged:${task?.id ?? unique}`,
  }),
  // Where the operator paused the issue before, nothing changes.
  budget_used_up: (facts) =>
    facts.from === "paused" ? null : { types: ["budget"], stand: "budget", key: budgetKey(facts) },
  circuit_opened: ({ from, issue, unique }) =>
    from === "paused" || issue.state !== "paused"
      ? null
      : { types: ["stuck"], stand: "paused", key: `paused:${unique}` },
};

/** Whether an event may cause a notice. */
export function mayTell(event: LifecycleEvent): boolean {
  return event in OCCASIONS;
}

/** Pure. What people are told when this event has moved an issue; null for nothing. */
export function occasionOf(event: LifecycleEvent, facts: OccasionFacts): Occasion | null {
  return OCCASIONS[event]?.(facts) ?? null;
}

/** Pure. The same for an issue that may have got stuck at its request, however that was found out (R-WORK-15). */
export function stuckAtRequest({ standing, overview, unique }: OccasionFacts): Occasion | null {
  const { stand } = standing;
  if (stand !== "hint" && stand !== "red_checks" && stand !== "conflict") return null;
  return { types: ["stuck"], stand, key: `stuck:${overview.run?.id ?? unique}` };
}

/** The spec is where an issue ends that gets no plan. */
function specReady({ issue, unique }: OccasionFacts): Occasion {
  return { types: ["spec_ready"], stand: "spec_ready", key: `spec:${issue.id}:${issue.spec?.sha256 ?? unique}` };
}

/** Of the open questions, the one that was asked last; null without one. */
export function newestQuestion(gaps: readonly Gap[]): Gap | null {
  const open = gaps.filter(({ status }) => status === "open");
  return open.toSorted((a, b) => (a.askedAt?.getTime() ?? 0) - (b.askedAt?.getTime() ?? 0)).at(-1) ?? null;
}

/** An answer to some of the questions is no new occasion. */
function questionsOf(gaps: readonly Gap[]): string {
  const newest = newestQuestion(gaps);
  return newest?.askedIn ?? String(newest?.number ?? 0);
}

/** A budget of several issues causes one notice. */
function budgetKey({ issue, overview: { stop }, unique }: OccasionFacts): string {
  if (stop === null) return `budget:${unique}`;
  const of = { issue: issue.id, repository_day: issue.repositoryId, workspace_month: "" }[stop.budget];
  return `budget:${stop.budget}:${of}:${stop.window}`;
}

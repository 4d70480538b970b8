import type { Gap } from "./gap.ts";
import type { Issue } from "./issue.ts";
import { isAmong } from "./login.ts";
import { type PostedPlan, type Task, basisOf } from "./plan.ts";
import type { Run, TaskRequest } from "./work.ts";

/** What an issue waits for, or what is being done in it; each has its words in the catalogue `status`. */
export const STANDS = [
  "quiet",
  "reading",
  "answers",
  "go_ahead",
  "writing_spec",
  "making_plan",
  "approval",
  "halted",
  "worker",
  "person",
  "working_plan",
  "working_review",
  "working_checks",
  "working_conflict",
  "review",
  "red_checks",
  "hint",
  "conflict",
  "merged",
  "no_plan",
  "spec_ready",
  "stuck",
  "failed",
  "budget",
  "paused",
  "closed",
  "unassigned",
  "request_closed",
] as const;
export type Stand = (typeof STANDS)[number];

/** Somebody by what they may do: write to the repository, maintain it, or operate Relay. */
export const ANYONE = ["write", "maintain", "operator"] as const;
export type Anyone = (typeof ANYONE)[number];

/** Where an issue stands: for whom and for what it waits, and until when (R-LIFE-9, R-OBS-5). */
export interface Standing {
  stand: Stand;
  /** When it came to its state. */
  since: Date;
  /** Logins of those it waits for. */
  people: string[];
  /** Who else can act; null if nobody else, or nobody needs to. */
  anyone: Anyone | null;
  /** When it goes on by itself; null if only somebody's act lets it. */
  until: Date | null;
}

/** What is stored of an issue, as far as it decides where the issue stands. */
export interface StandingFacts {
  since: Date;
  gaps: readonly Gap[];
  spec: { createdAt: Date } | null;
  plan: PostedPlan | null;
  task: Task | null;
  run: Run | null;
  request: TaskRequest | null;
  stop: { resumesAt: Date | null } | null;
  /** Whether the tracker shows the issue closed. */
  isClosed: boolean;
  /** The keys of comments that somebody has to act on. */
  calls: readonly string[];
}

/** Pure. `bot`: Relay's own login, which waits for nobody. */
export function standingOf(issue: Issue, facts: StandingFacts, bot: string): Standing {
  const stand = standOf(issue, facts);
  const until = stand === "budget" ? (facts.stop?.resumesAt ?? null) : issue.debounceUntil;
  return { stand, since: facts.since, ...waitsFor(stand, issue, facts, bot), until };
}

function standOf(issue: Issue, facts: StandingFacts): Stand {
  const { spec, plan, task, run, request, since } = facts;
  switch (issue.state) {
    case "pending_plan":
      return "quiet";
    case "planning":
      return "reading";
    case "clarifying":
      return "answers";
    case "awaiting_proceed":
      return "go_ahead";
    case "specifying":
      return spec !== null && spec.createdAt >= since ? "making_plan" : "writing_spec";
    case "waiting_confirmation":
      if (plan?.stopped === true) return "halted";
      return plan?.status === "posted" ? "approval" : "making_plan";
    case "queued":
      if (request !== null) return `working_${run?.reason ?? "review"}`;
      return task?.mode === "implement" ? "worker" : "person";
    case "in_progress":
      return `working_${run?.reason ?? "plan"}`;
    case "in_review":
      if (plan?.stopped === true) return "halted";
      return inReview(facts);
    case "done":
      if (request?.state === "merged") return "merged";
      return facts.calls.includes(`plan-failed:${basisOf(issue).slice(0, 16)}`) ? "no_plan" : "spec_ready";
    case "stuck":
      return "stuck";
    case "failed":
      return "failed";
    case "paused":
      return facts.stop?.resumesAt == null ? "paused" : "budget";
    case "closed":
      if (facts.isClosed) return "closed";
      return request?.state === "closed" ? "request_closed" : "unassigned";
    default:
      return issue.state satisfies never;
  }
}

/** The key, without its end, of the words that all red checks are left as they are since this run. */
export function leftRedKey(runId: string): string {
  return `left-red:${runId}`;
}

/** The key of the words that a run which got stuck at the request is left so. */
export function leftStuckKey(runId: string): string {
  return `left-stuck:${runId}`;
}

/** Whether an issue in this state waits for somebody because Relay got stuck, also at its request (R-LIFE-5). */
export function isStuck(stand: Stand): boolean {
  return ["hint", "red_checks", "conflict", "stuck", "failed", "paused", "budget"].includes(stand);
}

/** What a failed run for a conflict is said to have ended with once people resolved it. */
export const RESOLVED_BY_PEOPLE = "people resolved the conflict";

/** Whether a run could not resolve a conflict, and people have not done so since. */
export function isInConflict({ reason, status, detail }: Pick<Run, "reason" | "status" | "detail">): boolean {
  return reason === "conflict" && status === "failed" && detail !== RESOLVED_BY_PEOPLE;
}

/** A run that got stuck has told so at the request, and waits for a word there. */
function inReview({ task, run, calls }: StandingFacts): Stand {
  if (calls.includes(leftStuckKey(run?.id ?? ""))) return "review";
  if (run !== null && isInConflict(run)) return "conflict";
  const isRed = run?.reason === "checks" && run.status === "stuck";
  if (isRed || calls.includes(`red:${task?.id ?? ""}:${run?.head ?? ""}`)) {
    return calls.some((key) => key.startsWith(`${leftRedKey(run?.id ?? "")}:`)) ? "review" : "red_checks";
  }
  return run?.status === "stuck" ? "hint" : "review";
}

function waitsFor(
  stand: Stand,
  issue: Issue,
  { gaps, plan }: StandingFacts,
  bot: string,
): Pick<Standing, "people" | "anyone"> {
  const assignees = issue.assignees.filter((login) => !isAmong(login, [bot, issue.reporter]));
  switch (stand) {
    case "answers": {
      const asked = new Set(gaps.filter(({ status }) => status === "open").map(({ respondent }) => respondent));
      const people = [
        ...(asked.has("reporter") ? [issue.reporter] : []),
        ...(asked.has("assignee") ? (assignees.length > 0 ? assignees : [issue.reporter]) : []),
      ];
      return { people: [...new Set(people)], anyone: asked.has("maintainer") ? "write" : null };
    }
    case "go_ahead":
      return { people: [issue.reporter, ...assignees], anyone: "write" };
    case "approval":
      return { people: [], anyone: plan?.triage.risk === "HIGH" ? "maintain" : "write" };
    case "halted":
      return { people: plan?.stop == null ? [] : [plan.stop.by], anyone: "write" };
    case "person":
    case "review":
    case "red_checks":
    case "hint":
    case "conflict":
    case "no_plan":
      return { people: [], anyone: "write" };
    case "stuck":
      return { people: [issue.reporter, ...assignees], anyone: "write" };
    case "failed":
    case "paused":
      return { people: [], anyone: "operator" };
    default:
      return { people: [], anyone: null };
  }
}

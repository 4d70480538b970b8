import { type Issue, issueName } from "../../domain/issue.ts";
import type { IssueState } from "../../domain/lifecycle.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Db } from "../../storage/db.ts";
import { listGaps } from "../../storage/gaps.ts";
import { lockIssue } from "../../storage/issues.ts";
import { latestPlan } from "../../storage/plans.ts";
import type { IssueOverview } from "../../storage/issue-overview.ts";
import { lastDecision } from "../../storage/proxied-comments.ts";
import { latestSpec } from "../../storage/specs.ts";

/** The decisions that take one click or call, and the words that each puts into the thread. */
const WORDS = {
  "go-ahead": "Go ahead with the spec.",
  agree: "Yes, go ahead.",
  retry: "Please try again.",
  stop: "Please stop.",
};

/** The states that each decision fits, and why it fits no other; an agreement depends on the plan alone. */
const FITTING: Record<Exclude<DecisionName, "agree">, { states: readonly IssueState[]; otherwise: string }> = {
  "go-ahead": { states: ["clarifying", "awaiting_proceed"], otherwise: "it waits for no go-ahead" },
  retry: { states: ["stuck"], otherwise: "there is nothing to try again" },
  stop: {
    states: ["waiting_confirmation", "queued", "in_progress", "in_review"],
    otherwise: "there is nothing to stop",
  },
};

export type DecisionName = keyof typeof WORDS;

/** `about` is what the person saw, as `aboutOf` names it, or a plan's version alone; null for whatever waits now. */
export interface Decision {
  name: DecisionName;
  about: string | null;
}

/** Parses a name, with what it is about behind a colon: `agree:2:5f3a`. Null if it names no decision. */
export function decisionIn(text: string): Decision | null {
  const [first = "", ...about] = text.split(":");
  const name = Object.keys(WORDS).find((one): one is DecisionName => one === first);
  return name === undefined ? null : { name, about: about.length === 0 ? null : about.join(":") };
}

type Shown = { gaps: readonly unknown[] } & Pick<IssueOverview, "plan"> & { spec: { version: number } | null };

/** What a decision would be about now: the plan and its hash; the spec and its questions; nothing for a stop. */
export function aboutOf(name: DecisionName, { gaps, spec, plan }: Shown): string | null {
  switch (name) {
    case "agree":
      return plan === null ? null : `${plan.version}:${plan.sha256.slice(0, 16)}`;
    case "go-ahead":
    case "retry":
      return `${spec?.version ?? 0}:${gaps.length}`;
    case "stop":
      return null;
    default:
      return name satisfies never;
  }
}

/** Whether the decision fits the state of the issue. */
export function isOpen(name: DecisionName, { state }: Pick<Issue, "state">): boolean {
  return name === "agree" ? state === "waiting_confirmation" : FITTING[name].states.includes(state);
}

export function wordsOf({ name }: Decision): string {
  return WORDS[name];
}

/**
 * The key of this person's decision. It stays the same until somebody comments in the thread, so that a decision that
 * still holds is not posted twice (R-ACT-5). Locks the issue until the transaction ends. Throws `not_found` without a
 * plan, and `conflict` if the issue no longer waits for this decision.
 */
export async function decisionKey(
  tx: Db,
  issueId: string,
  decision: Decision,
  { login, ids }: { login: string; ids: Ids },
): Promise<string> {
  const issue = await lockIssue(tx, issueId);
  const [gaps, spec, plan] = [
    await listGaps(tx, issueId),
    await latestSpec(tx, issueId),
    await latestPlan(tx, issueId),
  ];
  const now = aboutOf(decision.name, { gaps, spec, plan });
  requireOpen(issue, decision, { now, plan });
  const gate = [decision.name, now ?? issue.state].join(":");
  const last = await lastDecision(tx, { issueId, login, gate });
  return last?.stands === true ? last.key : `${gate}#${ids.next()}`;
}

function requireOpen(
  issue: Issue,
  { name, about }: Decision,
  { now, plan }: { now: string | null; plan: Shown["plan"] },
): void {
  if (name !== "agree") {
    const { states, otherwise } = FITTING[name];
    if (!states.includes(issue.state)) {
      throw new RelayError("conflict", `${issueName(issue)} is ${issue.state.replaceAll("_", " ")}: ${otherwise}`);
    }
    if (about === null || about === now) return;
    throw new RelayError("conflict", `${issueName(issue)} has changed since you saw it: look at it again`);
  }
  if (plan === null) throw new RelayError("not_found", `${issueName(issue)} has no plan yet`);
  if (about !== null && now !== about && about !== `${plan.version}`) {
    throw new RelayError(
      "conflict",
      about.includes(":")
        ? `the plan has changed since you saw it: look at plan ${plan.version}`
        : `the plan is at version ${plan.version}, not ${about}; read it first`,
    );
  }
  if (plan.status !== "posted" || plan.stopped) {
    const status = plan.stopped ? "stopped" : plan.status;
    throw new RelayError("conflict", `version ${plan.version} of the plan is ${status}: it waits for no yes`);
  }
}

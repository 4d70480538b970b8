import type { Issue } from "../domain/issue.ts";
import type { PostedPlan } from "../domain/plan.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import { phrases } from "../i18n/phrases.ts";
import { messageOf } from "../lib/errors.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import { listMessages } from "../storage/messages.ts";
import { latestPlan, markRetired, markStale } from "../storage/plans.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { mentions } from "./plan-notices.ts";

/** Why a posted plan no longer counts; `by` is the person whose words did it. */
export type Retirement = { because: "wish" | "stopped"; by: string } | { because: "edited" | "answer" | "unassigned" };

interface RetireDeps extends Context {
  tracker: Tracker;
}

/**
 * A posted plan can no longer be approved, and its own comment says so at once in its first line, until another version
 * takes the comment's place. One request; a comment that cannot be edited changes nothing about the plan.
 */
export async function retirePlan(
  issue: Issue,
  plan: PostedPlan,
  retirement: Retirement,
  { db, clock, ids, log, tracker }: RetireDeps,
): Promise<void> {
  if ((plan.retired && retirement.because !== "stopped") || plan.commentId === null) return;
  await db.transaction(async (tx) => {
    await markStale(tx, issue.id);
    if (plan.status === "stale") return;
    const after = { version: plan.version, ...retirement };
    await record(tx, { issueId: issue.id, actor: "relay", what: "plan.retired", after }, { clock, ids });
  });
  const shown = (await listMessages(db, issue.id)).find(({ externalId }) => externalId === plan.commentId);
  if (shown === undefined) return;
  const text = plan.retired ? withoutRetirement(shown.content) : shown.content;
  try {
    await tracker.updateComment(issue, plan.commentId, `${retiredLine(issue, retirement, tracker)}\n\n${text}`);
    await markRetired(db, plan.id, clock);
  } catch (error) {
    log.warn(
      { issue_id: issue.id, error: messageOf(error) },
      "the plan's comment does not say that it no longer counts",
    );
  }
}

/** Says in the plan's comment that the plan no longer counts, where Relay was unassigned; nothing after a close. */
export async function retireUnassigned(issue: Issue, deps: RetireDeps): Promise<void> {
  const plan = await latestPlan(deps.db, issue.id);
  if (plan !== null) await retirePlan(issue, plan, { because: "unassigned" }, deps);
}

/** The text of a plan's comment without the line that says that the plan no longer counts. */
export function withoutRetirement(text: string): string {
  return text.replace(RETIRED_LINE, "");
}

/** As `retiredLine` writes it. */
const RETIRED_LINE = /^> \*\*[^\n]*\*\*\n\n/;

function retiredLine({ language }: Issue, retirement: Retirement, { bot }: Pick<Tracker, "bot">): string {
  const people = "by" in retirement ? [retirement.by] : [];
  const line = phrases("plan", language)(`retired_${retirement.because}`, { who: mentions(people) });
  return `> **${safeComment(line, { participants: people, bot, origins: new Set() }).text}**`;
}

import { announce } from "./plan-notices.ts";
import type { Thread, ThreadDeps } from "./thread.ts";
import { unlessMissing } from "../adapters/trackers/missing.ts";
import { Postponed } from "../lib/errors.ts";
import { record } from "../storage/audit.ts";
import { setPlanPostedAt } from "../storage/issues.ts";
import { voidAnswers } from "../storage/plans.ts";

/**
 * Restores the plan's comment if somebody else edited it, and asks again, once for each edit: answers to a foreign text
 * approve nothing (R-CONF-8). False if the comment shows the plan. An older text is no edit, since the tracker's list
 * may lag. A change within the same second is one: trackers tell times in seconds.
 */
export async function restoreIfEdited(thread: Thread, deps: ThreadDeps): Promise<boolean> {
  const { issue, plan, messages } = thread;
  const { commentId, commentBody, postedAt, foreignEditAt } = plan;
  const shown = messages.find(({ role, externalId }) => role === "self" && externalId === commentId);
  if (commentId === null || commentBody === null || postedAt === null || shown === undefined) return false;
  const isOwn = isSameText(shown.content, commentBody);
  if (isOwn) {
    // A crash may have come before the notice.
    if (foreignEditAt !== null) await askAgain(thread, foreignEditAt, deps);
    return false;
  }
  const editedAt = shown.editedAt ?? shown.timestamp;
  if (editedAt.getTime() !== foreignEditAt?.getTime()) {
    if (editedAt < postedAt) return false;
    await voidAll(thread, editedAt, deps);
  }
  await unlessMissing(deps.tracker.updateComment(issue, commentId, commentBody));
  await askAgain(thread, editedAt, deps);
  return true;
}

/**
 * Throws `Postponed` while the tracker shows the plan's comment with another text than was posted, as a lagging list
 * does.
 */
export function expectShown({ plan: { commentId, commentBody }, messages }: Thread): void {
  const shown = messages.find(({ externalId }) => externalId === commentId);
  if (shown === undefined || commentBody === null || isSameText(shown.content, commentBody)) return;
  throw new Postponed("the tracker does not show the plan as posted yet", { retryAfterMs: SHOWN_MS });
}

const SHOWN_MS = 3_000;

/**
 * Voids all replies and reactions so far: they answered another text. This comes first, so that none of them counts
 * after a crash.
 */
async function voidAll({ issue, plan, messages, votes }: Thread, editedAt: Date, deps: ThreadDeps): Promise<void> {
  const last = messages.reduce(
    (latest, { timestamp, editedAt: at }) => Math.max(latest, (at ?? timestamp).getTime()),
    editedAt.getTime(),
  );
  const postedAt = new Date(last);
  const earlierThumbs = [...plan.earlierThumbs, ...(votes?.up ?? [])];
  await deps.db.transaction(async (tx) => {
    await voidAnswers(tx, plan.id, { postedAt, foreignEditAt: editedAt, earlierThumbs });
    await setPlanPostedAt(tx, issue.id, postedAt);
    const after = { version: plan.version, comment_id: plan.commentId };
    await record(tx, { issueId: issue.id, actor: "relay", what: "plan.restored", after }, deps);
  });
}

async function askAgain({ issue, plan }: Thread, editedAt: Date, deps: ThreadDeps): Promise<void> {
  const key = `restored:${plan.id}.${editedAt.getTime()}`;
  await announce(issue, { kind: "restored", version: plan.version }, { key, why: "somebody edited the plan" }, deps);
}

/** Trackers may change line ends and blanks at their ends. */
export function isSameText(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

function normalized(text: string): string {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trimEnd());
  return lines.join("\n").trimEnd();
}

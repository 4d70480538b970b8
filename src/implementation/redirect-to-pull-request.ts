import type { ConfirmDeps } from "../approval/approve-plan.ts";
import { nameOf } from "./pull-request/pull-request-closed.ts";
import { workPhrases } from "../i18n/work.ts";
import { asksForWork } from "./pull-request/asks-for-work.ts";
import { newWords } from "../approval/stop-request.ts";
import { markAllSeen } from "../storage/messages.ts";
import { tellOnce } from "../notify/post-once.ts";
import type { UnderReview } from "./request-of.ts";

/**
 * Who says in the issue what should be different is told once after each run to say it at the request: there each wish
 * has its place and gets its answer. Also for what was said while the run was under way, so that no word is lost.
 */
export async function pointToRequest(
  { issue, request, task, run }: UnderReview,
  deps: Omit<ConfirmDeps, "refresh">,
): Promise<void> {
  const { db, tracker } = deps;
  const words = await newWords(issue.id, { db });
  if (words.length === 0) return;
  if (words.some(({ content }) => asksForWork(content, [tracker.bot, ...tracker.calledAs]))) {
    const told = workPhrases(issue.language)("said_elsewhere", { request: nameOf(request, issue) });
    const key = `elsewhere:${run?.id ?? task.id}`;
    await tellOnce(issue, { key, words: told, why: "the change is in review" }, deps);
  }
  await markAllSeen(db, issue.id);
}

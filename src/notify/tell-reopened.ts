import { isReopened } from "../domain/gap.ts";
import { prose } from "../domain/text/comment-markdown.ts";
import type { Issue } from "../domain/issue.ts";
import { phrases } from "../i18n/phrases.ts";
import { listGaps } from "../storage/gaps.ts";
import { type PostDeps, postOnce } from "./post-once.ts";

/**
 * Posts once which questions are open again because their answer was deleted or changed; it does not ask them again.
 */
export async function tellReopened(issue: Issue, deps: PostDeps): Promise<void> {
  const gaps = (await listGaps(deps.db, issue.id)).filter(isReopened);
  if (gaps.length === 0) return;
  const latest = Math.max(...gaps.map(({ closedAt }) => closedAt?.getTime() ?? 0));
  const key = `reopened:${gaps.map(({ number }) => number).join("-")}.${latest}`;
  const questions = gaps.map(({ number, question }) => `${number}. ${prose(question, 300)}`).join("\n");
  const words = `${phrases("questions", issue.language)("reopened")}\n\n${questions}`;
  await postOnce(issue, { key, words, why: "their answer is gone" }, deps);
}

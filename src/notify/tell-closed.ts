import type { Issue } from "../domain/issue.ts";
import { phrases } from "../i18n/phrases.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { countClosings } from "../storage/audit.ts";
import { type PostDeps, postOnce } from "./post-once.ts";

/** Answers a call in a closed issue, once until it is reopened: Relay starts then (R-LIFE-11). */
export async function tellClosed(issue: Issue, deps: PostDeps & { log: Log }): Promise<void> {
  const key = `closed:${await countClosings(deps.db, issue.id)}`;
  try {
    const words = phrases("thread", issue.language)("closed");
    await postOnce(issue, { key, words, why: "called in a closed issue" }, deps);
  } catch (error) {
    // A locked issue takes no comments.
    if (!(error instanceof RelayError) || error.retryable) throw error;
    deps.log.warn({ issue_id: issue.id, error: messageOf(error) }, "could not tell that the issue is closed");
  }
}

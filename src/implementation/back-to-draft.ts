import { staysNeutral } from "../domain/confidential.ts";
import { type Concern, isOfPlan, needsPerson, newIn } from "../domain/concern.ts";
import { requestMarker } from "../domain/marker.ts";
import { phrases } from "../i18n/phrases.ts";
import { RelayError } from "../lib/errors.ts";
import { concernLines } from "../notify/concern-words.ts";
import { findWords, keepWords } from "../storage/posts.ts";
import { runFacts } from "../storage/runs.ts";
import type { PullRequest } from "../adapters/trackers/code-host.ts";
import type { Claim } from "./claim.ts";
import { sayOnRequest } from "./request-posts.ts";
import type { WorkerDeps } from "./worker.ts";

/** A request that has become a draft again, if its code host can do that. */
export interface Redrafted {
  isDraft: boolean;
  /** Tells at the request why, once. */
  tell: () => Promise<void>;
}

/**
 * Makes an open request a draft again where the branch has something that a person must look at first, and had not
 * when an earlier run ended (R-WORK-11): who took it out of draft has not seen that. Null if nothing is to be done. What
 * is going to be said is stored before the change, so that a later try of the same run knows of it.
 */
export async function redraft(
  { issue, run, earlier, codeHost, task }: Claim,
  concerns: readonly Concern[],
  before: PullRequest | null,
  deps: WorkerDeps,
): Promise<Redrafted | null> {
  const { db } = deps;
  const last = earlier.findLast(({ status }) => status === "done");
  // Somebody else's request for the same branch is theirs.
  if (before === null || last === undefined || !before.body.includes(requestMarker(task.id))) return null;
  const { number } = before;
  const key = `redraft:${run.id}`;
  let words = await findWords(db, issue.id, key);
  let isDraft = before.draft;
  if (words === null) {
    const known =
      (await runFacts(db, last.id)).iterations.findLast((one) => one.concerns !== undefined)?.concerns?.all ?? [];
    const grave = newIn(concerns, known).filter((one) => needsPerson([one]));
    if (before.draft || grave.length === 0) return null;
    const told = staysNeutral(issue) ? grave.filter((one) => !isOfPlan(one)) : grave;
    words = concernLines(told, issue.language)
      .map((line) => `- ${line}`)
      .join("\n");
    await keepWords(db, issue.id, key, words);
  }
  if (!isDraft) {
    await deps.db.confirmLocks();
    isDraft = await madeDraft(async () => codeHost.updatePullRequest(issue.externalProjectId, number, { draft: true }));
  }
  const say = phrases("work", issue.language);
  const text = `${say(isDraft ? "draft_again" : "look_again")}\n\n${words}`.trim();
  const why = "the change has something new that a person must look at";
  const tell = async () => void (await sayOnRequest({ issue, number, codeHost }, { key, words: text, why }, deps));
  return { isDraft, tell };
}

/** False where the code host has no drafts, or lets Relay make none. */
async function madeDraft(change: () => Promise<PullRequest>): Promise<boolean> {
  try {
    return (await change()).draft;
  } catch (error) {
    if (error instanceof RelayError && !error.retryable && ["invalid", "forbidden", "not_found"].includes(error.code)) {
      return false;
    }
    throw error;
  }
}

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

/** The outcome of turning an open request back into a draft; `isDraft` is false if its code host cannot do that. */
export interface Redrafted {
  isDraft: boolean;
  /** Comments on the request, once, with the reason. */
  tell: () => Promise<void>;
}

/**
 * Turns an open request back into a draft if the run adds concerns that a person must review first and that the last
 * finished run did not have (R-WORK-11): whoever marked it ready has not seen them. Null if there are none. The
 * comment's text is stored before the change, so that a retry of the same run posts the same text.
 */
export async function redraft(
  { issue, run, earlier, codeHost, task }: Claim,
  concerns: readonly Concern[],
  before: PullRequest | null,
  deps: WorkerDeps,
): Promise<Redrafted | null> {
  const { db } = deps;
  const last = earlier.findLast(({ status }) => status === "done");
  // Leave a request alone that someone else opened for the same branch.
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

/** False if the code host has no drafts, or does not let Relay create one. */
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

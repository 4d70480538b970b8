import type { IterationFacts, Feedback, StoredFeedback, ChangeRequest } from "../domain/work.ts";
import { RelayError } from "../lib/errors.ts";
import { changeRequestOf } from "./pull-request/change-request.ts";
import type { Db } from "../storage/db.ts";
import { markFeedbackAnswered, recordFeedback } from "../storage/review-feedback.ts";
import type { ReviewThread, Reviews } from "../adapters/trackers/code-host.ts";
import { CHECK_PREFIX, changeRequestsIn } from "./feedback.ts";

/** A change request with its thread; null for a failed check. */
export interface ThreadChangeRequest extends ChangeRequest {
  threadId: string | null;
}

/** The change requests of a pull request in their current form. */
export interface CurrentChangeRequests {
  changeRequests: ThreadChangeRequest[];
  words: StoredFeedback[];
  /** Whether people withdrew a request by deleting its comment or resolving its thread. */
  someWithdrawn: boolean;
}

/**
 * The feedback that waits for a run, in its current form (R-WORK-9): edits count, and deleted comments and resolved
 * threads are withdrawn.
 */
export async function currentChangeRequests(
  taken: readonly StoredFeedback[],
  at: { taskId: string; project: string; number: number | null },
  { db, codeHost }: { db: Db; codeHost: Reviews },
): Promise<CurrentChangeRequests> {
  const threads = taken.some(threadOf) && at.number !== null ? await threadsOf(at.project, at.number, codeHost) : null;
  const open = new Map(threads?.filter(({ resolved }) => !resolved).map((thread) => [thread.id, thread]));
  const words: StoredFeedback[] = [];
  const gone: string[] = [];
  for (const word of taken) {
    const thread = threadOf(word);
    const comment = open.get(thread ?? "")?.comments.find(({ id }) => id === word.externalId);
    if (threads === null || thread === null) words.push(word);
    else if (comment === undefined) gone.push(word.externalId);
    else {
      if (comment.body !== word.content)
        await recordFeedback(db, at.taskId, [{ ...word, content: comment.body }], word.runId);
      words.push({ ...word, content: comment.body });
    }
  }
  if (gone.length > 0) await markFeedbackAnswered(db, at.taskId, gone);
  return { words, changeRequests: perThread(words, open), someWithdrawn: gone.length > 0 };
}

/** The thread to answer in; null for checks. */
function threadOf({ externalId, externalThreadId }: Feedback): string | null {
  return externalId.startsWith(CHECK_PREFIX) ? null : externalThreadId;
}

/** One change request per thread, with the earlier comments. */
function perThread(
  words: readonly StoredFeedback[],
  threads: ReadonlyMap<string, ReviewThread>,
): ThreadChangeRequest[] {
  const changeRequests: ThreadChangeRequest[] = [];
  for (const word of changeRequestsIn(words)) {
    const threadId = threadOf(word);
    if (threadId !== null && changeRequests.some((known) => known.threadId === threadId)) continue;
    const thread = threads.get(threadId ?? "");
    const asking = thread?.comments.filter(({ id }) => words.some(({ externalId }) => externalId === id)) ?? [];
    if (thread && asking.length > 0) {
      const { from, path, line, text } = changeRequestOf(thread, asking);
      changeRequests.push({ threadId, from, path, line, text });
      continue;
    }
    const { author, path, line, content: text } = word;
    changeRequests.push({ threadId, from: threadId === null ? `check ${author}` : author, path, line, text });
  }
  return changeRequests;
}

/** Adds threads to the agent's answers: their numbers are valid for its own task file only. */
export function withThreads(facts: IterationFacts, changeRequests: readonly ThreadChangeRequest[]): IterationFacts {
  if (facts.agent === null) return facts;
  const answers = facts.agent.answers.map(({ wish, text }) => {
    return { wish, threadId: changeRequests[wish - 1]?.threadId ?? null, text };
  });
  return { ...facts, agent: { ...facts.agent, answers } };
}

/** Null if they cannot be read any more; the stored feedback is used then. */
async function threadsOf(project: string, number: number, codeHost: Reviews): Promise<ReviewThread[] | null> {
  try {
    return await codeHost.listReviewThreads(project, number);
  } catch (error) {
    if (error instanceof RelayError && (error.code === "not_found" || error.code === "forbidden")) return null;
    throw error;
  }
}

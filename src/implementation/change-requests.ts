import type { IterationFacts, RequestWord, TakenWord, Wish } from "../domain/work.ts";
import { RelayError } from "../lib/errors.ts";
import { wishOf } from "./pull-request/review-wish.ts";
import type { Db } from "../storage/db.ts";
import { answeredWords, takeWords } from "../storage/change-requests.ts";
import type { ReviewThread, Reviews } from "../adapters/trackers/code-host.ts";
import { CHECK_PREFIX, wishesIn } from "./request-words.ts";

/** What a run is asked for in one thread, or by one red check, which has none. */
export interface AskedFor extends Wish {
  threadId: string | null;
}

/** What is asked for in a request as it stands there now. */
export interface Wishes {
  wishes: AskedFor[];
  words: TakenWord[];
  /** Whether people took back something that waited, by deleting it or by settling its thread. */
  someTakenBack: boolean;
}

/**
 * The words that wait for a run, as people have them now (R-WORK-9): of what was edited since it was taken up the newest
 * words count; what was deleted, or stands in a thread that was settled, is not worked on.
 */
export async function wishesNow(
  taken: readonly TakenWord[],
  at: { taskId: string; project: string; number: number | null },
  { db, codeHost }: { db: Db; codeHost: Reviews },
): Promise<Wishes> {
  const threads = taken.some(threadOf) && at.number !== null ? await threadsOf(at.project, at.number, codeHost) : null;
  const open = new Map(threads?.filter(({ resolved }) => !resolved).map((thread) => [thread.id, thread]));
  const words: TakenWord[] = [];
  const gone: string[] = [];
  for (const word of taken) {
    const thread = threadOf(word);
    const comment = open.get(thread ?? "")?.comments.find(({ id }) => id === word.externalId);
    if (threads === null || thread === null) words.push(word);
    else if (comment === undefined) gone.push(word.externalId);
    else {
      if (comment.body !== word.content)
        await takeWords(db, at.taskId, [{ ...word, content: comment.body }], word.runId);
      words.push({ ...word, content: comment.body });
    }
  }
  if (gone.length > 0) await answeredWords(db, at.taskId, gone);
  return { words, wishes: inThreads(words, open), someTakenBack: gone.length > 0 };
}

/** The thread that a word is answered in; null for what checks say. */
export function threadOf({ externalId, externalThreadId }: RequestWord): string | null {
  return externalId.startsWith(CHECK_PREFIX) ? null : externalThreadId;
}

/** One wish for each thread, with what was said before it there. */
function inThreads(words: readonly TakenWord[], threads: ReadonlyMap<string, ReviewThread>): AskedFor[] {
  const wishes: AskedFor[] = [];
  for (const word of wishesIn(words)) {
    const threadId = threadOf(word);
    if (threadId !== null && wishes.some((wish) => wish.threadId === threadId)) continue;
    const thread = threads.get(threadId ?? "");
    const asking = thread?.comments.filter(({ id }) => words.some(({ externalId }) => externalId === id)) ?? [];
    if (thread && asking.length > 0) {
      const { from, path, line, text } = wishOf(thread, asking);
      wishes.push({ threadId, from, path, line, text });
      continue;
    }
    const { author, path, line, content: text } = word;
    wishes.push({ threadId, from: threadId === null ? `check ${author}` : author, path, line, text });
  }
  return wishes;
}

/** An iteration with the threads of what its agent says to wishes: the numbers count for its own task file alone. */
export function withThreads(facts: IterationFacts, wishes: readonly AskedFor[]): IterationFacts {
  if (facts.agent === null) return facts;
  const answers = facts.agent.answers.map(({ wish, text }) => {
    return { wish, threadId: wishes[wish - 1]?.threadId ?? null, text };
  });
  return { ...facts, agent: { ...facts.agent, answers } };
}

/** Null where they cannot be read any more: what is stored of them counts. */
async function threadsOf(project: string, number: number, codeHost: Reviews): Promise<ReviewThread[] | null> {
  try {
    return await codeHost.listReviewThreads(project, number);
  } catch (error) {
    if (error instanceof RelayError && (error.code === "not_found" || error.code === "forbidden")) return null;
    throw error;
  }
}

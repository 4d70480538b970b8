import { commitAt } from "../code/git.ts";
import type { Repository } from "../code/repository.ts";
import type { RequestWord } from "../domain/work.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "../storage/db.ts";
import { listTakenWords } from "../storage/request-words.ts";
import type { StoredRepository } from "../storage/rows.ts";
import type { PullRequest } from "../adapters/trackers/tracker.ts";
import { conflictBetween } from "./run/workspace/merge.ts";
import type { UnderReview } from "./request-of.ts";
import { conflictWord } from "./request-words.ts";

export interface ConflictDeps {
  db: Db;
  clock: Clock;
  repository: StoredRepository;
  /** The code of a repository as its tracker has it now. */
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
}

/**
 * A conflict of a request with its base that nobody has tried to resolve yet (R-WORK-9); null where there is none. A base
 * that merely moved is none: bringing it in would cost people attention, and their checks time. Where the tracker does
 * not know, git is asked, which also tells whether it is the same conflict as before.
 */
export async function newConflict(
  { task, request }: Pick<UnderReview, "task" | "request">,
  { base, conflicts }: Pick<PullRequest, "base" | "conflicts">,
  { db, clock, repository, withCode }: ConflictDeps,
): Promise<RequestWord | null> {
  if (conflicts === false) return null;
  const conflict = await withCode(repository, async ({ gitDirectory }) => {
    const onto = await commitAt(gitDirectory, `refs/heads/${base}`);
    const head = await commitAt(gitDirectory, `refs/heads/${request.branch}`);
    return onto === null || head === null ? null : await conflictBetween(gitDirectory, head, onto);
  });
  if (conflict === null) return null;
  const word = conflictWord(base, conflict, clock.now());
  return (await listTakenWords(db, task.id)).has(word.externalId) ? null : word;
}

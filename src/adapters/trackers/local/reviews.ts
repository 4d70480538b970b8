import { z } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import type { Ids } from "../../../lib/ids.ts";
import type { Checks, CommitCheck, Reviews } from "../code-host.ts";
import { permit } from "./access.ts";
import { loadPullRequest, lockPullRequest } from "./pull-requests.ts";
import { answerThread, openThread, reviewThreads } from "./review-threads.ts";
import type { Sql } from "./rows.ts";

/** Checks of one commit. */
const MOST_CHECKS = 1_000;

const checkRow = z
  .object({ name: z.string(), outcome: z.enum(["pending", "passed", "failed", "other"]), detail: z.string() })
  .transform((row): CommitCheck => ({ ...row, url: null }));

/** Reviews in the local tracker, as Relay reads and answers them. */
export function localReviews(db: Sql, { bot, clock, ids }: { bot: string; clock: Clock; ids: Ids }): Reviews & Checks {
  return {
    listReviewThreads: async (project, number) => {
      await permit(db, project, bot, "read");
      await loadPullRequest(db, project, number);
      return await reviewThreads(db, project, number);
    },
    replyToThread: async (project, number, threadId, body) =>
      await db.transaction(async (tx) => {
        await permit(tx, project, bot, "read");
        await lockPullRequest(tx, project, number);
        const saying = { id: ids.next(), author: bot, body, at: clock.now() };
        return await answerThread(tx, { project, number, threadId }, saying);
      }),
    commentOn: async (project, number, body) =>
      await db.transaction(async (tx) => {
        await permit(tx, project, bot, "read");
        await lockPullRequest(tx, project, number);
        return await openThread(tx, { project, number }, null, { id: ids.next(), author: bot, body, at: clock.now() });
      }),
    listChecks: async (project, commit) => {
      await permit(db, project, bot, "read");
      return await db.query(
        checkRow,
        `select name, outcome, detail from local_checks where project = $1 and commit = $2
         order by reported_at, name limit ${MOST_CHECKS}`,
        [project, commit],
      );
    },
  };
}

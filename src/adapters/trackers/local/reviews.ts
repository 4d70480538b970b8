import { z } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import type { Ids } from "../../../lib/ids.ts";
import { checkName } from "../texts.ts";
import type { CommitCheck, ReviewTracker } from "../tracker.ts";
import { permit } from "./access.ts";
import { makeLabels } from "./labels.ts";
import { loadPullRequest, lockPullRequest } from "./pull-requests.ts";
import { answerThread, reviewThreads } from "./review-threads.ts";
import type { Sql } from "./rows.ts";

/** Checks of one commit. */
const MOST_CHECKS = 1_000;

const checkRow = z
  .object({ name: z.string(), outcome: z.enum(["pending", "passed", "failed", "other"]), detail: z.string() })
  .transform((row): CommitCheck => ({ ...row, url: null }));

/** Reviews in the local tracker, as Relay sees and answers them. */
export function localReviews(db: Sql, { bot, clock, ids }: { bot: string; clock: Clock; ids: Ids }): ReviewTracker {
  return {
    getPullRequest: async (project, number) => {
      await permit(db, project, bot, "read");
      return await loadPullRequest(db, project, number);
    },
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
    listChecks: async (project, commit) => {
      await permit(db, project, bot, "read");
      return await db.query(
        checkRow,
        `select name, outcome, detail from local_checks where project = $1 and commit = $2
         order by reported_at, name limit ${MOST_CHECKS}`,
        [project, commit],
      );
    },
    labelPullRequest: async (project, number, labels) =>
      await db.transaction(async (tx) => {
        await permit(tx, project, bot, "triage");
        await lockPullRequest(tx, project, number);
        for (const label of labels) checkName(label, "a label");
        await makeLabels(tx, project, labels);
        await tx.execute(
          `update local_pull_requests set updated_at = $4, labels = (
             select coalesce(jsonb_agg(name order by name), '[]') from (
               select jsonb_array_elements_text(labels) as name union select jsonb_array_elements_text($3::jsonb)) as all_names)
           where project = $1 and number = $2`,
          [project, number, JSON.stringify(labels), clock.now()],
        );
      }),
  };
}

import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import type { PullRequest, Tracker } from "../tracker.ts";
import { PERMISSIONS } from "../tracker.ts";
import { takeNumber } from "./people.ts";
import { checkBody, commentRow, loadIssue, pullRequestRow } from "./rows.ts";
import type { Sql } from "./rows.ts";

const PAGE = 100;
const LABEL_COLOR = "5319e7";
const SELECT_COMMENTS = `
  select c.id, c.thread_id, c.author, m.is_bot, c.body, c.created_at, c.edited_at
  from local_comments c
  left join local_members m on m.project = c.project and lower(m.login) = lower(c.author)`;

/** The tracker that lives in Relay's own database: a developer without a hosted one has the whole flow. */
export function localTracker(db: Sql, { bot, clock, ids }: { bot: string; clock: Clock; ids: Ids }): Tracker {
  const oneComment = async (id: string) => {
    const comment = await db.maybeOne(commentRow, `${SELECT_COMMENTS} where c.id = $1`, [id]);
    if (!comment) throw new RelayError("not_found", `there is no comment ${id}`, { status: 404 });
    return comment;
  };
  const findPullRequest = async (project: string, where: string, value: unknown): Promise<PullRequest | null> =>
    await db.maybeOne(pullRequestRow, `select * from local_pull_requests where project = $1 and ${where}`, [
      project,
      value,
    ]);

  return {
    provider: "local",
    bot,
    getIssue: async (address) => await loadIssue(db, address),
    listComments: async (address, cursor) => {
      await loadIssue(db, address);
      const comments = await db.query(
        commentRow,
        `${SELECT_COMMENTS} where c.project = $1 and c.number = $2 and c.id > $3 order by c.id limit ${PAGE}`,
        [address.externalProjectId, Number(address.externalIssueId), cursor ?? "0"],
      );
      return { comments, next: comments.length < PAGE ? null : (comments.at(-1)?.id ?? null) };
    },
    createComment: async (address, body, threadId) => {
      checkBody(body, 1);
      await loadIssue(db, address);
      if (threadId !== null) await oneComment(threadId);
      const id = ids.next();
      await db.execute(
        `insert into local_comments (id, project, number, thread_id, author, body, created_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [id, address.externalProjectId, Number(address.externalIssueId), threadId ?? id, bot, body, clock.now()],
      );
      return await oneComment(id);
    },
    updateComment: async (_address, commentId, body) => {
      checkBody(body, 1);
      await oneComment(commentId);
      await db.execute(`update local_comments set body = $2, edited_at = $3 where id = $1`, [
        commentId,
        body,
        clock.now(),
      ]);
      return await oneComment(commentId);
    },
    addReaction: async (address, commentId, emoji) => {
      await loadIssue(db, address);
      await db.execute(
        `insert into local_reactions (id, project, number, comment_id, login, emoji, created_at)
         values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
        [ids.next(), address.externalProjectId, Number(address.externalIssueId), commentId, bot, emoji, clock.now()],
      );
    },
    listReactions: async (address, commentId, emoji) => {
      const rows = await db.query(
        z.object({ login: z.string() }),
        `select login from local_reactions
         where project = $1 and number = $2 and comment_id is not distinct from $3 and emoji = $4 order by id`,
        [address.externalProjectId, Number(address.externalIssueId), commentId, emoji],
      );
      return rows.map((row) => row.login);
    },
    changeLabels: async (address, { add, remove }) => {
      await db.transaction(async (tx) => {
        const issue = await loadIssue(tx, address);
        for (const name of add) {
          await tx.execute(
            `insert into local_labels (project, name, color, description) values ($1, $2, $3, '') on conflict do nothing`,
            [address.externalProjectId, name, LABEL_COLOR],
          );
        }
        const labels = [...new Set([...issue.labels.filter((name) => !remove.includes(name)), ...add])];
        await tx.execute(`update local_issues set labels = $3 where project = $1 and number = $2`, [
          address.externalProjectId,
          Number(address.externalIssueId),
          JSON.stringify(labels),
        ]);
      });
    },
    permissionOf: async (project, login) => {
      const row = await db.maybeOne(
        z.object({ permission: z.enum(PERMISSIONS) }),
        `select permission from local_members where project = $1 and lower(login) = lower($2)`,
        [project, login],
      );
      return row?.permission ?? "none";
    },
    createPullRequest: async (project, request) => {
      try {
        return await db.transaction(async (tx) => {
          const number = await takeNumber(tx, project, null);
          await tx.execute(
            `insert into local_pull_requests (project, number, title, body, author, head, base, draft, state, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, 'open', $9, $9)`,
            [project, number, request.title, request.body, bot, request.head, request.base, request.draft, clock.now()],
          );
          return { ...request, number, state: "open", url: null };
        });
      } catch (cause) {
        if (!(cause instanceof RelayError && cause.code === "conflict")) throw cause;
        throw new RelayError("invalid", `a pull request for ${request.head} is open already`, { cause, status: 422 });
      }
    },
    findPullRequest: async (project, head) => await findPullRequest(project, "state = 'open' and head = $2", head),
    updatePullRequest: async (project, number, change) => {
      const before = await findPullRequest(project, "number = $2", number);
      if (!before)
        throw new RelayError("not_found", `there is no pull request ${number} in ${project}`, { status: 404 });
      const after = { ...before, ...change };
      await db.execute(
        `update local_pull_requests set title = $3, body = $4, draft = $5, state = $6, updated_at = $7
         where project = $1 and number = $2`,
        [project, number, after.title, after.body, after.draft, after.state, clock.now()],
      );
      return after;
    },
    requestReview: async (project, number, logins) => {
      await db.execute(`update local_pull_requests set reviewers = $3 where project = $1 and number = $2`, [
        project,
        number,
        JSON.stringify(logins),
      ]);
    },
  };
}

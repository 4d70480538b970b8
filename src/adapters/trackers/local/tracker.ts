import { sameLogin } from "../../../domain/login.ts";
import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Ids } from "../../../lib/ids.ts";
import type { Forge } from "../code-host.ts";
import type { Permission } from "../tracker.ts";
import { permit } from "./access.ts";
import {
  changeComment,
  changedComments,
  editorOf,
  findComment,
  insertComment,
  pageOfComments,
  react,
  removeComment,
} from "./comments.ts";
import { setLabels } from "./labels.ts";
import { type LocalCode, NO_CODE, localProjects } from "./projects.ts";
import { localPullRequests } from "./pull-requests.ts";
import { localReviews } from "./reviews.ts";
import { keyOf, loadIssue, lockIssue, type Sql } from "./rows.ts";
import { checkName } from "../texts.ts";

/** With more changes than this, the whole thread is fetched. */
const MOST_CHANGED = 300;

/**
 * The tracker in Relay's own database, which gives a developer the whole flow without a hosted one. The bot is a
 * member like everyone else, with the rights of its permission.
 */
export function localTracker(
  db: Sql,
  { bot, clock, ids, code = NO_CODE }: { bot: string; clock: Clock; ids: Ids; code?: LocalCode },
): Forge {
  const may = async (on: Sql, address: IssueAddress, needed: Permission) =>
    await permit(on, address.externalProjectId, bot, needed);

  const reactionsTo = async (address: IssueAddress, commentId: string | null, emoji: string): Promise<string[]> => {
    await may(db, address, "read");
    await loadIssue(db, address);
    if (commentId !== null) await findComment(db, address, commentId);
    const rows = await db.query(
      z.object({ login: z.string() }),
      `select login from local_reactions
       where project = $1 and number = $2 and comment_id is not distinct from $3 and emoji = $4 order by id`,
      [...keyOf(address), commentId, emoji],
    );
    return rows.map((row) => row.login);
  };

  return {
    provider: "local",
    bot,
    calledAs: [bot],
    hasConfidentialIssues: false,
    hasHiddenComments: false,
    settlesAfterMs: 0,
    getIssue: async (address) => {
      await may(db, address, "read");
      return await loadIssue(db, address);
    },
    listComments: async (address, cursor) => {
      await may(db, address, "read");
      await loadIssue(db, address);
      return await pageOfComments(db, address, cursor);
    },
    listChangedComments: async (address, since) => {
      await may(db, address, "read");
      await loadIssue(db, address);
      return await changedComments(db, address, since, MOST_CHANGED);
    },
    getComment: async (address, commentId) => {
      await may(db, address, "read");
      return await findComment(db, address, commentId);
    },
    createComment: async (address, body, threadId) =>
      await db.transaction(async (tx) => {
        await may(tx, address, "read");
        await lockIssue(tx, address);
        const id = ids.next();
        await insertComment(tx, address, { id, author: bot, body, threadId, at: clock.now() });
        return await findComment(tx, address, id);
      }),
    updateComment: async (address, commentId, body) =>
      await db.transaction(async (tx) => {
        await lockIssue(tx, address);
        const { author } = await findComment(tx, address, commentId);
        await may(tx, address, author.toLowerCase() === bot.toLowerCase() ? "read" : "write");
        await changeComment(tx, address, { id: commentId, body, by: bot, at: clock.now() });
        return await findComment(tx, address, commentId);
      }),
    assignerOf: async () => await Promise.resolve(null),
    inspectComment: async (address, commentId) => ({
      edit: await editorOf(db, address, commentId),
      isMinimized: false,
    }),
    deleteComment: async (address, commentId) =>
      await db.transaction(async (tx) => {
        await lockIssue(tx, address);
        const { author } = await findComment(tx, address, commentId);
        await may(tx, address, sameLogin(author, bot) ? "read" : "write");
        await removeComment(tx, address, commentId, clock.now());
      }),
    addReaction: async (address, commentId, emoji) =>
      await db.transaction(async (tx) => {
        await may(tx, address, "read");
        checkName(emoji, "a reaction");
        await react(tx, address, { id: ids.next(), commentId, login: bot, emoji, at: clock.now() });
      }),
    listVotes: async (address, commentId) => ({
      up: await reactionsTo(address, commentId, "+1"),
      down: await reactionsTo(address, commentId, "-1"),
    }),
    listReactions: reactionsTo,
    changeLabels: async (address, { add, remove }) =>
      await db.transaction(async (tx) => {
        await may(tx, address, "triage");
        const { labels } = await lockIssue(tx, address);
        await setLabels(tx, address, [...labels.filter((name) => !remove.includes(name)), ...add], clock.now());
      }),
    ...localProjects(db, { bot, code }),
    ...localPullRequests(db, { bot, clock, code }),
    ...localReviews(db, { bot, clock, ids }),
  };
}

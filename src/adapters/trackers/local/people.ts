import { sameLogin } from "../../../domain/login.ts";
import { z } from "zod";
import { type EventKind, type TrackerEvent, buildEvent } from "../../../domain/event.ts";
import type { IssueAddress } from "../../../domain/issue.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Ids } from "../../../lib/ids.ts";
import type { Permission, TrackerIssue } from "../tracker.ts";
import { memberOf, permit } from "./access.ts";
import { changeComment, findComment, insertComment, react, removeComment } from "./comments.ts";
import { makeLabels, setLabels } from "./labels.ts";
import { localReviewers, type Reviewers } from "./reviewers.ts";
import { keyOf, lockIssue, takeNumber, type Sql } from "./rows.ts";
import { checkBody, checkName, unfit } from "../texts.ts";

/**
 * Actions of people in the local tracker, as in the web pages of a hosted one, with its permissions. Each
 * change is one transaction and returns the event that a webhook would have delivered. Given a transaction instead of
 * the database, the change and the effects of its event commit together.
 *
 * Errors: `not_found` (404) for strangers and for missing objects, `forbidden` (403), `invalid` (422).
 */
export interface People extends Reviewers {
  /** Creates a project; leaves an existing one unchanged. */
  createProject(name: string): Promise<void>;
  listProjects(): Promise<string[]>;
  /** The issue that was imported earlier under this number, address or title. */
  findIssue(
    project: string,
    by: { number: number | null; url: string | null; title: string },
  ): Promise<IssueAddress | null>;
  /** Logins of the people in a project who are no bots, at most 200. */
  listPeople(project: string): Promise<string[]>;
  /** Adds a member with this permission, or changes a member's permission to it. */
  setMember(project: string, login: string, permission: Permission, isBot?: boolean): Promise<void>;
  /** Adds a member; an existing one keeps their permission. */
  invite(project: string, login: string, permission: Permission): Promise<void>;
  /** Opens an issue, or imports one with the number, time, labels and assignees that it had elsewhere. */
  openIssue(project: string, issue: NewIssue): Promise<TrackerEvent>;
  editIssue(address: IssueAddress, actor: string, change: { title?: string; body?: string }): Promise<TrackerEvent>;
  assign(address: IssueAddress, actor: string, assignee: string): Promise<TrackerEvent>;
  unassign(address: IssueAddress, actor: string, assignee: string): Promise<TrackerEvent>;
  setState(address: IssueAddress, actor: string, state: "open" | "closed"): Promise<TrackerEvent>;
  /** Replaces the labels of the issue. */
  label(address: IssueAddress, actor: string, labels: string[]): Promise<TrackerEvent>;
  /** With `at`, imports a comment made elsewhere at that time; its author need not be a member then. */
  comment(
    address: IssueAddress,
    author: string,
    body: string,
    options?: { at?: Date; threadId?: string },
  ): Promise<TrackerEvent>;
  editComment(address: IssueAddress, commentId: string, actor: string, body: string): Promise<TrackerEvent>;
  deleteComment(address: IssueAddress, commentId: string, actor: string): Promise<TrackerEvent>;
  /** Trackers do not report reactions reliably, so there is no event. */
  react(address: IssueAddress, commentId: string | null, actor: string, emoji: string): Promise<void>;
  /**
   * Removes an issue with its whole thread, its pull requests, and the checks of their commits, without a permission
   * check.
   */
  erase(address: IssueAddress, of?: { requests: readonly number[]; commits: readonly string[] }): Promise<void>;
}

export interface NewIssue {
  /** Null for the next free number. */
  number: number | null;
  title: string;
  body: string;
  author: string;
  labels: string[];
  assignees: string[];
  url: string | null;
  createdAt: Date;
}

type Details = Partial<Pick<TrackerEvent, "assignee" | "commentId" | "text" | "at">>;
/** The permission that an action on an issue needs, unless the actor is the author, whom `own` returns. */
interface Needs {
  permission: Permission;
  own?: (issue: TrackerIssue, tx: Sql) => Promise<string> | string;
}

const ofIssue = (issue: TrackerIssue) => issue.author;

export function localPeople(db: Sql, { clock, ids }: { clock: Clock; ids: Ids }): People {
  const eventOf = async (tx: Sql, address: IssueAddress, kind: EventKind, actor: string, details: Details) => {
    const { externalProjectId, externalIssueId } = address;
    const actorIsBot = (await memberOf(tx, externalProjectId, actor)).isBot;
    const at = { provider: "local" as const, externalProjectId, externalIssueId, at: clock.now() };
    return buildEvent({ ...at, kind, actor, actorIsBot, ...details });
  };

  /** One atomic change of an issue by a permitted person. */
  const change = async (
    address: IssueAddress,
    actor: string,
    needs: Needs,
    kind: EventKind,
    work: (tx: Sql, issue: TrackerIssue) => Promise<Details | void>,
  ): Promise<TrackerEvent> =>
    await db.transaction(async (tx) => {
      await permit(tx, address.externalProjectId, actor, "read");
      const issue = await lockIssue(tx, address);
      const owner = await needs.own?.(issue, tx);
      if (owner === undefined || !sameLogin(owner, actor)) {
        await permit(tx, address.externalProjectId, actor, needs.permission);
      }
      const details = (await work(tx, issue)) ?? {};
      return await eventOf(tx, address, kind, actor, details);
    });

  const set = async (tx: Sql, address: IssueAddress, column: string, value: string) => {
    await tx.execute(`update local_issues set ${column} = $3, updated_at = $4 where project = $1 and number = $2`, [
      ...keyOf(address),
      value,
      clock.now(),
    ]);
  };
  const setAssignees = async (tx: Sql, address: IssueAddress, assignees: string[]) =>
    await set(tx, address, "assignees", JSON.stringify(assignees));

  return {
    ...localReviewers(db, { clock, ids }),
    createProject: async (name) => {
      checkName(name, "the name of a project");
      await db.execute(`insert into local_projects (name, created_at) values ($1, $2) on conflict do nothing`, [
        name,
        clock.now(),
      ]);
    },
    listProjects: async () => {
      const rows = await db.query(z.object({ name: z.string() }), "select name from local_projects", []);
      return rows.map(({ name }) => name);
    },
    listPeople: async (project) => {
      const rows = await db.query(
        z.object({ login: z.string() }),
        "select login from local_members where project = $1 and not is_bot order by login limit 200",
        [project],
      );
      return rows.map(({ login }) => login);
    },
    findIssue: async (project, by) => {
      const row = await db.maybeOne(
        z.object({ number: z.number() }),
        `select number from local_issues
         where project = $1 and (number = $2 or ($3::text is not null and url = $3) or ($2 is null and $3 is null and title = $4))
         order by number limit 1`,
        [project, by.number, by.url, by.title],
      );
      return row && { provider: "local", externalProjectId: project, externalIssueId: String(row.number) };
    },
    setMember: async (project, login, permission, isBot = false) =>
      await addMember(
        db,
        { project, login, permission, isBot },
        "do update set permission = excluded.permission, is_bot = excluded.is_bot",
      ),
    invite: async (project, login, permission) =>
      await addMember(db, { project, login, permission, isBot: false }, "do nothing"),

    openIssue: async (project, issue) =>
      await db.transaction(async (tx) => {
        const { title, body, author, url, createdAt } = issue;
        await permit(tx, project, author, "read");
        checkName(title, "a title");
        checkBody(body);
        await makeLabels(tx, project, issue.labels);
        const number = await takeNumber(tx, project, issue.number);
        const [labels, assignees] = [issue.labels, issue.assignees].map((names) => JSON.stringify([...new Set(names)]));
        await tx.execute(
          `insert into local_issues (project, number, title, body, author, state, labels, assignees, url, created_at, updated_at)
           values ($1, $2, $3, $4, $5, 'open', $6, $7, $8, $9, $9)`,
          [project, number, title, body, author, labels, assignees, url, createdAt],
        );
        const address = { provider: "local" as const, externalProjectId: project, externalIssueId: String(number) };
        return await eventOf(tx, address, "opened", author, { text: body });
      }),
    editIssue: async (address, actor, { title, body }) =>
      await change(address, actor, { permission: "write", own: ofIssue }, "edited", async (tx) => {
        if (body !== undefined) {
          checkBody(body);
          await set(tx, address, "body", body);
        }
        if (title !== undefined) {
          checkName(title, "a title");
          await set(tx, address, "title", title);
        }
        return { text: body ?? null };
      }),
    assign: async (address, actor, assignee) =>
      await change(address, actor, { permission: "triage" }, "assigned", async (tx, { assignees }) => {
        if ((await memberOf(tx, address.externalProjectId, assignee)).permission === "none") {
          throw unfit(`${assignee} is not a member of ${address.externalProjectId} and cannot be assigned`);
        }
        const others = assignees.filter((login) => !sameLogin(login, assignee));
        await setAssignees(tx, address, [...others, assignee]);
        return { assignee };
      }),
    unassign: async (address, actor, assignee) =>
      await change(address, actor, { permission: "triage" }, "unassigned", async (tx, { assignees }) => {
        await setAssignees(
          tx,
          address,
          assignees.filter((login) => !sameLogin(login, assignee)),
        );
        return { assignee };
      }),
    setState: async (address, actor, state) => {
      const kind = state === "open" ? "reopened" : "closed";
      return await change(address, actor, { permission: "triage", own: ofIssue }, kind, async (tx) =>
        set(tx, address, "state", state),
      );
    },
    label: async (address, actor, labels) =>
      await change(address, actor, { permission: "triage" }, "labelled", async (tx) =>
        setLabels(tx, address, labels, clock.now()),
      ),

    comment: async (address, author, body, { at, threadId } = {}) => {
      const add = async (tx: Sql) => {
        const comment = { id: ids.next(), author, body, threadId: threadId ?? null, at: at ?? clock.now() };
        await insertComment(tx, address, comment);
        return { commentId: comment.id, text: body, at: comment.at };
      };
      if (at === undefined) return await change(address, author, { permission: "read" }, "commented", add);
      return await db.transaction(async (tx) => {
        await lockIssue(tx, address);
        return await eventOf(tx, address, "commented", author, await add(tx));
      });
    },
    editComment: async (address, commentId, actor, body) => {
      const own = async (_: TrackerIssue, tx: Sql) => (await findComment(tx, address, commentId)).author;
      return await change(address, actor, { permission: "write", own }, "comment_edited", async (tx) => {
        await changeComment(tx, address, { id: commentId, body, by: actor, at: clock.now() });
        return { commentId, text: body };
      });
    },
    deleteComment: async (address, commentId, actor) => {
      const own = async (_: TrackerIssue, tx: Sql) => (await findComment(tx, address, commentId)).author;
      return await change(address, actor, { permission: "write", own }, "comment_deleted", async (tx) => {
        await removeComment(tx, address, commentId, clock.now());
        return { commentId };
      });
    },
    react: async (address, commentId, actor, emoji) =>
      await db.transaction(async (tx) => {
        await permit(tx, address.externalProjectId, actor, "read");
        checkName(emoji, "a reaction");
        await react(tx, address, { id: ids.next(), commentId, login: actor, emoji, at: clock.now() });
      }),
    erase: async (address, { requests, commits } = { requests: [], commits: [] }) => {
      const { externalProjectId: project } = address;
      await db.execute(`delete from local_issues where project = $1 and number = $2`, keyOf(address));
      await db.execute(`delete from local_pull_requests where project = $1 and number = any($2)`, [project, requests]);
      await db.execute(`delete from local_checks where project = $1 and commit = any($2)`, [project, commits]);
    },
  };
}

async function addMember(
  db: Sql,
  member: { project: string; login: string; permission: Permission; isBot: boolean },
  onConflict: "do nothing" | "do update set permission = excluded.permission, is_bot = excluded.is_bot",
): Promise<void> {
  const { project, login, permission, isBot } = member;
  checkName(login, "a login");
  // Distinguishes a missing project.
  await memberOf(db, project, login);
  await db.execute(
    `insert into local_members (project, login, permission, is_bot) values ($1, $2, $3, $4)
     on conflict (project, lower(login)) ${onConflict}`,
    [project, login, permission, isBot],
  );
}

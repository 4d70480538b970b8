import { z } from "zod";
import type { EventKind, TrackerEvent } from "../../domain/event.ts";
import type { IssueAddress } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Permission } from "../tracker.ts";
import { checkBody, loadIssue } from "./rows.ts";
import type { Sql } from "./rows.ts";

/** What people do in the local tracker. Each returns the event that a webhook would have brought. */
export interface People {
  createProject(name: string): Promise<void>;
  setMember(project: string, login: string, permission: Permission, isBot?: boolean): Promise<void>;
  openIssue(project: string, issue: NewIssue): Promise<TrackerEvent>;
  editIssue(address: IssueAddress, actor: string, change: { title?: string; body?: string }): Promise<TrackerEvent>;
  assign(address: IssueAddress, actor: string, assignee: string): Promise<TrackerEvent>;
  unassign(address: IssueAddress, actor: string, assignee: string): Promise<TrackerEvent>;
  setState(address: IssueAddress, actor: string, state: "open" | "closed"): Promise<TrackerEvent>;
  label(address: IssueAddress, actor: string, labels: string[]): Promise<TrackerEvent>;
  comment(
    address: IssueAddress,
    author: string,
    body: string,
    options?: { at?: Date; threadId?: string },
  ): Promise<TrackerEvent>;
  editComment(address: IssueAddress, commentId: string, actor: string, body: string): Promise<TrackerEvent>;
  deleteComment(address: IssueAddress, commentId: string, actor: string): Promise<TrackerEvent>;
  /** Removes an issue and its whole thread. */
  erase(address: IssueAddress): Promise<void>;
}

export interface NewIssue {
  /** Null takes the next free number. */
  number: number | null;
  title: string;
  body: string;
  author: string;
  labels: string[];
  assignees: string[];
  url: string | null;
  createdAt: Date;
}

export function localPeople(db: Sql, { clock, ids }: { clock: Clock; ids: Ids }): People {
  const event = async (
    address: IssueAddress,
    kind: EventKind,
    actor: string,
    rest: Partial<Pick<TrackerEvent, "assignee" | "commentId" | "text">> = {},
  ): Promise<TrackerEvent> => ({
    provider: "local",
    externalProjectId: address.externalProjectId,
    externalIssueId: address.externalIssueId,
    kind,
    actor,
    actorIsBot: await isBot(db, address.externalProjectId, actor),
    at: clock.now(),
    assignee: rest.assignee ?? null,
    commentId: rest.commentId ?? null,
    text: rest.text ?? null,
  });
  const update = async (address: IssueAddress, set: string, value: unknown): Promise<void> => {
    await loadIssue(db, address);
    await db.execute(`update local_issues set ${set} = $3, updated_at = $4 where project = $1 and number = $2`, [
      address.externalProjectId,
      Number(address.externalIssueId),
      value,
      clock.now(),
    ]);
  };
  const setAssignees = async (address: IssueAddress, change: (now: string[]) => string[]): Promise<void> => {
    const issue = await loadIssue(db, address);
    await update(address, "assignees", JSON.stringify(change(issue.assignees)));
  };

  return {
    createProject: async (name) => {
      await db.execute(`insert into local_projects (name, created_at) values ($1, $2) on conflict do nothing`, [
        name,
        clock.now(),
      ]);
    },
    setMember: async (project, login, permission, bot = false) => {
      await db.execute(
        `insert into local_members (project, login, permission, is_bot) values ($1, $2, $3, $4)
         on conflict (project, login) do update set permission = excluded.permission, is_bot = excluded.is_bot`,
        [project, login, permission, bot],
      );
    },
    openIssue: async (project, issue) => {
      checkBody(issue.body, 0);
      const number = await db.transaction(async (tx) => {
        const taken = await takeNumber(tx, project, issue.number);
        await tx.execute(
          `insert into local_issues (project, number, title, body, author, state, labels, assignees, url, created_at, updated_at)
           values ($1, $2, $3, $4, $5, 'open', $6, $7, $8, $9, $9)`,
          [
            project,
            taken,
            issue.title,
            issue.body,
            issue.author,
            JSON.stringify(issue.labels),
            JSON.stringify(issue.assignees),
            issue.url,
            issue.createdAt,
          ],
        );
        return taken;
      });
      const address = { provider: "local" as const, externalProjectId: project, externalIssueId: String(number) };
      return await event(address, "opened", issue.author, { text: issue.body });
    },
    editIssue: async (address, actor, { title, body }) => {
      if (body !== undefined) {
        checkBody(body, 0);
        await update(address, "body", body);
      }
      if (title !== undefined) await update(address, "title", title);
      return await event(address, "edited", actor, { text: body ?? null });
    },
    assign: async (address, actor, assignee) => {
      await setAssignees(address, (now) => [...now.filter((login) => login !== assignee), assignee]);
      return await event(address, "assigned", actor, { assignee });
    },
    unassign: async (address, actor, assignee) => {
      await setAssignees(address, (now) => now.filter((login) => login !== assignee));
      return await event(address, "unassigned", actor, { assignee });
    },
    setState: async (address, actor, state) => {
      await update(address, "state", state);
      return await event(address, state === "open" ? "reopened" : "closed", actor);
    },
    label: async (address, actor, labels) => {
      await update(address, "labels", JSON.stringify(labels));
      return await event(address, "labelled", actor);
    },
    comment: async (address, author, body, { at, threadId } = {}) => {
      checkBody(body, 1);
      await loadIssue(db, address);
      const id = ids.next();
      await db.execute(
        `insert into local_comments (id, project, number, thread_id, author, body, created_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          id,
          address.externalProjectId,
          Number(address.externalIssueId),
          threadId ?? id,
          author,
          body,
          at ?? clock.now(),
        ],
      );
      return await event(address, "commented", author, { commentId: id, text: body });
    },
    editComment: async (address, commentId, actor, body) => {
      checkBody(body, 1);
      await db.execute(`update local_comments set body = $2, edited_at = $3 where id = $1`, [
        commentId,
        body,
        clock.now(),
      ]);
      return await event(address, "comment_edited", actor, { commentId, text: body });
    },
    deleteComment: async (address, commentId, actor) => {
      await db.execute(`delete from local_comments where id = $1`, [commentId]);
      return await event(address, "comment_deleted", actor, { commentId });
    },
    erase: async (address) => {
      await db.execute(`delete from local_issues where project = $1 and number = $2`, [
        address.externalProjectId,
        Number(address.externalIssueId),
      ]);
    },
  };
}

/** Issues and pull requests of a project share one sequence of numbers. */
export async function takeNumber(db: Sql, project: string, wanted: number | null): Promise<number> {
  const row = await db.maybeOne(
    z.object({ number: z.number() }),
    `update local_projects set next_number = greatest(next_number, coalesce($2::int, next_number)) + 1
     where name = $1 returning coalesce($2::int, next_number - 1) as number`,
    [project, wanted],
  );
  if (!row) throw new RelayError("not_found", `there is no local project ${project}`, { status: 404 });
  return row.number;
}

async function isBot(db: Sql, project: string, login: string): Promise<boolean> {
  const row = await db.maybeOne(
    z.object({ is_bot: z.boolean() }),
    `select is_bot from local_members where project = $1 and lower(login) = lower($2)`,
    [project, login],
  );
  return row?.is_bot ?? false;
}

import { z } from "zod";
import { PERMISSIONS, type IssuePage, type Member, type Tracker } from "../tracker.ts";
import type { CommitAuthor } from "../../../domain/work.ts";
import type { Committing, Projects } from "../code-host.ts";
import { memberOf, permit } from "./access.ts";
import { SELECT_ISSUE, issueRow, type Sql } from "./rows.ts";
import { unfit } from "../texts.ts";

const PAGE = 100;
const MOST_MEMBERS = 1_000;

/** The repository of a local project, as far as the tracker needs it. */
export interface LocalCode {
  defaultBranch(project: string): Promise<string>;
  branchExists(project: string, branch: string): Promise<boolean>;
  readFile(project: string, path: string): Promise<string | null>;
  /** Who git says makes commits there; null where it is not set. */
  commitAuthor(project: string): Promise<CommitAuthor | null>;
  /** How people ended the request of a branch with git alone: by merging or deleting it; null while it is open. */
  endOf(project: string, request: { head: string; base: string }): Promise<"merged" | "closed" | null>;
}

/** For a project without a repository. */
export const NO_CODE: LocalCode = {
  defaultBranch: async () => await Promise.resolve("main"),
  branchExists: async () => await Promise.resolve(false),
  readFile: async () => await Promise.resolve(null),
  commitAuthor: async () => await Promise.resolve(null),
  endOf: async () => await Promise.resolve(null),
};

type LocalProjects = Projects &
  Committing &
  Pick<Tracker, "permissionOf" | "accountIdOf" | "isBot" | "listMembers" | "listIssues">;

/** Projects of the local tracker, their members, and lists of their issues. */
export function localProjects(db: Sql, { bot, code }: { bot: string; code: LocalCode }): LocalProjects {
  const may = async (project: string) => await permit(db, project, bot, "read");
  return {
    getProject: async (project) => {
      await may(project);
      const defaultBranch = await code.defaultBranch(project);
      return {
        externalProjectId: project,
        stableId: null,
        defaultBranch,
        cloneUrl: project,
        url: null,
        isPrivate: true,
      };
    },
    permissionOf: async (project, login) => (await memberOf(db, project, login)).permission,
    accountIdOf: async (_project, login) => await Promise.resolve(login.toLowerCase()),
    isBot: async () => await Promise.resolve(false),
    listMembers: async (project): Promise<Member[]> => {
      await may(project);
      return await db.query(
        z.object({ login: z.string(), permission: z.enum(PERMISSIONS) }),
        `select login, permission from local_members where project = $1 order by login limit ${MOST_MEMBERS}`,
        [project],
      );
    },
    branchExists: async (project, branch) => {
      await may(project);
      return await code.branchExists(project, branch);
    },
    readFile: async (project, path) => {
      await may(project);
      return await code.readFile(project, path);
    },
    commitAuthor: async (project) =>
      (await code.commitAuthor(project)) ?? { name: bot, email: `${bot}@users.noreply.relay.invalid` },
    listIssues: async (project, { since, assignee }, cursor): Promise<IssuePage> => {
      await may(project);
      const from = cursor === null ? { at: since ?? "-infinity", number: 0 } : placeOf(cursor);
      const found = await db.query(
        issueRow,
        `${SELECT_ISSUE}
         where i.project = $1 and (i.updated_at, i.number) >= ($2, $3) and ($4::text is null or exists (
           select from jsonb_array_elements_text(i.assignees) as a where lower(a) = lower($4)))
         order by i.updated_at, i.number limit ${PAGE + 1}`,
        [project, from.at, from.number, assignee],
      );
      const next = found[PAGE];
      return {
        issues: found.slice(0, PAGE),
        next: next === undefined ? null : `${next.updatedAt.toISOString()} ${next.externalIssueId}`,
      };
    },
  };
}

function placeOf(cursor: string): { at: Date; number: number } {
  const [time = "", number = ""] = cursor.split(" ");
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || !/^\d{1,10}$/.test(number))
    throw unfit("the cursor is not one of a page of issues");
  return { at, number: Number(number) };
}

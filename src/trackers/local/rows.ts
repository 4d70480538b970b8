import { z } from "zod";
import type { IssueAddress } from "../../domain/issue.ts";
import { RelayError } from "../../lib/errors.ts";
import type { TrackerIssue } from "../tracker.ts";

/** What the local tracker needs of a database. */
export interface Sql {
  query<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T[]>;
  maybeOne<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T | null>;
  execute(sql: string, parameters: unknown[]): Promise<number>;
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
}

/** As hosted trackers have it. */
const BODY_LIMIT = 65_536;

const issueRow = z
  .object({
    project: z.string(),
    number: z.number(),
    title: z.string(),
    body: z.string(),
    author: z.string(),
    state: z.enum(["open", "closed"]),
    labels: z.array(z.string()),
    assignees: z.array(z.string()),
    url: z.string().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  })
  .transform((row): TrackerIssue => {
    const { project, number, created_at: createdAt, updated_at: updatedAt, ...same } = row;
    return {
      ...same,
      provider: "local",
      externalProjectId: project,
      externalIssueId: String(number),
      createdAt,
      updatedAt,
    };
  });

export const commentRow = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    author: z.string(),
    is_bot: z.boolean().nullable(),
    body: z.string(),
    created_at: z.date(),
    edited_at: z.date().nullable(),
  })
  .transform((row) => ({
    id: row.id,
    threadId: row.thread_id,
    replyToId: row.thread_id === row.id ? null : row.thread_id,
    author: row.author,
    isBot: row.is_bot ?? false,
    body: row.body,
    createdAt: row.created_at,
    editedAt: row.edited_at,
  }));

export const pullRequestRow = z
  .object({
    number: z.number(),
    title: z.string(),
    body: z.string(),
    head: z.string(),
    base: z.string(),
    draft: z.boolean(),
    state: z.enum(["open", "closed", "merged"]),
  })
  .transform((row) => ({ ...row, url: null }));

export async function loadIssue(db: Sql, address: IssueAddress): Promise<TrackerIssue> {
  const number = Number(address.externalIssueId);
  const issue = Number.isSafeInteger(number)
    ? await db.maybeOne(issueRow, `select * from local_issues where project = $1 and number = $2`, [
        address.externalProjectId,
        number,
      ])
    : null;
  if (issue) return issue;
  throw new RelayError("not_found", `there is no issue ${address.externalIssueId} in ${address.externalProjectId}`, {
    status: 404,
  });
}

export function checkBody(body: string, least: number): void {
  if (body.length >= least && body.length <= BODY_LIMIT && !body.includes("\0")) return;
  throw new RelayError("invalid", `a text must have ${least} to ${BODY_LIMIT} characters and no NUL`, { status: 422 });
}

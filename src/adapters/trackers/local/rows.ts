import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { PullRequest } from "../code-host.ts";
import type { TrackerComment, TrackerIssue } from "../tracker.ts";
import { unfit } from "../texts.ts";

/** The local tracker's dependencies. */
export interface Sql {
  query<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T[]>;
  maybeOne<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T | null>;
  execute(sql: string, parameters: unknown[]): Promise<number>;
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
}

/** Leaves room for later numbers in the column type. */
const LARGEST_NUMBER = 1_000_000_000;

const names = z.array(z.string());

export const issueRow = z
  .object({
    project: z.string(),
    number: z.number(),
    title: z.string(),
    body: z.string(),
    author: z.string(),
    state: z.enum(["open", "closed"]),
    labels: names,
    assignees: names,
    url: z.string().nullable(),
    comment_count: z.number(),
    created_at: z.date(),
    updated_at: z.date(),
  })
  .transform((row): TrackerIssue => {
    const { project, number, comment_count: commentCount, created_at: createdAt, updated_at: updatedAt, ...same } = row;
    return {
      ...same,
      provider: "local",
      externalProjectId: project,
      externalIssueId: String(number),
      confidential: false,
      commentCount,
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
  .transform((row): TrackerComment => ({
    id: row.id,
    threadId: row.thread_id,
    replyToId: row.thread_id === row.id ? null : row.thread_id,
    author: row.author,
    isBot: row.is_bot === true || row.author.endsWith("[bot]"),
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
    reviewers: names,
  })
  .transform((row): PullRequest => ({ ...row, url: null, conflicts: null, updatedAt: null }));

/** The two key columns of an issue's rows. Invalid numbers match nothing. */
export function keyOf(address: IssueAddress): [project: string, number: number] {
  const { externalProjectId: project, externalIssueId: id } = address;
  return [project, /^[1-9]\d{0,9}$/.test(id) && Number(id) <= LARGEST_NUMBER ? Number(id) : 0];
}

export const SELECT_ISSUE = `
  select i.*, (select count(*)::int from local_comments c where c.project = i.project and c.number = i.number) as comment_count
  from local_issues i`;

export async function loadIssue(db: Sql, address: IssueAddress): Promise<TrackerIssue> {
  return await findIssue(db, address, "");
}

/** The issue, locked with its thread until the transaction ends. */
export async function lockIssue(tx: Sql, address: IssueAddress): Promise<TrackerIssue> {
  return await findIssue(tx, address, "for update");
}

async function findIssue(db: Sql, address: IssueAddress, lock: "" | "for update"): Promise<TrackerIssue> {
  const issue = await db.maybeOne(
    issueRow,
    `${SELECT_ISSUE} where i.project = $1 and i.number = $2 ${lock}`,
    keyOf(address),
  );
  if (issue) return issue;
  throw new RelayError("not_found", `there is no issue ${address.externalIssueId} in ${address.externalProjectId}`, {
    status: 404,
  });
}

/** Issues and pull requests of a project share one sequence of numbers. Null for the next free one. */
export async function takeNumber(tx: Sql, project: string, wanted: number | null): Promise<number> {
  if (wanted !== null && !(Number.isInteger(wanted) && wanted > 0 && wanted <= LARGEST_NUMBER)) {
    throw unfit(`the number of an issue must be from 1 to ${LARGEST_NUMBER}, not ${wanted}`);
  }
  const row = await tx.maybeOne(
    z.object({ number: z.number() }),
    `update local_projects set next_number = greatest(next_number, coalesce($2::int, next_number) + 1)
     where name = $1 returning coalesce($2::int, next_number - 1) as number`,
    [project, wanted],
  );
  if (!row) throw new RelayError("not_found", `there is no local project ${project}`, { status: 404 });
  const taken = await tx.query(
    z.object({}),
    `select from local_issues where project = $1 and number = $2
     union all select from local_pull_requests where project = $1 and number = $2`,
    [project, row.number],
  );
  if (taken.length > 0) throw unfit(`the number ${row.number} is taken in ${project}; leave it out to get a free one`);
  return row.number;
}

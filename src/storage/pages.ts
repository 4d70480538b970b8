import { z } from "zod";
import type { AuditEntry } from "../domain/cycle.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import type { Sight } from "../domain/sight.ts";
import { auditRow } from "./audit.ts";
import type { Db } from "./db.ts";
import { CALL_COLUMNS, type StoredCall, callRow } from "./model-calls.ts";
import { seenBy } from "./sight.ts";
import { OPEN } from "./issue-lists.ts";

/** A position in the list of issues, most recently changed first; `at` is exact to microseconds. */
export interface IssuePlace {
  at: string;
  id: string;
}

interface IssueWindow {
  sight: Sight;
  /** Ids of repositories; null for all that the viewer may see. */
  repositories: readonly string[] | null;
  /** Whether to leave out those that are done or closed. */
  openOnly: boolean;
  /** Null for all. */
  states: readonly IssueState[] | null;
  /** Only those whose title, number or repository contains it; all if empty. */
  query: string;
  before: IssuePlace | null;
  /** How many issues are read. */
  window: number;
}

const windowRow = z.object({ id: z.string(), at: z.string(), matches: z.boolean() });

/** With more repositories than this, issues of all repositories are read and then filtered. */
const MOST_APART = 100;

/**
 * The next issues of a list, most recently changed first, each with whether it matches. Never reads many more than
 * `window` issues, however many there are (R-SCALE-1).
 */
export async function issuesInWindow(db: Db, of: IssueWindow): Promise<z.infer<typeof windowRow>[]> {
  const seen = seenBy(of.sight, 7);
  const repositories = of.repositories ?? of.sight.repositories;
  if (repositories?.length === 0) return [];
  const next = (condition: string) => `(select * from issues s where ${condition} and ${of.openOnly ? OPEN : "true"}
    and ($1::timestamptz is null or (s.updated_at, s.id) < ($1, $2::bigint))
    order by s.updated_at desc, s.id desc limit $3)`;
  const apart = repositories === null || repositories.length > MOST_APART ? [] : repositories;
  // A separate query for each: the planner then knows how many issues a repository has.
  const some = apart.map((_, index) => next(`s.repository_id = $${11 + index}::bigint`));
  return await db.query(
    windowRow,
    `select s.id, to_char(s.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
       ($4::text[] is null or s.state = any($4::text[]))
         and ($5 = '' or s.title ilike $5 or r.external_project_id ilike $5 or s.external_issue_id = $10)
         and ($6::bigint[] is null or s.repository_id = any($6::bigint[])) and ${seen.where} as matches
     from (${some.length === 0 ? next("true") : some.join(" union all ")}) s
     join repositories r on r.id = s.repository_id
     order by s.updated_at desc, s.id desc limit $3`,
    [
      of.before?.at ?? null,
      of.before?.id ?? null,
      of.window,
      of.states,
      of.query === "" ? "" : `%${of.query.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
      repositories,
      ...seen.parameters,
      of.query.replace(/^#/, ""),
      ...apart,
    ],
  );
}

/** The newest audit log entries of an issue before an id, newest first. */
export async function auditPage(
  db: Db,
  issueId: string,
  { before, most }: { before: string | null; most: number },
): Promise<AuditEntry[]> {
  return await db.query(
    auditRow,
    `select * from audit_log where issue_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
    [issueId, before, most],
  );
}

/** What the audit log of an issue says about these comments, oldest first. */
export async function auditOfComments(db: Db, issueId: string, commentIds: readonly string[]): Promise<AuditEntry[]> {
  return await db.query(
    auditRow,
    `select * from audit_log where issue_id = $1 and what in ('words.taken_up', 'words.left_aside')
       and after ->> 'comment_id' = any($2::text[]) order by id`,
    [issueId, commentIds],
  );
}

interface CallWindow {
  sight: Sight;
  /** Null for calls of all issues. */
  issueId: string | null;
  before: string | null;
  window: number;
}

/** The next model calls, newest first, each with whether the viewer may see it. Never reads more than `window` rows. */
export async function callsInWindow(
  db: Db,
  { sight, issueId, before, window }: CallWindow,
): Promise<{ id: string; call: StoredCall | null; issueId: string | null }[]> {
  const seen = seenBy(sight, 4);
  const row = z
    .looseObject({ id: z.string(), kind: z.string(), seen: z.boolean(), issue_id: z.string().nullable() })
    .transform((one) => ({
      id: one.id,
      call: one.seen && one.kind === "call" ? callRow.parse(one) : null,
      issueId: one.issue_id,
    }));
  return await db.query(
    row,
    `select ${CALL_COLUMNS}, kind, issue_id, $4::bigint[] is null or coalesce(own.seen, false) as seen
     from (select * from llm_evals where ($1::bigint is null or issue_id = $1) and ($2::bigint is null or id < $2)
           order by id desc limit $3) newest
     left join lateral (
       select true as seen from issues s where s.id = newest.issue_id and ${seen.where} limit 1) own on true
     order by id desc`,
    [issueId, before, window, ...seen.parameters],
  );
}

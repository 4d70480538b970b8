import { z } from "zod";
import { type Issue, PROVIDERS } from "../domain/issue.ts";
import { type IssueState, ISSUE_STATES } from "../domain/lifecycle.ts";
import { camelRow } from "./camel-row.ts";
import type { Sight } from "../domain/sight.ts";
import type { Db } from "./db.ts";
import { seenBy } from "./sight.ts";
import { SELECT_ISSUE, issueRow } from "./issues.ts";

/** Which issues to list. */
export interface IssueFilter {
  /** `open`: those that are neither done nor closed. */
  states: "open" | "all" | readonly IssueState[];
  /** Ids of repositories; null for all. */
  repositories: readonly string[] | null;
}

const MOST_NAMES = 500;

/** The names of the repositories with code that the viewer may see, of at most 500. */
export async function listSearchable(db: Db, { repositories }: Pick<Sight, "repositories">): Promise<string[]> {
  const rows = await db.query(
    z.object({ name: z.string() }),
    `select distinct external_project_id as name from repositories
     where clone_source is not null and ($1::bigint[] is null or id = any($1::bigint[])) order by 1 limit ${MOST_NAMES}`,
    [repositories],
  );
  return rows.map(({ name }) => name);
}

/** How many issues are in memory at a time. */
const PAGE = 200;

/** SQL: open issues. Must read like the condition of the index `issues_open_by_change`. */
export const OPEN = `s.state not in ('done', 'closed')`;

function conditionOf({ states, repositories }: IssueFilter): { where: string; parameters: unknown[] } {
  const inStates = typeof states === "string" ? "$1::text[] is null" : "s.state = any($1::text[])";
  const areOpen = states === "open" ? `and ${OPEN}` : "";
  return {
    where: `where ${inStates} ${areOpen} and ($2::bigint[] is null or s.repository_id = any($2::bigint[]))`,
    parameters: [typeof states === "string" ? null : states, repositories],
  };
}

/**
 * Passes on the issues page by page, most recently changed first: at most `limit`, or all. They are those of one
 * moment, however long the work takes and whatever changes meanwhile (R-SCALE-1).
 */
export async function forEachPage(
  db: Db,
  filter: IssueFilter,
  limit: number | null,
  work: (issues: Issue[]) => Promise<void>,
): Promise<void> {
  const { where, parameters } = conditionOf(filter);
  await db.transaction(async (tx) => {
    await tx.execute(
      `declare listed no scroll cursor for
       ${SELECT_ISSUE} ${where} order by s.updated_at desc, s.id desc limit $3::integer`,
      [...parameters, limit],
    );
    for (;;) {
      const page = await tx.query(issueRow, `fetch ${PAGE} from listed`, []);
      if (page.length === 0) return;
      await work(page);
    }
  });
}

/** The number of issues to list; stops counting above `most`. */
export async function countIssues(db: Db, filter: IssueFilter, most: number): Promise<number> {
  const { where, parameters } = conditionOf(filter);
  const { count } = await db.one(
    z.object({ count: z.number() }),
    `select count(*)::integer as count from (select from issues s ${where} limit $3::integer) listed`,
    [...parameters, most],
  );
  return count;
}

const listedRow = camelRow({
  id: z.string(),
  provider: z.enum(PROVIDERS),
  externalProjectId: z.string(),
  externalIssueId: z.string(),
  title: z.string(),
  state: z.enum(ISSUE_STATES),
  updatedAt: z.date(),
});

/** An issue in a list: without its text. */
export type ListedIssue = z.infer<typeof listedRow>;

interface ListOptions {
  /** The viewer: only what they may see is listed (R-SAFE-4). */
  sight: Sight;
  states: IssueFilter["states"];
  /** Only those whose title, number or repository contains it; all if empty. */
  query: string;
  /** Only those that changed before this one; null for the first page. */
  before: Pick<ListedIssue, "updatedAt" | "id"> | null;
  most: number;
}

/** A page of issues, most recently changed first. */
export async function listPage(db: Db, { sight, states, query, before, most }: ListOptions): Promise<ListedIssue[]> {
  // No text in the database has this character, and PostgreSQL rejects it as a parameter.
  if (query.includes("\0")) return [];
  const seen = seenBy(sight, 8);
  const { where, parameters } = conditionOf({ states, repositories: null });
  return await db.query(
    listedRow,
    `select s.id, i.provider, r.external_project_id, s.external_issue_id, s.title, s.state, s.updated_at
     from issues s join repositories r on r.id = s.repository_id join integrations i on i.id = r.integration_id
     ${where} and ($3 = '' or s.title ilike $3 or s.external_issue_id = $4 or r.external_project_id ilike $3)
       and ($5::timestamptz is null or (s.updated_at, s.id) < ($5, $6::bigint)) and ${seen.where}
     order by s.updated_at desc, s.id desc limit $7`,
    [
      ...parameters,
      query === "" ? "" : `%${query.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
      query.replace(/^#/, ""),
      before?.updatedAt ?? null,
      before?.id ?? null,
      most,
      ...seen.parameters,
    ],
  );
}

/** The number of issues that the viewer may see in each state; empty states are left out. */
export async function countByState(db: Db, sight: Sight): Promise<Map<IssueState, number>> {
  const seen = seenBy(sight, 1);
  const rows = await db.query(
    z.object({ state: z.enum(ISSUE_STATES), count: z.number() }),
    `select state, count(*)::int as count from issues s where ${seen.where} group by state`,
    seen.parameters,
  );
  return new Map(rows.map(({ state, count }) => [state, count]));
}

/** All issues with a spec, in pages; those created meanwhile come last. */
export async function* pagesWithSpec(db: Db): AsyncGenerator<Issue[]> {
  for (let after: string | undefined = "0"; after !== undefined;) {
    const page: Issue[] = await db.query(
      issueRow,
      `${SELECT_ISSUE} where s.id > $1 and s.spec is not null order by s.id limit ${PAGE}`,
      [after],
    );
    if (page.length > 0) yield page;
    after = page.at(-1)?.id;
  }
}

/** The issues as they are stored now, without forgotten ones. */
export async function listIssuesById(db: Db, ids: readonly string[]): Promise<Issue[]> {
  return await db.query(issueRow, `${SELECT_ISSUE} where s.id = any($1::bigint[])`, [ids]);
}

/** The largest number that an id can be. */
const LARGEST_ID = 2n ** 63n - 1n;

/**
 * Issues that people may mean by a number (`7`), a name (`local/demo#7`, `demo#7`), an id or a URL, ignoring case: at
 * most `most`.
 */
export async function findNamed(db: Db, word: string, most: number): Promise<Issue[]> {
  const isId = /^[1-9]\d{0,18}$/.test(word) && BigInt(word) <= LARGEST_ID;
  const hash = word.lastIndexOf("#");
  const project = hash < 0 ? null : word.slice(0, hash);
  const slash = project?.indexOf("/") ?? -1;
  const [provider, projectThere] =
    project === null || slash < 0 ? [null, null] : [project.slice(0, slash), project.slice(slash + 1)];
  return await db.query(
    issueRow,
    `${SELECT_ISSUE} where s.id = any(array(
       select id from issues where id = $2::bigint
       union (select id from issues where lower(external_issue_id) = lower($1) order by repository_id limit $7::integer)
       union (select id from issues where lower(url) = lower($1) limit $7::integer)
       union (select n.id from repositories p
              join integrations t on t.id = p.integration_id
              join issues n on n.repository_id = p.id
              where lower(p.external_project_id) in (lower($3), lower($4))
                and (lower(p.external_project_id) = lower($3) or t.provider = lower($5))
                and lower(n.external_issue_id) = lower($6) limit $7::integer)))
     order by s.id limit $7::integer`,
    [word, isId ? word : null, project, projectThere, provider, word.slice(hash + 1), most],
  );
}

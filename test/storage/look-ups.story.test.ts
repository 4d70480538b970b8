import { Client } from "pg";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../support/database.ts";
import { addManyIssues } from "../support/many-issues.ts";
import { openOn } from "../support/find-open-request.ts";
import { agentOf, agreed, idle, mends, openWorking } from "../support/working-relay.ts";
import { maintain } from "../../src/app/maintenance/maintenance.ts";
import { configSchema } from "../../src/config/schema.ts";
import { listAudit } from "../../src/storage/audit.ts";
import { countBacklog } from "../../src/storage/backlog.ts";
import { listCycles } from "../../src/storage/cycles.ts";
import type { Db } from "../../src/storage/db.ts";
import { listDeadLetters } from "../../src/storage/dead-letters.ts";
import { forgetIssue } from "../../src/storage/issues.ts";
import { listKept, proposeLearning } from "../../src/storage/learnings.ts";
import { listReadIn, markUnread } from "../../src/storage/messages.ts";
import { linkCalls, listCalls } from "../../src/storage/model-calls.ts";
import { rateOutcome } from "../../src/storage/ratings.ts";
import { findRequestByBranch } from "../../src/storage/pull-requests.ts";
import {
  findRepositoryAt,
  findStableRepository,
  getRepository,
  updateProject,
} from "../../src/storage/repositories.ts";
import {
  countDue,
  daysAgo,
  endedAmong,
  listWithRemains,
  markRemoved,
  removeAuditEntries,
  removeRunLogs,
} from "../../src/storage/retention.ts";
import { listEndedRuns, listRuns, newestHead } from "../../src/storage/runs.ts";
import { countWork, listQuotas, readBudgets, readFigures } from "../../src/storage/figures.ts";
import { spentUsd } from "../../src/storage/spending.ts";

/** Foreign keys of what stays small, or is never deleted: `table.column`, with the reason. */
const WITHOUT_INDEX: Record<string, string> = {};

test("each foreign key leads an index, so that a deletion finds what belongs to it", async () => {
  const { db } = await freshDatabase();
  const missing = await db.query(
    z.object({ name: z.string() }),
    `select f.conrelid::regclass || '.' || string_agg(a.attname, ',' order by k.at) as name
     from pg_constraint f cross join lateral unnest(f.conkey) with ordinality k(attnum, at)
     join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum
     where f.contype = 'f' and f.connamespace = 'public'::regnamespace and not exists (
       select from pg_index i where i.indrelid = f.conrelid
         and (i.indkey::smallint[])[0:cardinality(f.conkey) - 1] @> f.conkey
         and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = '(' || (
           select string_agg(quote_ident(c.attname), ',') from pg_attribute c
           where c.attrelid = f.conrelid and c.attnum = any (f.conkey)) || ' IS NOT NULL)'))
     group by f.oid, f.conrelid order by 1`,
    [],
  );
  expect(missing.map(({ name }) => name)).toEqual(Object.keys(WITHOUT_INDEX));
});

/** Statements that are meant to read all rows: a part of their text, with the reason. */
const READS_ALL: Record<string, string> = {
  "from learnings l left join repositories r": "`relay learnings list` shows all",
};

test("no look-up of a story reads a whole table, once there are many issues", async () => {
  const asked = new Map<string, unknown[]>();
  const { life, issue } = await recorded(asked, story);
  const big = await fill(life.db, issue.repositoryId);
  await recorded(asked, async () => await forgetIssue(life.db, issue, "ann", life));
  const whole = await planReader(life.db, big);
  const slow = [];
  for (const [sql, parameters] of asked) slow.push(...(await whole(sql, parameters)));
  expect(slow.filter((line) => !Object.keys(READS_ALL).some((part) => line.includes(part)))).toEqual([]);
});

const statement = z.object({ text: z.string(), values: z.array(z.unknown()).default([]) });
/** What looks for rows in tables of Relay's own, and not in those of the local tracker. */
const ABOUT_ROWS = /^(?!.*\blocal_)\s*(?:select|update|delete|insert|with|\(select)\b(?=.*\b(?:from|where)\b)/is;

/** An issue from its report to the merge of its request, what Relay looks at by itself, and what people can ask. */
async function story() {
  const life = await openWorking(agentOf(mends, idle));
  const { db, clock, orchestrator } = life;
  const address = await agreed(life);
  await life.worksOn(address);
  const branch = "fix/1-wrong-total-cart";
  const opened = await openOn(life.tracker, "shop", branch);
  if (opened === null) throw new Error("there is no request");
  await life.tell(address, await life.people.mergeRequest({ project: "shop", number: opened.number }, "mia"));
  const issue = await life.existing(address);
  const repository = await getRepository(db, issue.repositoryId);
  await orchestrator.checkReviews(repository.id, [{ number: opened.number, state: "open", updatedAt: new Date() }]);
  await orchestrator.recover();
  await orchestrator.retryHeldUp(repository);
  await orchestrator.retryDeadLetters(address);
  const config = configSchema.parse({ home: life.home });
  const nothing = async () => await Promise.resolve();
  const given = {
    config,
    connections: new Map(),
    workspace: "default",
    sendEvents: nothing,
    sendStatus: nothing,
    sendCompares: nothing,
  };
  await maintain({ ...life, ...given }, "start");
  await countBacklog(db, clock);
  await countWork(db);
  await readFigures(db);
  await listQuotas(db);
  await readBudgets(db, 0);
  await listDeadLetters(db);
  await newestHead(db, "shop", branch);
  await findRequestByBranch(db, "shop", branch);
  await findRepositoryAt(db, life.code.root);
  await findStableRepository(db, "github", "7");
  await updateProject(db, repository, { externalProjectId: "store", stableId: "7", cloneSource: null });
  await listEndedRuns(
    db,
    (await listRuns(db, issue.id)).map(({ id }) => id),
  );
  const [cycle] = await listCycles(db, issue.id);
  if (cycle === undefined) throw new Error("there is no cycle");
  await listReadIn(db, cycle.id);
  await markUnread(db, cycle.id);
  await linkCalls(db, issue.id, cycle.id);
  await listCalls(db, issue.id);
  await rateOutcome(db, issue.id, null, { stars: 5, note: null, by: "ann" }, life);
  await listAudit(db, issue.id);
  const learning = { content: "Money is in cents.", proposedBy: "mia", sourceMessageId: "1" };
  await proposeLearning(db, issue.id, { type: "domain_learnings", ...learning }, life);
  await listKept(db, { repository: "shop", status: null });
  for (const spender of [{ issue: issue.id }, { repository: repository.id }, { workspace: repository.workspaceId }]) {
    await spentUsd(db, spender, clock.now(), 5);
  }
  const old = await daysAgo(db, 1_000);
  for (const remains of ["records", "audit"] as const) {
    await listWithRemains(db, remains, old, 10);
    await markRemoved(db, remains, [issue.id], old);
  }
  await removeRunLogs(db, issue.id, old, 10);
  await removeAuditEntries(db, issue.id, old, 10);
  await endedAmong(db, [issue.id], old);
  await countDue(db, { modelTexts: old, records: old, audit: old, deliveries: old, notices: old }, 10);
  return { life, issue };
}

/** Fills the database, and returns the tables that are big then. */
async function fill(db: Db, repositoryId: string): Promise<ReadonlySet<string>> {
  await addManyIssues(db, { repositories: 1_000, issues: 5_000, messagesPerIssue: 3 });
  await db.execute(
    `insert into learnings (id, workspace_id, repository_id, type, content, content_key, status, created_at)
     select n, i.workspace_id, n % 999 + 2, 'code_learnings', 'Lesson ' || n, 'lesson ' || n, 'approved', now()
     from repositories r join integrations i on i.id = r.integration_id, generate_series(1, 5000) n where r.id = $1`,
    [repositoryId],
  );
  await db.execute("analyze", []);
  const row = z.object({ name: z.string() });
  const sql = `select relname as name from pg_class where relkind = 'r' and reltuples > 3000 and relname !~ '^pg_'`;
  return new Set((await db.query(row, sql, [])).map(({ name }) => name));
}

/** Keeps each statement that is sent meanwhile, with its last parameters. */
async function recorded<T>(asked: Map<string, unknown[]>, work: () => Promise<T>): Promise<T> {
  // oxlint-disable-next-line typescript/unbound-method -- it is applied to the connection that it was called on
  const send = Client.prototype.query;
  const spy = vi.spyOn(Client.prototype, "query").mockImplementation(function (this: Client, ...given: unknown[]) {
    const [first, second] = given;
    const { text, values } = statement.parse(typeof first === "string" ? { text: first, values: second } : first);
    if (ABOUT_ROWS.test(text)) asked.set(text, values);
    return Reflect.apply(send, this, given);
  });
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}

const node = z.looseObject({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Index Name": z.string().optional(),
  "Index Cond": z.string().optional(),
  Plans: z.array(z.unknown()).default([]),
});
const planRow = z.object({ "QUERY PLAN": z.array(z.object({ Plan: z.unknown() })) });
const partialRow = z.object({ table: z.string(), index: z.string() });

/** Tells where PostgreSQL reads a big table, or a whole index of it, to carry a statement out. */
async function planReader(db: Db, big: ReadonlySet<string>) {
  const partial = await db.query(
    partialRow,
    `select indrelid::regclass::text as table, indexrelid::regclass::text as index from pg_index where indpred is not null`,
    [],
  );
  const few = new Set(partial.map(({ index }) => index));
  const tables = new Map(
    (await db.query(partialRow, `select tablename as table, indexname as index from pg_indexes`, [])).map(
      ({ table, index }) => [index, table],
    ),
  );
  const read = (plan: unknown, isLimited: boolean): string[] => {
    const { Plans: below, ...step } = node.parse(plan);
    const [how, index] = [step["Node Type"], step["Index Name"] ?? ""];
    const table = step["Relation Name"] ?? tables.get(index) ?? "";
    const isIndexWhole = how.includes("Index") && step["Index Cond"] === undefined && !few.has(index) && !isLimited;
    const isWhole = big.has(table) && (how === "Seq Scan" || isIndexWhole);
    return [
      ...(isWhole ? [`${how} of ${table} ${index}`] : []),
      ...below.flatMap((one) => read(one, isLimited || how === "Limit")),
    ];
  };
  return async (sql: string, parameters: unknown[]) => {
    const explained = await db.one(planRow, `explain (format json) ${sql}`, parameters);
    return explained["QUERY PLAN"].flatMap(({ Plan }) => read(Plan, false)).map((step) => `${step}: ${sql}`);
  };
}

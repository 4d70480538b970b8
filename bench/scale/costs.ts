import { spawnSync } from "node:child_process";
import { z } from "zod";
import { sleep } from "../../src/lib/clock.ts";
import type { Db } from "../../src/storage/db.ts";
import { median, quantile } from "../figures.ts";
import { comment, quiet, relay, serve, usageOf, workedOff } from "./processes.ts";
import { METRICS_TOKEN, type Stage } from "./stage.ts";

/** What something costs at one size. `ms` is compared with the anchor of the same size; `other` is as it is. */
export interface Cost {
  what: string;
  kind: "ms" | "other";
  unit: string;
  value: number;
}

const LOOKS = 30;
const IDLE_MS = 10_000;

/**
 * A time that all this machine's work has in common: a new process and a question of a second to the database. Those of
 * different sizes are measured minutes apart, on a machine that has other work.
 */
export async function anchor(db: Db): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const start = performance.now();
    spawnSync(process.execPath, ["-e", "let n = 0; for (let i = 0; i < 3e7; i += 1) n += i % 7;"]);
    await db.execute("select sum(n) from generate_series(1, 200000) n", []);
    times.push(performance.now() - start);
  }
  return median(times);
}

/** What the start, deliveries, commands, one upkeep and idling cost where so many issues are known. */
export async function measureCosts(stage: Stage): Promise<Cost[]> {
  const { db, mock } = stage;
  const costs: Cost[] = [];
  const add = (what: string, unit: string, value: number, kind: Cost["kind"] = "other") =>
    void costs.push({ what, kind, unit, value });
  const time = (what: string, ms: number) => add(what, "ms", ms, "ms");
  const anchors = [await anchor(db)];

  const open = await waitingIssue(db);
  // What was filled by SQL is told to the tracker once, such as labels and status comments.
  const settling = await serve(stage, "web,planner");
  await quiet(stage);
  await settling.stop();
  mock.requests.length = 0;
  const scans = await readByScans(db);
  const started = performance.now();
  const server = await serve(stage, "web,planner");
  time("start until /readyz", server.readyMs);
  await comment(server, stage, open);
  time("first delivery after a start, worked off", await workedOff(stage));
  await quiet(stage);
  time("start until all is quiet", performance.now() - started);
  add("memory of serve after an upkeep", "MB", usageOf(server.pid).megabytes);
  add("most memory of serve in it", "MB", usageOf(server.pid).mostMegabytes);
  const inReview = await numbersInReview(db);
  const { all: requests, counted, projects, reviews } = countRequests(stage, inReview);
  add("requests of one upkeep", "", requests);
  add("of them counted by the tracker, not “not modified”", "", counted);
  add("of them by repository", "", projects / stage.size.repositories);
  add("of them by issue in review", "", reviews / inReview.size);
  const after = await readByScans(db);
  let all = 0;
  for (const [table, rows] of after) all += rows - (scans.get(table) ?? 0);
  add("rows read by sequential scans in it", "", all);
  for (const table of ["repositories", "issues", "messages", "deliveries", "tasks", "runs", "actions"]) {
    add(`of them ${table}`, "", (after.get(table) ?? 0) - (scans.get(table) ?? 0));
  }

  const acks: number[] = [];
  const worked: number[] = [];
  for (let n = 0; n < LOOKS; n += 1) {
    acks.push(await comment(server, stage, open));
    worked.push(await workedOff(stage));
  }
  time("acknowledged, median", median(acks));
  time("worked off after that, median", median(worked));
  time("worked off after that, p95", quantile(worked, 0.95));
  const scrapes: number[] = [];
  for (let n = 0; n < 9; n += 1) scrapes.push(await scrape(server.address));
  time("GET /metrics, median", median(scrapes));
  await quiet(stage);
  anchors.push(await anchor(db));
  const before = usageOf(server.pid).cpuSeconds;
  const statements = await countTransactions(db);
  await sleep(IDLE_MS);
  add("idle for 10 s: computing of serve", "ms", 1_000 * (usageOf(server.pid).cpuSeconds - before));
  add("idle for 10 s: transactions", "", (await countTransactions(db)) - statements);
  const connections = await countConnections(db);
  await server.stop();
  add("connections of serve", "", connections - (await countConnections(db)));

  const address = `${open.project}#${open.number}`;
  for (const [what, args] of commandsOn(address)) {
    const runs = [await relay(stage, args)];
    if (what !== "relay forget ONE") for (let n = 0; n < 2; n += 1) runs.push(await relay(stage, args));
    time(`${what}: time`, median(runs.map(({ ms }) => ms)));
    add(`${what}: memory`, "MB", Math.max(...runs.map(({ mostMegabytes }) => mostMegabytes)));
    add(`${what}: output`, "kB", (runs[0]?.bytes ?? Number.NaN) / 1_000);
  }
  anchors.push(await anchor(db));
  add(
    "database",
    "MB",
    (await count(db, "select (pg_database_size(current_database()) / 1000)::int as count")) / 1_000,
  );
  add("anchor: a process that counts, and a sum in the database", "ms", median(anchors), "ms");
  mock.requests.length = 0;
  return costs;
}

function commandsOn(address: string): [string, string[]][] {
  return [
    ["relay status", ["status"]],
    ["relay status --json", ["status", "--json"]],
    ["relay status ONE", ["status", address]],
    ["relay log ONE", ["log", address]],
    ["relay forget ONE", ["forget", address, "--yes"]],
  ];
}

async function waitingIssue(db: Db): Promise<{ project: string; number: number; body: string }> {
  const row = z.object({ project: z.string(), number: z.number() });
  const found = await db.one(
    row,
    `select r.external_project_id as project, s.external_issue_id::int as number
     from issues s join repositories r on r.id = s.repository_id where s.state = 'clarifying' order by s.id limit 1`,
    [],
  );
  return { ...found, body: "The order had three lines." };
}

function countRequests({ mock }: Stage, inReview: ReadonlySet<number>) {
  const all = mock.requests.map(({ path }) => path.split("?")[0] ?? path);
  const projects = all.filter((path) => /^\/repos\/[^/]+\/[^/]+(?:\/issues|\/hooks.*|\/pulls)?$/.test(path));
  const reviews = all.filter((path) => {
    const number = Number(/\/(?:issues|pulls)\/(\d+)/.exec(path)?.[1]);
    return number > 1_000_000 || inReview.has(number) || /\/(?:commits|contents)\//.test(path);
  });
  const counted = mock.requests.filter(({ status }) => status !== 304);
  return { all: all.length, counted: counted.length, projects: projects.length, reviews: reviews.length };
}

async function numbersInReview(db: Db): Promise<Set<number>> {
  const row = z.object({ number: z.number() });
  const found = await db.query(
    row,
    "select external_issue_id::int as number from issues where state = 'in_review'",
    [],
  );
  return new Set(found.map(({ number }) => number));
}

async function readByScans(db: Db): Promise<Map<string, number>> {
  // Other sessions tell of what they did when they are idle, at most a second later.
  await sleep(1_500);
  const row = z.object({ name: z.string(), rows: z.coerce.number() });
  const sql = "select relname as name, seq_tup_read as rows from pg_stat_user_tables where schemaname = 'public'";
  return new Map((await db.query(row, sql, [])).map(({ name, rows }) => [name, rows]));
}

async function countTransactions(db: Db): Promise<number> {
  return await count(
    db,
    "select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()",
  );
}

async function countConnections(db: Db): Promise<number> {
  return await count(db, "select count(*)::int as count from pg_stat_activity where datname = current_database()");
}

async function count(db: Db, sql: string): Promise<number> {
  return (await db.one(z.object({ count: z.number() }), sql, [])).count;
}

async function scrape(address: string): Promise<number> {
  const start = performance.now();
  const answer = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`/metrics answered ${answer.status}`);
  return performance.now() - start;
}

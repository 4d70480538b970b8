import { sleep } from "../../src/lib/clock.ts";
import { z } from "zod";
import type { Connecting } from "../../src/storage/db.ts";
import { median } from "../figures.ts";
import { type Cost, anchor } from "./costs.ts";
import { comment, quiet, serve, usageOf } from "./processes.ts";
import { type Stage, openStage } from "./stage.ts";

const MENTIONS = 6;

/**
 * So many issues whose quiet wait ends within one minute, while people mention Relay in others: a mention has to be
 * worked off as if nothing else were there. `after a start`: the process starts when the waits have ended.
 */
export async function measureHerd(server: Connecting, waits: number): Promise<Cost[]> {
  const size = { name: "herd", repositories: 10, issues: waits + 100, allWait: true };
  const stage = await openStage(size, server);
  try {
    const costs: Cost[] = [];
    await wait(stage, waits, 0);
    const cold = await serve(stage, "web,planner");
    costs.push(...(await mentioned(stage, cold, "first minute after a start: ")));
    await cold.stop();
    // What is left of it rests, so that the second one is of the same size.
    await stage.db.execute("delete from pgboss.job where name = 'relay-wake'", []);
    await stage.db.execute(
      "update issues set debounce_until = null, state = 'clarifying' where state = 'planning'",
      [],
    );
    const warm = await serve(stage, "web,planner");
    await quiet(stage);
    await wait(stage, waits, 20);
    await enqueue(stage);
    await sleep(25_000);
    costs.push(...(await mentioned(stage, warm, "later: ")));
    costs.push(
      { what: "most memory of serve", kind: "other", unit: "MB", value: usageOf(warm.pid).mostMegabytes },
      { what: "anchor", kind: "ms", unit: "ms", value: await anchor(stage.db) },
    );
    await warm.stop();
    return costs;
  } finally {
    await stage.close();
  }
}

/** So many issues wait, and stop waiting within a minute from so many seconds on. */
async function wait({ db }: Stage, waits: number, seconds: number): Promise<void> {
  await db.execute(
    `update issues set state = 'clarifying', resumes_as = null, wake_attempts = 0,
       debounce_until = now() + $2 * interval '1 s' + (id / 1000 % 60) * interval '1 s' * sign($2)
     where id <= $1::bigint * 1000`,
    [waits, seconds],
  );
  await db.execute("update messages set seen = false where seq = 1 and issue_id <= $1::bigint * 1000", [waits]);
}

/** The jobs of waits that Relay did not begin itself. */
async function enqueue({ db }: Stage): Promise<void> {
  await db.execute(
    `insert into pgboss.job (name, data, singleton_key, start_after, policy, retry_limit, keep_until)
     select 'relay-wake', jsonb_build_object('key', id::text, 'subject', id::text), id::text, debounce_until, 'short', 1000,
       now() + interval '1 day'
     from issues where debounce_until is not null on conflict do nothing`,
    [],
  );
}

/** Mentions in issues that are not among those that wait. */
async function mentioned(stage: Stage, to: { address: string }, when: string): Promise<Cost[]> {
  const { db } = stage;
  const row = z.object({ project: z.string(), number: z.number() });
  const others = await db.query(
    row,
    `select r.external_project_id as project, s.external_issue_id::int as number from issues s
     join repositories r on r.id = s.repository_id where s.state = 'clarifying' and s.debounce_until is null limit $1`,
    [MENTIONS],
  );
  const times: number[] = [];
  for (const other of others) {
    const start = performance.now();
    await comment(to, stage, { ...other, body: "@relay, please have a look." });
    const sql = `select count(*)::int as count from deliveries where processed_at is null and event ->> 'externalIssueId' = $1`;
    while ((await db.one(z.object({ count: z.number() }), sql, [String(other.number)])).count > 0) await sleep(5);
    times.push(performance.now() - start);
    await sleep(2_000);
  }
  return [
    { what: `${when}mention worked off, median`, kind: "ms", unit: "ms", value: median(times) },
    { what: `${when}mention worked off, longest`, kind: "ms", unit: "ms", value: Math.max(...times) },
  ];
}

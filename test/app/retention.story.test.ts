import { existsSync, mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../support/database.ts";
import { addManyIssues } from "../support/many-issues.ts";
import { measureDisk } from "../../src/app/maintenance/disk.ts";
import { removeOld } from "../../src/app/maintenance/retention.ts";
import { mirrorPath } from "../../src/code/mirror/mirror-directory.ts";
import { type Retention, retentionSettings } from "../../src/config/retention-settings.ts";
import { fileRecords } from "../../src/engine/recording/recordings.ts";
import { silentLog } from "../../src/lib/log.ts";
import type { Db } from "../../src/storage/db.ts";
import { countClosings } from "../../src/storage/audit.ts";
import { overviewsOf } from "../../src/storage/issue-overview.ts";
import { usageOf } from "../../src/storage/model-calls.ts";
import { removedAt } from "../../src/storage/retention.ts";

import { countWork } from "../../src/storage/figures.ts";
import { spentUsd } from "../../src/storage/spending.ts";

const NEVER: Retention = {
  model_texts_days: "never",
  records_days: "never",
  audit_days: "never",
  deliveries_days: "never",
  notices_days: "never",
  code_days: "never",
  code_gb: "never",
};
const DAY_MS = 86_400_000;

/** A database with issues that ended in the last 60 days, and a data directory of its own. */
async function open(issues: number) {
  const { db } = await freshDatabase();
  if (issues > 0) await addManyIssues(db, { repositories: 3, issues, messagesPerIssue: 2 });
  const home = mkdtempSync(join(tmpdir(), "relay-retention-"));
  onTestFinished(async () => await rm(home, { recursive: true, force: true }));
  const records = fileRecords(home, { log: silentLog });
  const remove = async (retention: Partial<Retention>, signal?: AbortSignal) =>
    await removeOld({
      db,
      log: silentLog,
      records,
      config: { home, retention: { ...NEVER, ...retention } },
      ...(signal ? { signal } : {}),
    });
  return { db, home, records, remove };
}

async function count(db: Db, from: string): Promise<number> {
  return (await db.one(z.object({ count: z.number() }), `select count(*)::int as count from ${from}`, [])).count;
}

async function idsOf(db: Db, where: string): Promise<string[]> {
  const rows = await db.query(z.object({ id: z.string() }), `select id from issues where ${where} order by id`, []);
  return rows.map(({ id }) => id);
}

/** What budgets, metrics and commands tell of what was done. */
async function figures(db: Db) {
  const ids = await idsOf(db, "id % 50000 = 0");
  const overview = await overviewsOf(db, ids);
  const workspace = await db.one(z.object({ id: z.string() }), "select id from workspaces", []);
  return {
    work: await countWork(db),
    usage: await Promise.all(ids.map(async (id) => await usageOf(db, id))),
    closings: await Promise.all(ids.map(async (id) => await countClosings(db, id))),
    standings: ids.map((id) => [overview(id).since, overview(id).engagedBy, overview(id).run?.usd]),
    workspace: await spentUsd(db, { workspace: workspace.id }, null, 5),
    day: await spentUsd(db, { repository: "2" }, new Date(0), 5),
  };
}

test("texts go after their time, in batches; figures stay as they were (R-SCALE-3)", async () => {
  const { db, remove } = await open(1_000);
  const before = await figures(db);
  const texts = `llm_evals where input <> 'null' or output <> 'null'`;
  expect(await count(db, texts)).toBe(6_000);
  await remove({ model_texts_days: 1, records_days: 1, audit_days: 1, deliveries_days: 1 });
  expect(await count(db, "llm_evals where created_at < now() - interval '1 day' and texts_removed_at is null")).toBe(0);
  expect(await count(db, texts)).toBe(await count(db, "llm_evals where created_at > now() - interval '1 day'"));
  expect(await count(db, "deliveries where processed_at < now() - interval '1 day'")).toBe(0);
  expect(await figures(db)).toEqual(before);
});

test("what an issue needs that has not ended stays, and so do the words of people", async () => {
  const { db, remove } = await open(400);
  const open1 = "state not in ('done', 'closed')";
  const kept = ["messages", "specs", "plans", "runs", "task_requests", "posts", "gaps", "findings"];
  const rows = async () => await Promise.all(kept.map(async (table) => await count(db, table)));
  const before = await rows();
  const audit = `audit_log a join issues i on i.id = a.issue_id where i.${open1}`;
  const logs = `run_log l join runs r on r.id = l.run_id join issues i on i.id = r.issue_id where i.${open1}`;
  const [audits, runLogs] = [await count(db, audit), await count(db, logs)];
  expect(runLogs).toBeGreaterThan(0);
  await remove({ model_texts_days: 1, records_days: 1, audit_days: 1, deliveries_days: 1 });
  expect(await rows()).toEqual(before);
  expect([await count(db, audit), await count(db, logs)]).toEqual([audits, runLogs]);
  const ended = "state in ('done', 'closed') and updated_at < now() - interval '1 day'";
  expect(
    await count(db, `run_log l join runs r on r.id = l.run_id join issues i on i.id = r.issue_id where i.${ended}`),
  ).toBe(0);
  expect(
    await count(db, `audit_log a join issues i on i.id = a.issue_id where i.${ended} and a.what <> 'state.changed'`),
  ).toBe(0);
});

test("an issue that was reopened is counted from its new end", async () => {
  const { db, remove } = await open(100);
  const [id = ""] = await idsOf(db, "state = 'done'");
  const settings = { records_days: 10, audit_days: 10 };
  await remove(settings);
  const first = await removedAt(db, "records", id);
  expect(first).not.toBeNull();
  await db.execute("insert into run_log values ($1, 1, now(), 1, 'step', 'again')", [id]);
  await db.execute("update issues set state = 'in_progress', updated_at = now() where id = $1", [id]);
  await remove(settings);
  await db.execute("update issues set state = 'done', updated_at = now() where id = $1", [id]);
  await remove(settings);
  expect(await count(db, `run_log where run_id = ${id}`)).toBe(1);
  await db.execute(
    `update issues set updated_at = now() - interval '11 days', records_removed_at = now() - interval '30 days'
     where id = $1`,
    [id],
  );
  await remove(settings);
  expect(await count(db, `run_log where run_id = ${id}`)).toBe(0);
});

test("of an ended issue's audit log stays what comments are numbered by", async () => {
  const { db, remove } = await open(100);
  const [id = ""] = await idsOf(db, "state = 'done'");
  const add = async (number: number, what: string, after: object | null) =>
    await db.execute(
      "insert into audit_log (id, issue_id, at, actor, what, after) values ($1, $2, now(), 'ann', $3, $4)",
      [10 ** 15 + number, id, what, after === null ? null : JSON.stringify(after)],
    );
  await add(1, "words.taken_up", { did: "reopened" });
  await add(2, "words.taken_up", { did: "answered" });
  await add(3, "words.taken_up", null);
  await add(4, "issue.engaged", null);
  await add(5, "comment.posted", { body: "What now?" });
  await remove({ audit_days: 1 });
  const row = z.object({ what: z.string(), after: z.unknown() });
  const left = await db.query(row, "select what, after from audit_log where issue_id = $1 order by id", [id]);
  expect(left).toEqual([
    { what: "state.changed", after: "done" },
    { what: "words.taken_up", after: { did: "reopened" } },
    { what: "issue.engaged", after: null },
  ]);
});

test("dead letters stay until their issue has ended", async () => {
  const { db, remove } = await open(100);
  const dead = (state: string) =>
    `deliveries d join issues i on i.external_issue_id = d.event ->> 'externalIssueId' and i.state = '${state}'
     where d.dead_lettered_at is not null`;
  await db.execute(
    "update deliveries set processed_at = null, decision = null, dead_lettered_at = now() - interval '40 days'",
    [],
  );
  await remove({ deliveries_days: 30 });
  expect([await count(db, dead("done")), await count(db, dead("clarifying"))]).toEqual([0, 6]);
});

test("“never”, and a process that stops, remove nothing", async () => {
  const { db, remove } = await open(100);
  const all = async () =>
    await Promise.all(
      ["audit_log", "run_log", "deliveries", "llm_evals where texts_removed_at is null"].map(
        async (one) => await count(db, one),
      ),
    );
  const before = await all();
  await remove({});
  await remove(retentionSettings.parse({ model_texts_days: 1, records_days: 1, audit_days: 1 }), AbortSignal.abort());
  expect(await all()).toEqual(before);
});

test("recordings go with the other records of their issue; those of issues that are not known here stay", async () => {
  const { db, home, records, remove } = await open(100);
  const [ended = ""] = await idsOf(db, "state = 'done'");
  const [unfinished = ""] = await idsOf(db, "state = 'clarifying'");
  for (const id of [ended, unfinished, "77", "notes"]) {
    mkdirSync(join(home, "cycles", id), { recursive: true });
    writeFileSync(join(home, "cycles", id, "1.json.gz"), "");
  }
  await remove({ records_days: 1 });
  expect(await records.list(ended)).toEqual([]);
  expect(readdirSync(join(home, "cycles")).toSorted()).toEqual([unfinished, "77", "notes"].toSorted());
});

test("unused mirrors, indexes and caches go; those of repositories with open issues stay", async () => {
  const { db, home, remove } = await open(100);
  const used = (path: string, daysAgo: number) => {
    const at = new Date(Date.now() - daysAgo * DAY_MS);
    utimesSync(path, at, at);
  };
  const mirror = (name: string, daysAgo: number, bytes = 10) => {
    const url = `https://github.com/acme/${name}`;
    const directory = mirrorPath(home, url);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "pack"), Buffer.alloc(bytes));
    used(directory, daysAgo);
    return { url, directory };
  };
  const [old, fresh, needed] = [mirror("old", 31), mirror("fresh", 29), mirror("needed", 300)];
  await db.execute("update repositories set clone_source = $1 where id = 2", [needed.url]);
  for (const [path, daysAgo] of [
    ["index/a.sqlite", 31],
    ["index/b.sqlite", 29],
  ] as const) {
    mkdirSync(join(home, "index"), { recursive: true });
    writeFileSync(join(home, path), "");
    used(join(home, path), daysAgo);
  }
  for (const [path, daysAgo] of [
    ["cache/trees/a", 31],
    ["cache/packages/b", 29],
    ["cache/packages/c", 31],
  ] as const) {
    mkdirSync(join(home, path), { recursive: true });
    used(join(home, path), daysAgo);
  }
  await remove({ code_days: 30 });
  expect([old, fresh, needed].map(({ directory }) => existsSync(directory))).toEqual([false, true, true]);
  const left = ["index/a.sqlite", "index/b.sqlite", "cache/trees/a", "cache/packages/b", "cache/packages/c"];
  expect(left.filter((path) => existsSync(join(home, path)))).toEqual(["index/b.sqlite", "cache/packages/b"]);

  const [third, second] = [mirror("third", 3, 600_000), mirror("second", 2, 600_000)];
  await remove({ code_gb: 0.001 });
  expect([fresh, third, second, needed].map(({ directory }) => existsSync(directory))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test("what takes room is measured, and what is due is counted (R-SCALE-3)", async () => {
  const { db, home } = await open(100);
  mkdirSync(join(home, "mirrors", "a"), { recursive: true });
  writeFileSync(join(home, "mirrors", "a", "pack"), Buffer.alloc(1_000));
  const { tables, folders, due } = await measureDisk(db, {
    home,
    retention: retentionSettings.parse({ records_days: 1, audit_days: "never" }),
  });
  expect(tables.find(({ table }) => table === "audit_log")).toMatchObject({ rows: 2_000 });
  expect(folders).toEqual([{ name: "mirrors", bytes: 1_000, files: 1, isWhole: true }]);
  expect(due).toMatchObject({ modelTexts: 0, audit: null, deliveries: 0 });
  expect(due.records).toBeGreaterThan(80);
});

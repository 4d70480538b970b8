import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import type { CycleRecords } from "../../engine/recording/recordings.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Db } from "../../storage/db.ts";
import {
  type Remains,
  daysAgo,
  emptyModelTexts,
  endedAmong,
  listOpenSources,
  listWithRemains,
  markRemoved,
  removeAuditEntries,
  removeAuditWithoutIssue,
  removeDeadLetters,
  removeNotices,
  removeProcessed,
  removeRunLogs,
} from "../../storage/retention.ts";
import { sweepMirrors } from "../../code/mirror/sweep.ts";
import { sweepIndexes } from "../../code/index/sweep.ts";
import { sweepCaches } from "../../implementation/run/workspace/sweep-caches.ts";

/** Rows of a statement, and issues of a list: others wait for locks only briefly. */
const BATCH = 5_000;
const ISSUES = 500;

export interface RetentionDeps {
  db: Db;
  log: Log;
  config: Pick<Config, "home" | "retention">;
  records: Pick<CycleRecords, "issues" | "remove">;
  /** Aborted when the process stops: the next hour removes the rest. */
  signal?: AbortSignal;
}

/** Removes in batches everything whose time of retention is over (R-SCALE-3). */
export async function removeOld(deps: RetentionDeps): Promise<void> {
  const { db, config, log } = deps;
  const { retention, home } = config;
  const since = async (days: number | "never", work: (before: Date) => Promise<void>) => {
    if (days === "never" || isStopping(deps)) return;
    try {
      await work(await daysAgo(db, days));
    } catch (error) {
      log.warn({ error: messageOf(error) }, "what is old was not removed; the next hour tries it again");
    }
  };
  await since(retention.model_texts_days, async (before) => {
    await inBatches(deps, "texts of model calls", async () => await emptyModelTexts(db, before, BATCH));
  });
  await since(retention.deliveries_days, async (before) => {
    await inBatches(deps, "deliveries", async () => await removeProcessed(db, before, BATCH));
    await inBatches(deps, "dead letters", async () => await removeDeadLetters(db, before, BATCH));
  });
  await since(retention.notices_days, async (before) => {
    await inBatches(deps, "notifications", async () => await removeNotices(db, before, BATCH));
  });
  await since(retention.records_days, async (before) => {
    await ofIssues(deps, "records", before, async (id) => await removeRunLogs(db, id, before, BATCH));
    for await (const ids of deps.records.issues(ISSUES)) {
      if (isStopping(deps)) return;
      for (const id of await endedAmong(db, ids, before)) await deps.records.remove(id);
    }
  });
  await since(retention.audit_days, async (before) => {
    await ofIssues(deps, "audit", before, async (id) => await removeAuditEntries(db, id, before, BATCH));
    await inBatches(deps, "audit entries", async () => await removeAuditWithoutIssue(db, before, BATCH));
  });
  await since(retention.code_days, async (before) => {
    await sweepIndexes(home, before);
    await sweepCaches(resolve(home), before, log);
  });
  const { code_days: codeDays, code_gb: gigabytes } = retention;
  if ((codeDays === "never" && gigabytes === "never") || isStopping(deps)) return;
  await sweepMirrors(home, {
    before: codeDays === "never" ? null : await daysAgo(db, codeDays),
    mostBytes: gigabytes === "never" ? null : gigabytes * 1e9,
    inUse: await listOpenSources(db),
    log,
  });
}

async function inBatches(deps: RetentionDeps, what: string, remove: () => Promise<number>): Promise<void> {
  let all = 0;
  for (let removed = BATCH; removed === BATCH && !isStopping(deps); all += removed) removed = await remove();
  if (all > 0) deps.log.info({ removed: all }, `${what} removed, as retention says`);
}

/** Removes the remains of issues that ended before this date. */
async function ofIssues(
  deps: RetentionDeps,
  remains: Remains,
  before: Date,
  remove: (issueId: string) => Promise<number>,
): Promise<void> {
  for (let listed = ISSUES; listed === ISSUES;) {
    const ids = await listWithRemains(deps.db, remains, before, ISSUES);
    listed = ids.length;
    for (const id of ids) {
      for (let removed = BATCH; removed === BATCH;) {
        if (isStopping(deps)) return;
        removed = await remove(id);
      }
    }
    if (listed > 0) await markRemoved(deps.db, remains, ids, before);
  }
}

function isStopping({ signal }: RetentionDeps): boolean {
  return signal?.aborted ?? false;
}

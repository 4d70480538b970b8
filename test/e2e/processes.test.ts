import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { TrackerEvent } from "../../src/domain/event.ts";
import { createReceive } from "../../src/intake/receive.ts";
import { jobsOn } from "../../src/engine/send-jobs.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openQueue } from "../../src/storage/queue/pg-boss.ts";
import { type Connecting, openDatabase } from "../../src/storage/db.ts";
import { connectRepository } from "../../src/storage/repositories.ts";
import { freshDatabase } from "../support/database.ts";

const TAKER = join(import.meta.dirname, "../children/job-taker.ts");
const ISSUES = 12;
const DELIVERIES = 180;
const PATIENCE = { timeout: 150_000, interval: 100 };

async function startTaker(to: Connecting): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, ["--no-warnings", TAKER, JSON.stringify(to)]);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.pipe(process.stderr);
  await once(child.stdout, "data");
  return child;
}

function comment(issue: string, text: string): TrackerEvent {
  return {
    provider: "local",
    externalProjectId: "shop",
    externalIssueId: issue,
    kind: "commented",
    actor: "ann",
    actorIsBot: false,
    at: new Date(0),
    assignee: null,
    commentId: null,
    threadId: null,
    text,
    branch: null,
    outcome: null,
  };
}

test(
  "deliveries that two processes take in and two work off are worked off in order, also when one of those is killed",
  { timeout: 240_000 },
  async () => {
    const { db, connection } = await freshDatabase();
    await db.execute("create table worked (n serial primary key, issue text, delivery text, pid int)", []);
    const now = { clock: systemClock, ids: snowflakes(1) };
    const shop = { provider: "local", baseUrl: "local", botUsername: "relay", externalProjectId: "shop" } as const;
    await connectRepository(db, { ...shop, workspace: "default", cloneSource: null }, now);
    const queue = await openQueue(connection, { works: false, log: silentLog });
    const other = openDatabase(connection);
    onTestFinished(async () => {
      await queue.stop();
      await other.close();
    });
    // Two processes whose clocks are an hour apart.
    const behind = { now: () => new Date(Date.now() - 3_600_000) };
    const enqueue = jobsOn(async () => await Promise.resolve(queue)).sendEvents;
    const intakes = [
      createReceive({ db, ...now, enqueue }),
      createReceive({ db: other, clock: behind, ids: snowflakes(2), enqueue }),
    ];
    const [first, second] = await Promise.all([startTaker(connection), startTaker(connection)]);

    const sent = Array.from({ length: DELIVERIES }, async (_, n) => {
      const event = comment(String(n % ISSUES), `d${n}`);
      await intakes[n % 2]?.({ provider: "local", deliveryId: `d${n}`, contentKey: null, events: [event] });
    });
    await Promise.all(sent);
    const count = z.object({ count: z.number() });
    const left = async () =>
      (await db.one(count, "select count(*)::int as count from deliveries where processed_at is null", [])).count;
    await expect.poll(left, PATIENCE).toBeLessThan(DELIVERIES / 2);
    first.kill("SIGKILL");
    await expect.poll(left, PATIENCE).toBe(0);

    const row = z.object({ issue: z.string(), delivery: z.string() });
    const taken = await db.query(
      row,
      "select event ->> 'externalIssueId' as issue, delivery_id as delivery from deliveries order by position",
      [],
    );
    const worked = await db.query(row, "select issue, delivery from worked order by n", []);
    for (let issue = 0; issue < ISSUES; issue += 1) {
      const own = (rows: z.infer<typeof row>[]) =>
        rows.filter((one) => one.issue === String(issue)).map((one) => one.delivery);
      // What the killed process had begun was begun again.
      expect(own(worked).filter((id, n, all) => id !== all[n - 1])).toEqual(own(taken));
    }
    expect(worked.length).toBeLessThanOrEqual(DELIVERIES + 6);
    const ended = once(second, "exit");
    second.stdin.end();
    expect(await ended).toEqual([0, null]);
  },
);

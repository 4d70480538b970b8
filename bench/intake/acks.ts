import { Pool } from "pg";
import { createReceive } from "../../src/intake/receive.ts";
import { jobsOn } from "../../src/engine/send-jobs.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import type { Queue } from "../../src/storage/queue/queue.ts";
import type { Connecting, Database } from "../../src/storage/db.ts";
import { median } from "../figures.ts";
import { comment } from "./server.ts";

const ROUND_MS = 1_500;
const ROUNDS = 3;

export interface AckRate {
  concurrency: number;
  /** Single-row inserts with a commit each, by the same driver, on at most ten connections. */
  barePerSecond: number;
  acksPerSecond: number;
  /** As `acksPerSecond`, where what is nothing to Relay is stored as processed, as `relay serve` does. */
  leftAsidePerSecond: number;
}

export function takeIn(db: Database, queue: Queue, dropsIrrelevant = false) {
  const ids = snowflakes();
  const receive = createReceive({
    db,
    clock: systemClock,
    ids,
    enqueue: jobsOn(async () => await Promise.resolve(queue)).sendEvents,
    dropsIrrelevant,
  });
  return async (issue: string) => {
    const event = comment(issue);
    const id = ids.next();
    await receive({ provider: "local", deliveryId: id, contentKey: id, events: [event] });
  };
}

/** Deliveries that are stored for good, beside bare commits that are; the rounds take turns. */
export async function measureAcks(db: Database, to: Connecting, queue: Queue): Promise<AckRate[]> {
  const pool = new Pool({ ...to, ...("host" in to ? { ssl: false } : {}), max: 10 });
  await pool.query(
    "create table if not exists bare (id bigint generated always as identity primary key, body jsonb not null)",
  );
  const [take, storeDropped] = [takeIn(db, queue), takeIn(db, queue, true)];
  let n = 0;
  const rates: AckRate[] = [];
  for (const concurrency of [1, 16, 64]) {
    const bare: number[] = [];
    const acks: number[] = [];
    const leftAside: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(
        await perSecond(concurrency, async () => {
          await pool.query("insert into bare (body) values ($1)", [JSON.stringify(comment("1"))]);
        }),
      );
      acks.push(await perSecond(concurrency, async () => await take(`new-${(n += 1) % 200}`)));
      leftAside.push(await perSecond(concurrency, async () => await storeDropped(`aside-${(n += 1) % 200}`)));
    }
    rates.push({
      concurrency,
      barePerSecond: median(bare),
      acksPerSecond: median(acks),
      leftAsidePerSecond: median(leftAside),
    });
  }
  await pool.end();
  return rates;
}

async function perSecond(concurrency: number, once: () => Promise<void>): Promise<number> {
  const start = performance.now();
  let count = 0;
  const one = async () => {
    while (performance.now() - start < ROUND_MS) {
      await once();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  return (1000 * count) / (performance.now() - start);
}

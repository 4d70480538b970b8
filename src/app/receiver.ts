import { jobsOn } from "../engine/send-jobs.ts";
import { type Receive, createReceive } from "../intake/receive.ts";
import { systemClock } from "../lib/clock.ts";
import { snowflakes } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { type Connecting, type Database, openDatabase } from "../storage/db.ts";
import type { QueueConnection } from "../storage/queue/pg-boss.ts";
import type { Queue } from "../storage/queue/queue.ts";

export interface Receiver {
  db: Database;
  /** Opened on first use. */
  queue: () => Promise<Queue>;
  receive: Receive;
  close: () => Promise<void>;
}

/** Receives deliveries in a thread of its own. The thread that starts it has already migrated the database. */
export function openReceiver(connection: Connecting, log: Log): Receiver {
  // A connection to check whether the database answers.
  const db = openDatabase(connection, 1);
  const { open, stop } = queueOn(connection, log);
  // The two threads make ids without knowing of each other, so each counts as a process of its own.
  const ids = snowflakes(process.pid ^ 512);
  const enqueue = jobsOn(open).sendEvents;
  return {
    db,
    queue: open,
    receive: createReceive({ db, clock: systemClock, ids, enqueue, dropsIrrelevant: true }),
    close: async () => {
      await stop();
      await db.close();
    },
  };
}

/** A queue that is opened on first use. */
export function queueOn(connection: QueueConnection, log: Log) {
  let opening: Promise<Queue> | null = null;
  let stopping: Promise<void> | null = null;
  let works = false;
  // Most commands send no job and take none.
  const load = async () => {
    const { openQueue } = await import("../storage/queue/pg-boss.ts");
    return await openQueue(connection, { works, log });
  };
  const stop = async () => {
    // The caller got the error; there is nothing to close.
    await (await opening?.catch(() => null))?.stop();
  };
  return {
    open: async () =>
      await (opening ??= load().catch((error: unknown) => {
        // The next caller retries: the database may be back by then.
        opening = null;
        throw error;
      })),
    willWork: () => {
      works = true;
    },
    works: () => works,
    stop: async () => await (stopping ??= stop()),
  };
}

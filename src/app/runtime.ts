import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { connect } from "./data-directory.ts";
import { type Receive, type ReceiveWithin, createReceive, createReceiveWithin } from "../intake/receive.ts";
import { jobsOn } from "../engine/jobs.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Ids, snowflakes } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { QueueConnection } from "../storage/queue/pg-boss.ts";
import type { Queue } from "../storage/queue/queue.ts";
import { type Connecting, type Database, openDatabase } from "../storage/db.ts";
import { migrate } from "../storage/migrate.ts";

/**
 * The base of every process: database, queue and intake of deliveries. A process that only receives webhooks needs
 * nothing else; any other receives them before the rest is loaded.
 */
export interface Foundation {
  db: Database;
  clock: Clock;
  ids: Ids;
  migrations: { applied: string[] };
  /** The database's location, as text for people. */
  location: string;
  /** For threads of this process that need the database too. */
  connection: Connecting;
  /** Opened on first use. */
  queue: () => Promise<Queue>;
  /** Call this before the first use of the queue in a process that takes jobs. */
  willWork: () => void;
  works: () => boolean;
  receive: Receive;
  /** The same in a transaction of the caller, for what Relay itself changes in the local tracker. */
  receiveWithin: ReceiveWithin;
  /** Waits for running jobs, within their grace period. */
  stopQueue: () => Promise<void>;
  /** Also closes the queue, if it is still open. */
  close: () => Promise<void>;
}

export type Receiver = Pick<Foundation, "db" | "queue" | "receive" | "close">;

const MIGRATIONS = join(import.meta.dirname, "../../migrations");

export async function openFoundation(config: Config, log: Log): Promise<Foundation> {
  const clock = systemClock;
  const ids = snowflakes();
  const { connection, location, leave } = await connect(config, log);
  const db = openDatabase(connection);
  const queue = queueOn(connection, log);
  let closing: Promise<void> | null = null;
  const close = async () => await (closing ??= closeAll());
  const closeAll = async () => {
    await queue.stop();
    await db.close();
    await leave();
  };
  try {
    const migrations = await migrate(db, MIGRATIONS);
    const enqueue = jobsOn(queue.open).sendEvents;
    const receive = createReceive({ db, clock, ids, enqueue, leavesAside: true });
    const receiveWithin = createReceiveWithin({ clock, ids, enqueue });
    const { open, stop: stopQueue, willWork, works } = queue;
    const rest = { queue: open, willWork, works, receive, receiveWithin, stopQueue, close };
    return { db, clock, ids, migrations, location, connection, ...rest };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What takes deliveries in, on a database that is migrated, in a thread beside the one that opened it. */
export function openReceiver(connection: Connecting, log: Log): Receiver {
  // One of its connections is for looking whether the database answers.
  const db = openDatabase(connection, 1);
  const { open, stop } = queueOn(connection, log);
  // Ids of a process of its own: this thread knows nothing of what the other one makes.
  const ids = snowflakes(process.pid ^ 512);
  const enqueue = jobsOn(open).sendEvents;
  return {
    db,
    queue: open,
    receive: createReceive({ db, clock: systemClock, ids, enqueue, leavesAside: true }),
    close: async () => {
      await stop();
      await db.close();
    },
  };
}

function queueOn(connection: QueueConnection, log: Log) {
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

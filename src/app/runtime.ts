import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { connect } from "./data-directory.ts";
import { queueOn } from "./receiver.ts";
import { type Receive, type ReceiveWithin, createReceive, createReceiveWithin } from "../intake/receive.ts";
import { jobsOn } from "../engine/send-jobs.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Ids, snowflakes } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Queue } from "../storage/queue/queue.ts";
import { type Connecting, type Database, openDatabase } from "../storage/db.ts";
import { migrate } from "../storage/migrate.ts";

/**
 * The base of every process: database, queue and intake of deliveries. A process that only receives webhooks needs
 * nothing else; any other receives them before the rest is loaded.
 */
export interface Runtime {
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

export const MIGRATIONS = join(import.meta.dirname, "../../migrations");

export async function openRuntime(config: Config, log: Log): Promise<Runtime> {
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
    const receive = createReceive({ db, clock, ids, enqueue, dropsIrrelevant: true });
    const receiveWithin = createReceiveWithin({ clock, ids, enqueue });
    const { open, stop: stopQueue, willWork, works } = queue;
    const rest = { queue: open, willWork, works, receive, receiveWithin, stopQueue, close };
    return { db, clock, ids, migrations, location, connection, ...rest };
  } catch (error) {
    await close();
    throw error;
  }
}

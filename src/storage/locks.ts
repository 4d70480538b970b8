import { AsyncLocalStorage } from "node:async_hooks";
import type { Client, ClientConfig } from "pg";
import { z } from "zod";
import { sleep } from "../lib/clock.ts";
import { Postponed } from "../lib/errors.ts";
import { type Connection, type Pipeline, openPipeline, raise } from "./connect.ts";

export type LockAttempt<T> = { kind: "done"; value: T } | { kind: "taken" };

/**
 * A lock ends with its connection, but its work may continue, for example after a pause of the process or a network
 * partition. So each lock has a number that grows whenever it is taken, and all transactions of its work compare it
 * (R-IN-12).
 */
export interface Locks {
  /** Runs `work` while holding the named lock, across processes; a lock is released when its process dies. */
  withLock: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** The same without a fence, for work on the schema itself. */
  withPlainLock: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Like `withLock`, but returns without the lock if it is still held after `patienceMs`, by default at once. */
  tryLock: <T>(name: string, work: () => Promise<T>, patienceMs?: number) => Promise<LockAttempt<T>>;
}

export interface Fences {
  /** Whether this work runs under a lock with a fence. */
  isFenced: () => boolean;
  /**
   * Throws `Postponed` if another process has since taken a lock of this work. In a transaction, no process can take it
   * before the transaction ends.
   */
  confirm: (connection: Connection) => Promise<void>;
}

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** Longer than any transaction of a holder that was fenced off should take. */
const FENCE_TIMEOUT_MS = 10_000;
/** Milliseconds until work that lost its lock is retried. */
const LOST_RETRY_MS = 3_000;

interface Fence {
  lock: string;
  number: string;
}

const plainRow = z.tuple([z.object({ held: z.boolean() })]);
const TAKE_PLAIN = "select pg_try_advisory_lock(hashtextextended($1, 0)) as held";
const fencedRow = z.tuple([z.object({ held: z.boolean(), lock: z.string(), number: z.string().nullable() })]);
const TAKE_FENCED = `
  with taken as materialized (
    select pg_try_advisory_lock(hashtextextended($1, 0)) as held, hashtextextended($1, 0) as lock
  ), fence as (
    insert into fences (lock, number) select lock, 1 from taken where held
    on conflict (lock) do update set number = fences.number + 1 returning number
  )
  select held, lock::text, (select number::text from fence) as number from taken`;
const HELD =
  "select 1 from fences where (lock, number) in (select * from unnest($1::bigint[], $2::bigint[])) for share";
const RELEASE = "select pg_advisory_unlock(hashtextextended($1, 0))";

/**
 * Advisory locks, all on one connection: a process must not use up a connection per issue. Waiters in the same process
 * are woken in turn; waiters in other processes poll with a short pause.
 */
export function openLocks(config: ClientConfig): Locks & Fences & { close: () => Promise<void> } {
  /** The fences of the locks under which the current work began. */
  const fences = new AsyncLocalStorage<readonly Fence[]>();
  /** Work begun under a lock may outlive it, such as a job that it woke. */
  const released = new WeakSet<Fence>();
  const held = () => (fences.getStore() ?? []).filter((fence) => !released.has(fence));
  /** Waiters in this process, by the names of the locks that are held here. */
  const queues = new Map<string, (() => void)[]>();
  // A connection that breaks loses its locks; later callers get a new one.
  const pipeline = openPipeline({ ...config, lock_timeout: FENCE_TIMEOUT_MS });

  const release = (name: string): void => {
    const next = queues.get(name)?.shift();
    if (next) next();
    else queues.delete(name);
  };
  const tryLock = async <T>(
    name: string,
    work: () => Promise<T>,
    patienceMs: number,
    take: Take,
  ): Promise<LockAttempt<T>> => {
    const end = performance.now() + patienceMs;
    if (!(await turn(queues, name, patienceMs))) return { kind: "taken" };
    try {
      const taken = await takeOver(pipeline, name, end, take);
      if (taken === null) return { kind: "taken" };
      try {
        return { kind: "done", value: await fences.run([...held(), ...taken.fence], work) };
      } finally {
        for (const fence of taken.fence) released.add(fence);
        // If the connection is gone, so is the lock.
        await taken.client.query(RELEASE, [name]).catch(() => {});
      }
    } finally {
      release(name);
    }
  };
  const withLock = async <T>(name: string, work: () => Promise<T>, take: Take): Promise<T> => {
    for (;;) {
      const attempt = await tryLock(name, work, Number.POSITIVE_INFINITY, take);
      if (attempt.kind === "done") return attempt.value;
    }
  };
  return {
    tryLock: async (name, work, patienceMs = 0) => await tryLock(name, work, patienceMs, takeFenced),
    withLock: async (name, work) => await withLock(name, work, takeFenced),
    withPlainLock: async (name, work) => await withLock(name, work, takePlain),
    isFenced: () => held().length > 0,
    confirm: async (connection) => {
      const mine = held();
      if (mine.length === 0) return;
      const { rows } = await connection.query(HELD, [mine.map(({ lock }) => lock), mine.map(({ number }) => number)]);
      if (rows.length === mine.length) return;
      throw new Postponed("another process has taken over this work", { retryAfterMs: LOST_RETRY_MS });
    },
    close: async () => await pipeline.close(),
  };
}

/** Waits for this process's turn at the name; false on timeout. */
async function turn(queues: Map<string, (() => void)[]>, name: string, patienceMs: number): Promise<boolean> {
  const queue = queues.get(name);
  if (!queue) {
    queues.set(name, []);
    return true;
  }
  if (patienceMs <= 0) return false;
  return await new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const granted = () => {
      clearTimeout(timer);
      resolve(true);
    };
    queue.push(granted);
    if (!Number.isFinite(patienceMs)) return;
    timer = setTimeout(() => {
      queue.splice(queue.indexOf(granted), 1);
      resolve(false);
    }, patienceMs);
  });
}

/** Takes the lock and returns its new fence; null if another process holds it. */
type Take = (client: Client, name: string) => Promise<Fence[] | null>;

const takePlain: Take = async (client, name) => {
  const { rows } = await client.query(TAKE_PLAIN, [name]).catch(raise);
  return plainRow.parse(rows)[0].held ? [] : null;
};

const takeFenced: Take = async (client, name) => {
  const { rows } = await client.query(TAKE_FENCED, [name]).catch(async (error: unknown) => {
    // The lock outlives the statement that took it.
    await client.query(RELEASE, [name]).catch(() => {});
    return raise(error);
  });
  const [{ held, lock, number }] = fencedRow.parse(rows);
  return held && number !== null ? [{ lock, number }] : null;
};

/** Takes the lock on the currently open connection; null if another process kept it past the deadline. */
async function takeOver(
  pipeline: Pipeline,
  name: string,
  end: number,
  take: Take,
): Promise<{ client: Client; fence: Fence[] } | null> {
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const client = await pipeline.client();
    const fence = await take(client, name);
    if (fence !== null) return { client, fence };
    if (performance.now() >= end) return null;
    await sleep(pause);
  }
}

interface Queries {
  query<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T[]>;
}

/** The locks that no process holds. */
export async function listFreeLocks(db: Queries, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await db.query(
    z.object({ name: z.string() }),
    // PostgreSQL shows a lock with one 64-bit number as two halves.
    `select name from unnest($1::text[]) name where hashtextextended(name, 0) not in (
       select (classid::bigint << 32) | objid::bigint from pg_locks
       where locktype = 'advisory' and objsubid = 1
         and database = (select oid from pg_database where datname = current_database()))`,
    [names],
  );
  return new Set(rows.map(({ name }) => name));
}

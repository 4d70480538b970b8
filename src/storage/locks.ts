import type { Client, ClientConfig } from "pg";
import { z } from "zod";
import { sleep } from "../lib/clock.ts";
import { type Pipeline, openPipeline, raise } from "./connect.ts";

export type LockAttempt<T> = { kind: "done"; value: T } | { kind: "taken" };

export interface Locks {
  /** Runs `work` while holding the named lock, across processes; a lock is released when its process dies. */
  withLock: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Like `withLock`, but returns without the lock if it is still held after `patienceMs`, by default at once. */
  tryLock: <T>(name: string, work: () => Promise<T>, patienceMs?: number) => Promise<LockAttempt<T>>;
}

const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

const heldRow = z.tuple([z.object({ held: z.boolean() })]);

/**
 * Advisory locks, all on one connection: a process must not use up a connection per issue. Waiters in the same process
 * are woken in turn; waiters in other processes poll with a short pause.
 */
export function openLocks(config: ClientConfig): Locks & { close: () => Promise<void> } {
  /** Waiters in this process, by the names of the locks that are held here. */
  const queues = new Map<string, (() => void)[]>();
  // A connection that breaks loses its locks; later callers get a new one.
  const pipeline = openPipeline(config);

  const release = (name: string): void => {
    const next = queues.get(name)?.shift();
    if (next) next();
    else queues.delete(name);
  };
  const tryLock: Locks["tryLock"] = async (name, work, patienceMs = 0) => {
    const end = performance.now() + patienceMs;
    if (!(await turn(queues, name, patienceMs))) return { kind: "taken" };
    try {
      const client = await takeOver(pipeline, name, end);
      if (client === null) return { kind: "taken" };
      try {
        return { kind: "done", value: await work() };
      } finally {
        // If the connection is gone, so is the lock.
        await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", [name]).catch(() => {});
      }
    } finally {
      release(name);
    }
  };
  return {
    tryLock,
    withLock: async (name, work) => {
      for (;;) {
        const attempt = await tryLock(name, work, Number.POSITIVE_INFINITY);
        if (attempt.kind === "done") return attempt.value;
      }
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

/** The connection that now holds the lock; null if another process kept it past the deadline. */
async function takeOver(pipeline: Pipeline, name: string, end: number): Promise<Client | null> {
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const client = await pipeline.client();
    const { rows } = await client
      .query("select pg_try_advisory_lock(hashtextextended($1, 0)) as held", [name])
      .catch(raise);
    if (heldRow.parse(rows)[0].held) return client;
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
    // A lock by one number of 64 bits is shown as its two halves.
    `select name from unnest($1::text[]) name where hashtextextended(name, 0) not in (
       select (classid::bigint << 32) | objid::bigint from pg_locks
       where locktype = 'advisory' and objsubid = 1
         and database = (select oid from pg_database where datname = current_database()))`,
    [names],
  );
  return new Set(rows.map(({ name }) => name));
}

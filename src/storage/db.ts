import { type PoolConfig, Pool } from "pg";
import { z } from "zod";
import { RelayError } from "../lib/errors.ts";
import { type Batches, openBatches } from "./batches.ts";
import { type Connection, type LentConnection, raise, withClient } from "./connect.ts";
import { fromDatabase } from "./errors.ts";
import { type Fences, type Locks, openLocks } from "./locks.ts";

/**
 * The database, or a transaction in it. Rows are parsed here, so that everything above has domain types. `bigint`
 * arrives as a string, `timestamptz` as a `Date`.
 *
 * Throws `unavailable` when the database does not answer, `conflict` when a row exists already or another transaction
 * came first, `io` when its disk fails, `invalid` for text that cannot be stored, and `internal` for rows that do not
 * fit the caller's schema.
 */
export interface Db {
  query<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T[]>;
  /** Exactly one row; throws `not_found` if there is none, `internal` if there are more. */
  one<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T>;
  /** The first row, or null. */
  maybeOne<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T | null>;
  /** Runs a statement and returns how many rows it affected. */
  execute(sql: string, parameters: unknown[]): Promise<number>;
  /** All or nothing; nested, it is a savepoint. Savepoints of one transaction must not run concurrently. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** For libraries with SQL of their own that must join the transaction. */
  executeSql(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface Database extends Db, Locks {
  /**
   * Runs statements as one transaction in one round trip, and returns the rows of each. For frequent work: each
   * statement is prepared once.
   */
  batch: Batches["run"];
  /** Throws `Postponed` if this work has lost a lock; call it before any effect outside the database. */
  confirmLocks: () => Promise<void>;
  close(): Promise<void>;
}

export type Connecting =
  | { connectionString: string }
  | { host: string; port?: number; user: string; database: string; password?: string };

/** Concurrent statements and transactions of one process: PostgreSQL has about 100 connections for all processes. */
const CONNECTIONS = 6;

/**
 * Connects on demand; `size` limits concurrent statements and transactions. Locks have one more connection and batches
 * two: work that waits for a lock must not starve the work that holds it.
 */
export function openDatabase(to: Connecting, size = CONNECTIONS): Database {
  const config: PoolConfig = {
    // An address without a URL is the embedded server's, which has no TLS, regardless of PGSSLMODE.
    ...("connectionString" in to ? to : { ...to, ssl: false }),
    max: size,
    application_name: "relay",
    connectionTimeoutMillis: 30_000,
  };
  const pool = new Pool(config);
  const locks = openLocks(config);
  const batches = openBatches(config);
  // The pool replaces idle connections that break; the next query fails if the server is gone.
  // One that breaks in use fails its query; without a listener its event would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const asked: Connection = {
    query: async (sql, parameters) => await withClient(pool, async (client) => await client.query(sql, parameters)),
  };
  const transaction: Db["transaction"] = async (work) =>
    await withClient(pool, async (client) => await inTransaction(client, locks, work));
  const alone = wrap(asked, transaction);
  return {
    ...alone,
    execute: async (sql, parameters) =>
      locks.isFenced()
        ? await transaction(async (tx) => await tx.execute(sql, parameters))
        : await alone.execute(sql, parameters),
    withLock: locks.withLock,
    withPlainLock: locks.withPlainLock,
    tryLock: locks.tryLock,
    confirmLocks: async () => await locks.confirm(asked),
    batch: batches.run,
    close: async () => {
      await Promise.all([pool.end(), locks.close(), batches.close()]);
    },
  };
}

/** The transaction that has begun on a connection. */
export function transactionOn(connection: Connection): Db {
  return wrap(connection, savepoints(connection));
}

async function inTransaction<T>(client: LentConnection, fences: Fences, work: (tx: Db) => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    await fences.confirm(client);
    const result = await work(transactionOn(client));
    await client.query("commit");
    return result;
  } catch (error) {
    await client.tidyUp("rollback");
    throw error;
  }
}

function wrap(connection: Connection, transaction: Db["transaction"]): Db {
  const run = async (sql: string, parameters?: unknown[]) => await connection.query(sql, parameters).catch(raise);
  const query: Db["query"] = async (row, sql, parameters) => {
    const { rows } = await run(sql, parameters);
    return rows.map((value) => parseRow(row, value));
  };
  const maybeOne: Db["maybeOne"] = async (row, sql, parameters) => (await query(row, sql, parameters))[0] ?? null;
  return {
    query,
    maybeOne,
    one: async (row, sql, parameters) => {
      const [found, second] = await query(row, sql, parameters);
      if (found === undefined) throw new RelayError("not_found", "what was looked for is not in the database");
      if (second !== undefined) throw new RelayError("internal", "one row was expected and the database has several");
      return found;
    },
    execute: async (sql, parameters) => (await run(sql, parameters)).rowCount ?? 0,
    executeSql: async (sql, parameters) => ({ rows: (await run(sql, parameters)).rows }),
    transaction,
  };
}

function parseRow<T>(row: z.ZodType<T>, value: unknown): T {
  const parsed = row.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RelayError(
    "internal",
    `a row is not what was expected, at ${issue?.path.join(".")}: ${issue?.message}; was the database changed by hand, or by another version?`,
    { cause: parsed.error },
  );
}

/** Whether that was at most this many milliseconds ago, by the database's clock; a process's clock may be ahead. */
export async function isRecent(db: Db, at: Date, ms: number): Promise<boolean> {
  const { recent } = await db.one(
    z.object({ recent: z.boolean() }),
    `select $1::timestamptz > clock_timestamp() - $2 * interval '1 millisecond' as recent`,
    [at, ms],
  );
  return recent;
}

function savepoints(client: Connection, depth = 1): Db["transaction"] {
  return async (work) => {
    const name = `nested_${depth}`;
    await client.query(`savepoint ${name}`).catch(raise);
    try {
      const result = await work(wrap(client, savepoints(client, depth + 1)));
      await client.query(`release ${name}`);
      return result;
    } catch (error) {
      // If this fails too, the whole transaction is lost and its next statement throws.
      await client.query(`rollback to ${name}`).catch(() => {});
      throw fromDatabase(error);
    }
  };
}

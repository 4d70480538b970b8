import { Pool } from "pg";
import type { PoolClient, PoolConfig } from "pg";
import { z } from "zod";
import { RelayError } from "../lib/errors.ts";
import { fromDatabase } from "./errors.ts";

/**
 * The database, or a transaction in it. Rows are parsed here, so that everything above has domain types.
 * `bigint` arrives as a string, `timestamptz` as a `Date`.
 *
 * Throws `unavailable` when the database does not answer, `conflict` when something is there already or another
 * transaction came first, `io` when its disk fails, `invalid` for text that cannot be stored, and `internal` for rows
 * that are not what the caller said.
 */
export interface Db {
  query<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T[]>;
  /** Exactly one row; throws `not_found` without one, `internal` with more. */
  one<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T>;
  /** The first row, if there is any. */
  maybeOne<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T | null>;
  /** Runs a statement and returns how many rows it touched. */
  execute(sql: string, parameters: unknown[]): Promise<number>;
  /** All or nothing; inside a transaction it is a savepoint. Savepoints of one transaction do not run side by side. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** For libraries that bring their own SQL and must take part in the transaction. */
  executeSql(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
}

export type LockAttempt<T> = { kind: "done"; value: T } | { kind: "taken" };

export interface Database extends Db {
  /** Runs `work` while holding the lock of this name, in whatever process; a lock dies with its process. */
  withLock<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** The same, but gives up at once where somebody else holds it. */
  tryLock<T>(name: string, work: () => Promise<T>): Promise<LockAttempt<T>>;
  close(): Promise<void>;
}

interface Connection {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

export type Connecting =
  | { connectionString: string }
  | { host: string; port?: number; user: string; database: string; password?: string };

/** Locks that one process can hold or wait for at a time. */
const MOST_LOCKS = 50;
const lockRow = z.tuple([z.object({ held: z.boolean() })]);

/** Connections are made when needed; `size` is how many statements and transactions may run at a time. */
export function openDatabase(to: Connecting, size = 10): Database {
  const config: PoolConfig = {
    // An address without a URL is the embedded server's, which speaks no TLS, whatever PGSSLMODE says.
    ...("connectionString" in to ? to : { ...to, ssl: false }),
    max: size,
    application_name: "relay",
    connectionTimeoutMillis: 30_000,
  };
  const pool = new Pool(config);
  // Locks have connections of their own: work that waits for a lock must not starve the work that holds it.
  const locks = new Pool({ ...config, max: MOST_LOCKS });
  // An idle connection that breaks is replaced by the pool; the next query tells if the server is gone.
  // One that breaks in use fails its query; its event would end the process if nobody listened.
  for (const each of [pool, locks]) {
    each.on("error", () => {});
    each.on("connect", (client) => client.on("error", () => {}));
  }
  return {
    ...wrap(pool, async (work) => await withClient(pool, async (client) => await inTransaction(client, work))),
    withLock: async (name, work) =>
      await withClient(locks, async (client) => {
        await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [name]);
        return await thenUnlock(client, name, work);
      }),
    tryLock: async (name, work) =>
      await withClient(locks, async (client) => {
        const { rows } = await client.query("select pg_try_advisory_lock(hashtextextended($1, 0)) as held", [name]);
        if (!lockRow.parse(rows)[0].held) return { kind: "taken" };
        return { kind: "done", value: await thenUnlock(client, name, work) };
      }),
    close: async () => {
      await Promise.all([pool.end(), locks.end()]);
    },
  };
}

/** Lends a connection; one whose statement for tidying up failed is thrown away. */
async function withClient<T>(pool: Pool, work: (client: Lent) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(raise);
  const lent: Lent = {
    query: async (sql, parameters) => await client.query(sql, parameters),
    tidyUp: async (sql, parameters) => {
      await client.query(sql, parameters).catch(broke);
    },
  };
  let broken = false;
  function broke(): void {
    broken = true;
  }
  // While it is lent, the pool does not listen: a server that goes down would end the process.
  client.on("error", broke);
  try {
    return await work(lent).catch(raise);
  } finally {
    giveBack(client, broke, broken);
  }
}

interface Lent extends Connection {
  /** For what must not hide the error that led here. */
  tidyUp(sql: string, parameters?: unknown[]): Promise<void>;
}

function giveBack(client: PoolClient, listener: () => void, broken: boolean): void {
  client.release(broken);
  // A broken one may still have something to say.
  if (!broken) client.off("error", listener);
}

async function inTransaction<T>(client: Lent, work: (tx: Db) => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    const result = await work(wrap(client, savepoints(client)));
    await client.query("commit");
    return result;
  } catch (error) {
    await client.tidyUp("rollback");
    throw error;
  }
}

async function thenUnlock<T>(client: Lent, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await client.tidyUp("select pg_advisory_unlock(hashtextextended($1, 0))", [name]);
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

function savepoints(client: Connection, depth = 1): Db["transaction"] {
  return async (work) => {
    const name = `nested_${depth}`;
    await client.query(`savepoint ${name}`).catch(raise);
    try {
      const result = await work(wrap(client, savepoints(client, depth + 1)));
      await client.query(`release ${name}`);
      return result;
    } catch (error) {
      // Where this fails too, the whole transaction is lost, which its next statement tells.
      await client.query(`rollback to ${name}`).catch(() => {});
      throw fromDatabase(error);
    }
  };
}

function raise(error: unknown): never {
  throw fromDatabase(error);
}

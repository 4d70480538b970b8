import { Pool } from "pg";
import type { PoolConfig } from "pg";
import type { z } from "zod";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";

/**
 * The database, or a transaction in it. Rows are parsed here, so that everything above has domain types.
 * `bigint` arrives as a string, `timestamptz` as a `Date`.
 */
export interface Db {
  query<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T[]>;
  /** Exactly one row; throws `not_found` without one. */
  one<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T>;
  maybeOne<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T | null>;
  /** Runs a statement and returns how many rows it touched. */
  execute(sql: string, parameters: unknown[]): Promise<number>;
  /** All or nothing; inside a transaction it is a savepoint. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** For libraries that bring their own SQL and must take part in the transaction. */
  executeSql(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface Database extends Db {
  /** Runs `work` while holding the lock of this name, in whatever process; a lock dies with its process. */
  withLock<T>(name: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Connection {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

export type Connecting = { connectionString: string } | { host: string; user: string; database: string };

export function openDatabase(to: Connecting, size = 10): Database {
  const config: PoolConfig = { ...to, max: size, application_name: "relay", connectionTimeoutMillis: 30_000 };
  const pool = new Pool(config);
  // Locks have connections of their own: work that waits for a lock must not starve the work that holds it.
  const locks = new Pool({ ...config, max: 50 });
  // An idle connection that breaks is replaced by the pool; the next query tells if the server is gone.
  // One that breaks in use fails its query; its event would end the process if nobody listened.
  for (const each of [pool, locks]) {
    each.on("error", () => {});
    each.on("connect", (client) => client.on("error", () => {}));
  }
  return {
    ...wrap(pool, async (work) => {
      const client = await pool.connect().catch(raise);
      let broken = false;
      try {
        await client.query("begin");
        const result = await work(wrap(client, savepoints(client)));
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch(() => (broken = true));
        return raise(error);
      } finally {
        client.release(broken);
      }
    }),
    withLock: async (name, work) => {
      const client = await locks.connect().catch(raise);
      try {
        await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [name]).catch(raise);
        return await work();
      } finally {
        const freed = await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", [name]).then(
          () => true,
          () => false,
        );
        client.release(!freed);
      }
    },
    close: async () => {
      await Promise.all([pool.end(), locks.end()]);
    },
  };
}

function wrap(connection: Connection, transaction: Db["transaction"]): Db {
  const run = async (sql: string, parameters?: unknown[]) => await connection.query(sql, parameters).catch(raise);
  const query: Db["query"] = async (row, sql, parameters) => {
    const { rows } = await run(sql, parameters);
    return rows.map((value) => row.parse(value));
  };
  const maybeOne: Db["maybeOne"] = async (row, sql, parameters) => (await query(row, sql, parameters))[0] ?? null;
  return {
    query,
    maybeOne,
    one: async (row, sql, parameters) => {
      const found = await maybeOne(row, sql, parameters);
      if (found === null) throw new RelayError("not_found", "what was looked for is not in the database");
      return found;
    },
    execute: async (sql, parameters) => (await run(sql, parameters)).rowCount ?? 0,
    executeSql: async (sql, parameters) => ({ rows: (await run(sql, parameters)).rows }),
    transaction,
  };
}

function savepoints(client: Connection): Db["transaction"] {
  let depth = 0;
  return async (work) => {
    depth += 1;
    const name = `nested_${depth}`;
    await client.query(`savepoint ${name}`);
    try {
      const result = await work(wrap(client, savepoints(client)));
      await client.query(`release ${name}`);
      return result;
    } catch (error) {
      // On a broken connection this fails too, and only the first error tells why.
      await client.query(`rollback to ${name}`).catch(() => {});
      throw error;
    }
  };
}

/** PostgreSQL's and the network's failures as ours; everything else goes through as it is. */
function raise(error: unknown): never {
  if (error instanceof RelayError) throw error;
  const code = systemCode(error) ?? "";
  const options = { cause: error };
  if (code === "23505") throw new RelayError("conflict", `the database holds it already: ${messageOf(error)}`, options);
  if (code === "53100")
    throw new RelayError("io", "the disk of the database is full; free some room and try again", options);
  if (code === "40001" || code === "40P01") {
    throw new RelayError("conflict", "another transaction came first; try again", { ...options, retryable: true });
  }
  if (isConnectionFailure(code, error)) {
    throw new RelayError("unavailable", `the database does not answer: ${messageOf(error)}`, options);
  }
  throw error;
}

function isConnectionFailure(code: string, error: unknown): boolean {
  if (/^(08...|57P0[1-4]|53300|ECONN\w+|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/.test(code)) return true;
  return (
    code === "" && error instanceof Error && /connection (terminated|timeout)|timeout exceeded/i.test(error.message)
  );
}

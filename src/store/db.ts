import { Pool, types } from "pg";
import type { PoolClient, PoolConfig } from "pg";
import type { z } from "zod";
import { RelayError, systemCode } from "../lib/errors.ts";
export interface Db {
  query<T>(row: z.ZodType<T>, sql: string, params: unknown[]): Promise<T[]>;
  one<T>(row: z.ZodType<T>, sql: string, params: unknown[]): Promise<T>;
  maybeOne<T>(row: z.ZodType<T>, sql: string, params: unknown[]): Promise<T | null>;
  execute(sql: string, params: unknown[]): Promise<number>;
  transaction<T>(fn: (tx: Db) => Promise<T>): Promise<T>;
}
type Q = { query(sql: string, params: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }> };
function wrap(q: Q, transaction: Db["transaction"]): Db {
  const query: Db["query"] = async (row, sql, params) => {
    const r = await q.query(sql, params);
    return r.rows.map((x) => row.parse(x));
  };
  return {
    query,
    one: async (row, sql, params) => {
      const rows = await query(row, sql, params);
      const f = rows[0];
      if (f === undefined) throw new RelayError("not_found", "no row");
      return f;
    },
    maybeOne: async (row, sql, params) => (await query(row, sql, params))[0] ?? null,
    execute: async (sql, params) => (await q.query(sql, params)).rowCount ?? 0,
    transaction,
  };
}
export function open(config: PoolConfig): { db: Db; close: () => Promise<void>; pool: Pool } {
  const pool = new Pool(config);
  const nested = (c: PoolClient): Db => wrap(c, async (fn) => await fn(nested(c)));
  const db = wrap(pool, async (fn) => {
    const c = await pool.connect();
    try {
      await c.query("begin");
      const r = await fn(nested(c));
      await c.query("commit");
      return r;
    } catch (e) {
      await c.query("rollback").catch(() => {});
      throw e;
    } finally {
      c.release();
    }
  });
  return { db, close: () => pool.end(), pool };
}
void types;
void systemCode;

import type { z } from "zod";
export interface Db {
  query<T>(row: z.ZodType<T>, sql: string, params: unknown[]): Promise<T[]>;
  one<T>(row: z.ZodType<T>, sql: string, params: unknown[]): Promise<T>;
  maybeOne<T>(row: z.ZodType<T>, sql: string, params: unknown[]): Promise<T | null>;
  execute(sql: string, params: unknown[]): Promise<number>;
  transaction<T>(fn: (tx: Db) => Promise<T>): Promise<T>;
}

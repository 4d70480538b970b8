import { z } from "zod";
import type { Db } from "./db.ts";

/** Which of these locks nobody holds, in whatever process. */
export async function listFree(db: Db, names: readonly string[]): Promise<Set<string>> {
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

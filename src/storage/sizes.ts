import { z } from "zod";
import type { Db } from "./db.ts";

const tableRow = z.object({ table: z.string(), bytes: z.number(), rows: z.number() });

/** A table with its indexes and long values: bytes, and rows as PostgreSQL estimates them. */
export type TableSize = z.infer<typeof tableRow>;

/** The tables of the database, jobs included, largest first. Reads no rows. */
export async function listTableSizes(db: Db): Promise<TableSize[]> {
  return await db.query(
    tableRow,
    `select case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname as table,
            pg_total_relation_size(c.oid)::float8 as bytes,
            case when c.reltuples < 0 then coalesce(s.n_live_tup, 0) else c.reltuples end::float8 as rows
     from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_stat_all_tables s on s.relid = c.oid
     where c.relkind in ('r', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     order by bytes desc, 1`,
    [],
  );
}

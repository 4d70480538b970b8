import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Database, Db } from "./db.ts";
import { sha256Of } from "../lib/sha256.ts";

/** First line of a migration that older versions can live with. */
const ADDITIVE = /^-- additive\b/;
const FILE_NAME = /^\d{4}_[\w-]+\.sql$/;
const OLDEST_POSTGRES = 15;
const MADE = /^create table (\w+)|^alter table (\w+) rename to (\w+)|^create function (\w+)/gm;
/** Held while the schema changes. */
export const MIGRATIONS_LOCK = "relay.migrations";

interface Migration {
  name: string;
  sql: string;
  sha256: string;
  additive: boolean;
}

const appliedRow = z.object({ name: z.string(), sha256: z.string(), additive: z.boolean() });
const nameRow = z.object({ name: z.string() });
const isRow = z.object({ is: z.boolean() });

/**
 * Migrates the database: forward only, one transaction per file, one process at a time. Returns the names of the newly
 * applied files.
 *
 * Two versions may run side by side: the older one accepts newer migrations if all of them declare themselves additive
 * in their first line.
 *
 * Throws `config` if PostgreSQL is too old, if the database is too new for this version or belongs to another program,
 * if an applied file was changed, or if a new file sorts before an applied one.
 */
export async function migrate(db: Database, folder: string): Promise<{ applied: string[] }> {
  return await db.withPlainLock(MIGRATIONS_LOCK, async () => {
    const { missing } = await lookAtSchema(db, folder);
    return missing.length === 0 ? { applied: [] } : await applyMigrations(db, folder);
  });
}

export interface Schema {
  /** Whether Relay has never migrated this database. */
  isNew: boolean;
  /** The migrations that `migrate` would apply. */
  missing: string[];
}

/** What `migrate` would do, without changing anything. Throws like `migrate`, including for missing rights. */
export async function lookAtSchema(db: Db, folder: string): Promise<Schema> {
  const migrations = await readMigrations(folder);
  await requirePostgres(db);
  const applied = (await hasMigrations(db)) ? await appliedIn(db) : [];
  if (applied.length === 0) await requireNoOthers(db);
  const missing = missingFrom(applied, migrations).map(({ name }) => name);
  if (missing.length > 0) await requireRights(db);
  return { isNew: applied.length === 0, missing };
}

/**
 * Whether the schema has Relay's list of applied migrations; another program's table of that name has other columns.
 */
async function hasMigrations(db: Db): Promise<boolean> {
  const ours = `select count(*) = 2 as is from pg_attribute
    where attrelid = to_regclass(quote_ident(current_schema()) || '.schema_migrations')
      and attname in ('name', 'sha256')`;
  return (await db.one(isRow, ours, [])).is;
}

/** The first versions of the table had no column `additive`. */
async function appliedIn(db: Db): Promise<z.infer<typeof appliedRow>[]> {
  const sql = `select name, sha256, coalesce((to_jsonb(one) ->> 'additive')::boolean, false) as additive
    from schema_migrations as one order by name`;
  return await db.query(appliedRow, sql, []);
}

/**
 * Tables in the schema, except those of extensions and Relay's list of migrations. If Relay has created none, all of
 * them belong to others.
 */
export async function tablesOfOthers(db: Db): Promise<string[]> {
  const sql = `select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'f')
      and not exists (select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by 1`;
  const names = (await db.query(nameRow, sql, [])).map(({ name }) => name);
  return (await hasMigrations(db)) ? names.filter((name) => name !== "schema_migrations") : names;
}

async function requireNoOthers(db: Db): Promise<void> {
  const names = await tablesOfOthers(db);
  if (names.length === 0) return;
  const more = names.length > NAMED_TABLES ? ` and ${names.length - NAMED_TABLES} more` : "";
  throw new RelayError(
    "config",
    `the database holds tables of something else (${names.slice(0, NAMED_TABLES).join(", ")}${more}), and none of Relay's; give Relay a database or a schema of its own (“The database” in docs/operations.md)`,
  );
}

const NAMED_TABLES = 3;

async function requireRights(db: Db): Promise<void> {
  const row = z.object({ account: z.string(), schema: z.string().nullable(), may: z.boolean().nullable() });
  const sql = `select current_user as account, current_schema() as schema,
    has_schema_privilege(current_schema(), 'create') as may`;
  const { account, schema, may } = await db.one(row, sql, []);
  if (may === true) return;
  throw new RelayError(
    "config",
    schema === null
      ? "the database has no schema to make tables in; create the one that search_path names"
      : `the account ${account} may not make tables in the schema ${schema} of the database; as its owner, run: grant create on schema ${schema} to ${account}`,
  );
}

/**
 * The same for a database that no other process migrates. With `only`, applies just these files, for rows from a
 * database that had just these. Throws `config` if one of them does not exist.
 */
export async function applyMigrations(
  db: Db,
  folder: string,
  only?: readonly string[],
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(folder);
  await requirePostgres(db);
  await db.execute(
    `create table if not exists schema_migrations (
       name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
    [],
  );
  await db.execute(
    `alter table schema_migrations add column if not exists additive boolean not null default false`,
    [],
  );
  const missing = missingFrom(
    await appliedIn(db),
    only === undefined ? migrations : chosenFrom(migrations, only, "copy"),
  );
  for (const { name, sql, sha256, additive } of missing) {
    await db.transaction(async (tx) => {
      await tx.executeSql(sql).catch((cause: unknown) => {
        if (cause instanceof RelayError) throw cause;
        throw new RelayError("internal", `migration ${name} failed: ${messageOf(cause)}`, { cause });
      });
      await tx.execute("insert into schema_migrations (name, sha256, additive) values ($1, $2, $3)", [
        name,
        sha256,
        additive,
      ]);
    });
  }
  return { applied: missing.map((migration) => migration.name) };
}

export interface Objects {
  /** The migrations that created them; empty if Relay has migrated nothing. */
  applied: string[];
  tables: string[];
  functions: string[];
}

/**
 * What Relay's migrations have created in a database, according to their files. Another program may have tables there
 * too, even its own `schema_migrations`. Throws `config` for a database that a newer Relay has migrated.
 */
export async function listObjects(db: Db, folder: string): Promise<Objects> {
  if (!(await hasMigrations(db))) return { applied: [], tables: [], functions: [] };
  const rows = await db.query(nameRow, "select name from schema_migrations order by 1", []);
  const applied = rows.map(({ name }) => name);
  const tables = new Set<string>();
  const functions = new Set<string>();
  for (const { sql } of chosenFrom(await readMigrations(folder), applied, "database")) {
    for (const [, made, old = "", renamed, called] of sql.matchAll(MADE)) {
      if (made !== undefined) tables.add(made);
      if (renamed !== undefined && tables.delete(old)) tables.add(renamed);
      if (called !== undefined) functions.add(called);
    }
  }
  return { applied, tables: [...tables], functions: [...functions] };
}

/** Migrations still to apply, in order. */
function missingFrom(applied: z.infer<typeof appliedRow>[], migrations: Migration[]): Migration[] {
  const known = new Map(applied.map((row) => [row.name, row.sha256]));
  const newer = applied.find((row) => !row.additive && !migrations.some((migration) => migration.name === row.name));
  if (newer) {
    throw new RelayError("config", `the database was made by a newer Relay (it has ${newer.name}); update this one`);
  }
  const changed = migrations.find(({ name, sha256 }) => known.has(name) && known.get(name) !== sha256);
  if (changed) {
    throw new RelayError(
      "config",
      `migration ${changed.name} was changed after it was applied; restore the original file`,
    );
  }
  const last = applied.at(-1)?.name ?? "";
  const missing = migrations.filter(({ name }) => !known.has(name));
  const late = missing.find(({ name }) => name < last);
  if (late) {
    throw new RelayError(
      "config",
      `migration ${late.name} would go before ${last}, which was applied already; give it a later number`,
    );
  }
  return missing;
}

function chosenFrom(migrations: Migration[], only: readonly string[], of: "copy" | "database"): Migration[] {
  const newer = only.find((name) => !migrations.some((migration) => migration.name === name));
  if (newer === undefined) return migrations.filter(({ name }) => only.includes(name));
  throw new RelayError("config", `the ${of} was made by a newer Relay (it has ${newer}); update this one`);
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).toSorted();
  const twice = names.find((name, index) => name.slice(0, 4) === names[index - 1]?.slice(0, 4));
  if (twice !== undefined) {
    throw new RelayError("config", `two migrations have the number ${twice.slice(0, 4)}; give ${twice} another one`);
  }
  return await Promise.all(
    names.map(async (name) => {
      // Line endings differ in checkouts on Windows; the migration is the same.
      const sql = (await readFile(join(folder, name), "utf8")).replaceAll("\r\n", "\n");
      return { name, sql, sha256: sha256Of(sql), additive: ADDITIVE.test(sql) };
    }),
  );
}

async function requirePostgres(db: Db): Promise<void> {
  const row = z.object({ major: z.number() });
  const { major } = await db.one(row, "select current_setting('server_version_num')::int / 10000 as major", []);
  if (major >= OLDEST_POSTGRES) return;
  throw new RelayError(
    "config",
    `this is PostgreSQL ${major}, Relay needs ${OLDEST_POSTGRES} or newer; update it, or unset DATABASE_URL to use the embedded one`,
  );
}

/** The server's name and version, such as `PostgreSQL 18.1`. */
export async function postgresVersion(db: Db): Promise<string> {
  const row = z.object({ version: z.string() });
  return (await db.one(row, "select split_part(version(), ' on ', 1) as version", [])).version;
}

/** Counts connections of other Relay processes to this database. */
export async function countOthers(db: Db): Promise<number> {
  const sql = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'relay' and pid <> pg_backend_pid()`;
  return (await db.one(z.object({ count: z.number() }), sql, [])).count;
}

/** Throws `unavailable` when the database does not answer. */
export async function ping(db: Db): Promise<void> {
  await db.execute("select 1", []);
}

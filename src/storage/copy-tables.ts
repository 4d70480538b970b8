import { pipeline } from "node:stream/promises";
import { Client } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import { RelayError, systemCode } from "../lib/errors.ts";
import { raise } from "./connect.ts";
import { type Connecting, transactionOn } from "./db.ts";
import { MIGRATIONS_LOCK, type Objects, applyMigrations, listObjects, tablesOfOthers } from "./migrate.ts";

/*
 * A copy is text: a line of JSON as its head; then for each table a line of JSON and its rows in the format of
 * PostgreSQL's COPY, up to a line with `\.`; then a line for the sequences, and an end line that shows that nothing is
 * missing. Jobs are left out, since they are recreated from the other tables.
 */

const FORMAT = 1;

/** Tables with credentials: useless elsewhere, and secret. */
export const LOGIN_TABLES: readonly string[] = ["api_tokens", "begun_logins", "login_tries", "sessions"];

const headSchema = z.object({ relay_copy: z.literal(FORMAT), migrations: z.array(z.string()).min(1) });
const tableSchema = z.object({ table: z.string(), columns: z.array(z.string()).min(1) });
const sequencesSchema = z.object({ sequences: z.array(z.object({ name: z.string(), value: z.string() })) });
const END = JSON.stringify({ end: true });
const LAST_ROW = String.raw`\.`;

const tablesRow = z.object({ name: z.string(), columns: z.array(z.string()), refers: z.array(z.string()) });
/** Without generated columns, which are computed again. */
const TABLES = `
  select c.relname as name,
    (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    array(select distinct r.confrelid::regclass::text from pg_constraint r
      where r.conrelid = c.oid and r.contype = 'f' and r.confrelid <> c.oid) as refers
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname = any($1)
  order by c.relname`;
const SEQUENCES = `
  select s.relname as name, pg_sequence_last_value(q.seqrelid)::text as value
  from pg_sequence q join pg_class s on s.oid = q.seqrelid
  join pg_depend d on d.objid = s.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
  join pg_class c on c.oid = d.refobjid
  where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
    and pg_sequence_last_value(q.seqrelid) is not null order by 1`;

type Table = z.infer<typeof tablesRow>;

/**
 * The rows of all of Relay's tables in a database, at one moment, while Relay works on it (R-SHIP-2). `without` leaves
 * tables empty; `folder` has the migrations. `pasteTables` puts them into another database. Throws `unavailable` if the
 * database does not answer, `not_found` if it has nothing of Relay's, `config` if a newer Relay has migrated it.
 */
export async function* copyTables(
  connection: Connecting,
  folder: string,
  { without = [] }: { without?: readonly string[] } = {},
): AsyncGenerator<Buffer> {
  const client = await connected(connection);
  try {
    const { applied, tables } = await seen(client, folder);
    yield line({ relay_copy: FORMAT, migrations: applied });
    for (const { name, columns } of inOrder(await rowsOf(client, tablesRow, TABLES, tables))) {
      if (without.includes(name)) continue;
      yield line({ table: name, columns });
      const rows = client.query(copyTo(`copy ${quoted(name)} (${columns.map(quoted).join(", ")}) to stdout`));
      for await (const chunk of rows) yield z.instanceof(Buffer).parse(chunk);
      yield Buffer.from(`${LAST_ROW}\n`);
    }
    const sequences = await rowsOf(client, z.object({ name: z.string(), value: z.string() }), SEQUENCES, tables);
    yield line({ sequences });
    yield Buffer.from(`${END}\n`);
    await client.query("commit");
  } catch (error) {
    raise(error);
  } finally {
    await client.end();
  }
}

/**
 * Takes the snapshot to read from. A table that a migration rewrites would look empty in it, so the lock here waits for
 * running migrations, and later ones wait for the lock.
 */
async function seen(client: Client, folder: string): Promise<Objects> {
  await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [MIGRATIONS_LOCK]);
  await client.query("begin isolation level repeatable read read only");
  const objects = await listObjects(transactionOn(client), folder);
  if (objects.tables.length === 0) throw new RelayError("not_found", "the database has nothing of Relay");
  await client.query(`lock table ${objects.tables.map(quoted).join(", ")} in access share mode`);
  await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", [MIGRATIONS_LOCK]);
  return objects;
}

/**
 * Fills an empty database with a copy by this version or an older one, in one transaction: all of it, or nothing.
 * Migrate it afterwards. A database counts as empty if Relay has only created its tables; tables of others stay as they
 * are.
 *
 * @param folder the migrations
 * @param last runs before anything is visible; if it throws, nothing is stored
 * Throws `conflict` for a database that Relay has used or that only has tables of others, `invalid` if this is no copy
 * or a damaged one, `config` for a copy by a newer version.
 */
export async function pasteTables(
  connection: Connecting,
  copy: AsyncIterable<Uint8Array>,
  folder: string,
  last: () => Promise<void> = async () => {},
): Promise<void> {
  const lines = linesOf(copy);
  const { migrations } = await parsed(lines, headSchema);
  const client = await connected(connection);
  try {
    await client.query("begin");
    // If two run at once, the second finds what the first has stored; so does a Relay that starts meanwhile.
    await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [MIGRATIONS_LOCK]);
    const objects = await listObjects(transactionOn(client), folder);
    await requireEmpty(client, objects);
    await clear(client, objects);
    await applyMigrations(transactionOn(client), folder, migrations);
    await fill(client, (await listObjects(transactionOn(client), folder)).tables, lines);
    await last();
    await client.query("commit");
  } catch (error) {
    // Error classes of PostgreSQL: invalid data, and data that violates a constraint.
    if (/^2[23]/.test(systemCode(error) ?? "")) throw damaged(error);
    raise(error);
  } finally {
    await client.end();
  }
}

/** Empties a database that only Relay uses, such as an embedded one. */
export async function emptyOwn(connection: Connecting): Promise<void> {
  const client = await connected(connection);
  try {
    await client.query("drop schema if exists pgboss cascade; drop schema public cascade; create schema public");
  } catch (error) {
    raise(error);
  } finally {
    await client.end();
  }
}

/** Tables that Relay fills before it has anything to store. */
const MAY_HAVE_ROWS: ReadonlySet<string> = new Set(["fences"]);

async function requireEmpty(client: Client, { tables }: Objects): Promise<void> {
  if (tables.length === 0 && (await tablesOfOthers(transactionOn(client))).length > 0) {
    throw new RelayError("config", "the database has tables that are not Relay's; give an empty one");
  }
  for (const name of tables) {
    if (MAY_HAVE_ROWS.has(name)) continue;
    const { rowCount } = await client.query(`select from ${quoted(name)} limit 1`);
    if (rowCount === 0) continue;
    throw new RelayError("config", "the database is one that Relay uses; give an empty one");
  }
}

/** Fails if objects of others depend on Relay's tables, such as a view. */
async function clear(client: Client, { applied, tables, functions }: Objects): Promise<void> {
  if (applied.length === 0) return;
  await client.query(`drop table ${["schema_migrations", ...tables].map(quoted).join(", ")}`);
  if (functions.length > 0) await client.query(`drop function ${functions.map(quoted).join(", ")}`);
}

async function fill(client: Client, names: readonly string[], lines: Lines): Promise<void> {
  const tables = inOrder(await rowsOf(client, tablesRow, TABLES, names));
  // The copy includes the rows that migrations and triggers insert.
  await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(", ")}`);
  await eachTable(client, tables, "disable");
  let said = await lines.next();
  for (; said !== null && said.startsWith('{"table"'); said = await lines.next()) {
    const { table, columns } = reading(said, tableSchema);
    const known = tables.find(({ name }) => name === table);
    if (known === undefined || columns.some((column) => !known.columns.includes(column))) throw damaged();
    const into = client.query(copyFrom(`copy ${quoted(table)} (${columns.map(quoted).join(", ")}) from stdin`));
    await pipeline(lines.rows(), into);
  }
  if (said === null) throw damaged();
  for (const { name, value } of reading(said, sequencesSchema).sequences) {
    await client.query("select setval(quote_ident($1)::regclass, $2::bigint)", [name, value]);
  }
  if ((await lines.next()) !== END) throw damaged();
  await eachTable(client, tables, "enable");
}

/** Disables triggers, which would count rows twice. */
async function eachTable(client: Client, tables: readonly Table[], what: "disable" | "enable"): Promise<void> {
  for (const { name } of tables) await client.query(`alter table ${quoted(name)} ${what} trigger user`);
}

/** Sorts each table after those that it refers to. */
function inOrder(tables: readonly Table[]): Table[] {
  const sorted: Table[] = [];
  let rest = [...tables];
  while (rest.length > 0) {
    const names = new Set(rest.map(({ name }) => name));
    const [free = [], bound = []] = [true, false].map((is) =>
      rest.filter(({ refers }) => refers.every((name) => !names.has(name)) === is),
    );
    if (free.length === 0) throw new RelayError("internal", `the tables ${[...names].join(", ")} refer to each other`);
    sorted.push(...free);
    rest = bound;
  }
  return sorted;
}

export interface Lines {
  /** The next line without its line end; null after the last. */
  next: () => Promise<string | null>;
  /** The rows up to the line that ends them, with their line ends. */
  rows: () => AsyncGenerator<Buffer>;
  /** Everything that is left. */
  rest: () => AsyncGenerator<Buffer>;
}

const NEW_LINE = 10;

/** Reads a text line by line as it arrives. */
export function linesOf(copy: AsyncIterable<Uint8Array>): Lines {
  const chunks = copy[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  const next = async (): Promise<Buffer | null> => {
    const parts: Buffer[] = [];
    for (;;) {
      const at = rest.indexOf(NEW_LINE);
      if (at >= 0) {
        parts.push(rest.subarray(0, at));
        rest = rest.subarray(at + 1);
        return Buffer.concat(parts);
      }
      parts.push(rest);
      const read = await chunks.next();
      if (read.done === true) return null;
      rest = Buffer.from(read.value);
    }
  };
  return {
    next: async () => (await next())?.toString("utf8") ?? null,
    rows: async function* rows() {
      for (;;) {
        const row = await next();
        if (row === null) throw damaged();
        if (row.length === LAST_ROW.length && row.toString("latin1") === LAST_ROW) return;
        yield Buffer.concat([row, Buffer.from("\n")]);
      }
    },
    rest: async function* left() {
      yield rest;
      for (let read = await chunks.next(); read.done !== true; read = await chunks.next())
        yield Buffer.from(read.value);
    },
  };
}

async function parsed<T>(lines: Lines, schema: z.ZodType<T>): Promise<T> {
  return reading((await lines.next()) ?? "", schema);
}

function reading<T>(text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw damaged();
  }
}

function damaged(cause?: unknown): RelayError {
  return new RelayError("invalid", "this is no whole copy of Relay's tables; take another one", { cause });
}

async function connected(connection: Connecting): Promise<Client> {
  // An address without a URL is the embedded server's, which has no TLS, regardless of PGSSLMODE.
  const client = new Client("connectionString" in connection ? connection : { ...connection, ssl: false });
  client.on("error", () => {});
  await client.connect().catch(raise);
  // Values are always written in the same format, whatever the settings of the server.
  await client.query("set datestyle to iso; set intervalstyle to postgres; set extra_float_digits to 3").catch(raise);
  // Statements that read or write everything take their time.
  await client.query("set statement_timeout to 0; set idle_in_transaction_session_timeout to 0").catch(raise);
  return client;
}

async function rowsOf<T>(client: Client, row: z.ZodType<T>, sql: string, names?: readonly string[]): Promise<T[]> {
  const { rows } = await client.query(sql, names && [names]);
  return z.array(row).parse(rows);
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

import { lstat, mkdir, open, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import writeFileAtomic from "write-file-atomic";
import type { Config } from "../../config/config.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { LOGIN_TABLES, copyTables, pasteTables } from "../../storage/copy-tables.ts";
import { openDatabase } from "../../storage/db.ts";
import { countOthers, migrate } from "../../storage/migrate.ts";
import { type BackupHead, backupOf, filesIn, tablesIn, verified } from "./backup-file.ts";
import { connect, hasDatabase } from "../data-directory.ts";
import { MIGRATIONS } from "../runtime.ts";

/** Personal tokens are kept. Sessions are not: a restore would revive those that ended since. */
const LEFT_OUT = LOGIN_TABLES.filter((name) => name !== "api_tokens");

type Settings = Pick<Config, "home" | "spec_root" | "database_url">;

export interface Backup extends BackupHead {
  files: number;
  /** Of the file. */
  bytes: number;
}

/**
 * Writes one consistent copy of all that is state into a new file, for its own account alone, while Relay works
 * (R-SHIP-2). The database is as at one moment, and not migrated; files are no older. Throws `usage` if the file is
 * there, `not_found` without a database or the folder of the file.
 */
export async function writeBackup(
  file: string,
  config: Config,
  { log, relay, now }: { log: Log; relay: string; now: Date },
): Promise<Backup> {
  if (await isThere(file)) throw new RelayError("usage", `${file} is there already; give the name of a new file`);
  if (!(await hasDatabase(config))) {
    throw new RelayError("not_found", `there is no database in ${resolve(config.home)} to back up; set RELAY_HOME`);
  }
  const draft = `${file}.${process.pid}.partial`;
  const { connection, leave } = await connect(config, log);
  const tables = copyTables(connection, MIGRATIONS, { without: LEFT_OUT });
  try {
    // The first line fixes the moment of the copy, before the files are read: all that it refers to is there.
    const first = await tables.next();
    let files = 0;
    const counted = async function* counted() {
      for await (const one of stateFiles(config)) {
        files += 1;
        yield one;
      }
    };
    const rest = async function* rest() {
      if (first.done !== true) yield first.value;
      yield* tables;
    };
    await rm(draft, { force: true });
    const handle = await open(draft, "wx", 0o600);
    try {
      await pipeline(
        Readable.from(backupOf({ at: now, relay }, counted(), rest())),
        createGzip(),
        handle.createWriteStream({ flush: true }),
      );
    } finally {
      await handle.close();
    }
    const { size } = await stat(draft);
    await rename(draft, file);
    return { at: now, relay, files, bytes: size };
  } catch (error) {
    await rm(draft, { force: true });
    throw refusedByDisk(error, "write", file);
  } finally {
    await tables.return(undefined);
    await leave();
  }
}

/**
 * Restores a backup of this version or an older one: its tables into an empty database, which is then migrated, and its
 * files to where they belong, all or nothing (R-SHIP-2). After a kill, run it again. Throws `invalid` for a file that
 * is damaged or no backup, `config` for one by a newer Relay, or if something is there already.
 */
export async function restoreBackup(file: string, config: Config, { log }: { log: Log }): Promise<Backup> {
  const head = await verified(file).catch((error: unknown) => {
    throw refusedByDisk(error, "restore", file);
  });
  const { connection, leave } = await connect(config, log);
  const db = openDatabase(connection, 1);
  try {
    if ((await countOthers(db)) > 0) {
      throw new RelayError("config", "a Relay works on this database; stop it first, and restore into an empty one");
    }
    let files = 0;
    await pasteTables(connection, tablesIn(file), MIGRATIONS, async () => {
      for await (const { name, content } of filesIn(file)) {
        const path = placeOf(name, config);
        const there = await unlessGone(readFile(path));
        if (there === null || there.equals(content)) continue;
        throw new RelayError("config", `${path} is there, with other content; restore where nothing is`);
      }
      for await (const { name, content } of filesIn(file)) {
        const path = placeOf(name, config);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFileAtomic(path, content, { mode: 0o600 });
        files += 1;
      }
    });
    await migrate(db, MIGRATIONS);
    return { ...head, files, bytes: (await stat(file)).size };
  } catch (error) {
    throw refusedByDisk(error, "restore", file);
  } finally {
    await db.close();
    await leave();
  }
}

/** Names in a backup, and where they are: specs of the local store, and recordings of cycles. */
const FOLDERS: { name: string; entries: RegExp; of: (settings: Settings) => string }[] = [
  { name: "specs", entries: /^issue_\d/, of: ({ spec_root: root }) => root },
  { name: "cycles", entries: /^\d+$/, of: ({ home }) => join(home, "cycles") },
];

async function* stateFiles(settings: Settings): AsyncGenerator<{ name: string; content: Buffer }> {
  for (const { name, entries, of } of FOLDERS) {
    const root = of(settings);
    for (const entry of (await unlessGone(readdir(root))) ?? []) {
      if (entries.test(entry)) yield* filesBelow(join(root, entry), `${name}/${entry}`);
    }
  }
}

/** Links are not followed; what is being written is left out. */
async function* filesBelow(folder: string, name: string): AsyncGenerator<{ name: string; content: Buffer }> {
  for (const entry of (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, `${name}/${entry.name}`);
    if (!entry.isFile() || /\.tmp$|\.\d{6,}$/.test(entry.name)) continue;
    const content = await unlessGone(readFile(path));
    if (content !== null) yield { name: `${name}/${entry.name}`, content };
  }
}

/** Where a file of a backup belongs. */
function placeOf(name: string, settings: Settings): string {
  const [first, entry = "", ...rest] = name.split("/");
  const folder = FOLDERS.find((one) => one.name === first && one.entries.test(entry));
  const isSafe = [entry, ...rest].every((part) => /^[^\\\0]+$/.test(part) && part !== "." && part !== "..");
  if (folder !== undefined && isSafe) return join(folder.of(settings), entry, ...rest);
  throw new RelayError(
    "invalid",
    `the backup has a file with the name ${JSON.stringify(name)}, which is none of Relay's`,
  );
}

/** Null for a file that was removed or moved meanwhile, such as an old version of a spec. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | null> {
  return await reading.catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  });
}

async function isThere(path: string): Promise<boolean> {
  return (await unlessGone(lstat(path))) !== null;
}

function refusedByDisk(error: unknown, verb: "write" | "restore", file: string): unknown {
  if (error instanceof RelayError || !/^E[A-Z]+$/.test(systemCode(error) ?? "")) return error;
  if (systemCode(error) === "ENOENT") {
    const why = verb === "restore" ? "there is no such file" : `there is no folder ${dirname(file)}`;
    return new RelayError("not_found", `cannot ${verb} ${file}: ${why}; give another name`, { cause: error });
  }
  return new RelayError("io", `cannot ${verb} ${file}: ${messageOf(error)}; fix that and try again`, {
    cause: error,
  });
}

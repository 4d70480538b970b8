import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { RelayError } from "../../lib/errors.ts";
import type { Segment } from "./segment.ts";

/** Increment whenever the meaning of stored bytes changes; files of another format are rebuilt. */
const FORMAT = 1;
const STORED_TREES = 4;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS segment (
    id INTEGER PRIMARY KEY AUTOINCREMENT, names TEXT NOT NULL, bytes BLOB NOT NULL, skips BLOB NOT NULL, lengths BLOB NOT NULL,
    ends BLOB NOT NULL, terms BLOB NOT NULL, counts BLOB NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS tree (
    id INTEGER PRIMARY KEY, commit_name TEXT NOT NULL UNIQUE, listing BLOB NOT NULL, log BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS outline (blob TEXT PRIMARY KEY, symbols TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS imports (blob TEXT PRIMARY KEY, sites TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** The files and the recent history of a commit, serialized. */
interface StoredTree {
  commit: string;
  listing: Buffer;
  log: string;
}

/**
 * The index of one repository in one SQLite file, which many processes may share. It is only a cache, so a damaged
 * file, or one of another format, is deleted and rebuilt.
 */
export class IndexStore {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Opens or creates the file; `null` keeps everything in memory. Throws `RelayError` `io` when it cannot be written.
   */
  static async open(file: string | null): Promise<IndexStore> {
    // Loaded lazily, so that commands that need no index start faster.
    const { DatabaseSync } = await import("node:sqlite");
    if (file === null) return new IndexStore(prepare(new DatabaseSync(":memory:")));
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // The data directory may be inside a repository.
      writeFileSync(join(dirname(file), ".gitignore"), "*\n");
      try {
        const store = new IndexStore(prepare(new DatabaseSync(file, { timeout: 10_000 })));
        // Records when it was last used.
        await utimes(file, new Date(), new Date()).catch(() => {});
        return store;
      } catch (error) {
        if (!isDamaged(error)) throw error;
        removeIndex(file);
        return new IndexStore(prepare(new DatabaseSync(file, { timeout: 10_000 })));
      }
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RelayError("io", `cannot open the code index ${file}: ${why}; check the folder's permissions`, {
        cause,
      });
    }
  }

  /** Ids of the segments stored after the given one, in order. */
  segmentsAfter(id: number): number[] {
    const rows = this.#database.prepare("SELECT id FROM segment WHERE id > ? ORDER BY id").all(id);
    return rows.map((row) => Number(row["id"]));
  }

  /** `null` when another process has compacted it away meanwhile. */
  segment(id: number): Segment | null {
    const row = this.#database.prepare("SELECT * FROM segment WHERE id = ?").get(id);
    if (row === undefined) return null;
    const segment = segmentOf(row);
    if (checksumOf(segment) !== row["checksum"]) throw new Damaged();
    return segment;
  }

  /** Stores segments and returns their ids; with `replace`, they replace everything stored before. */
  addSegments(segments: readonly Segment[], { replace = false } = {}): number[] {
    const insert = this.#database.prepare(
      "INSERT INTO segment (names, bytes, skips, lengths, ends, terms, counts, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    );
    return this.#transaction(() => {
      if (replace) this.#database.exec("DELETE FROM segment");
      return segments.map((segment) => {
        const { names, bytes, skips, lengths, ends, terms, counts } = segment;
        const columns = [bytesOf(bytes), skips, bytesOf(lengths), bytesOf(ends), bytesOf(terms), counts];
        return Number(insert.run(names.join("\n"), ...columns, checksumOf(segment)).lastInsertRowid);
      });
    });
  }

  /** The stored tree of a commit. */
  tree(commit: string): StoredTree | null {
    return treeOf(this.#database.prepare("SELECT * FROM tree WHERE commit_name = ?").get(commit));
  }

  /** The tree stored last. */
  latestTree(): StoredTree | null {
    return treeOf(this.#database.prepare("SELECT * FROM tree ORDER BY id DESC LIMIT 1").get());
  }

  storeTree(commit: string, listing: Buffer, log: string): void {
    this.#transaction(() => {
      this.#database
        .prepare("INSERT OR REPLACE INTO tree (commit_name, listing, log) VALUES (?, ?, ?)")
        .run(commit, listing, Buffer.from(log));
      this.#database
        .prepare("DELETE FROM tree WHERE id NOT IN (SELECT id FROM tree ORDER BY id DESC LIMIT ?)")
        .run(STORED_TREES);
    });
  }

  /** Deletes cached outlines and imports of all blobs but these. */
  pruneParses(blobs: ReadonlySet<string>): void {
    this.#transaction(() => {
      for (const table of ["outline", "imports"]) {
        const remove = this.#database.prepare(`DELETE FROM ${table} WHERE blob = ?`);
        for (const row of this.#database.prepare(`SELECT blob FROM ${table}`).all()) {
          const key = String(row["blob"]);
          if (!blobs.has(key.slice(0, key.indexOf(" ")))) remove.run(key);
        }
      }
    });
  }

  /** The cached outline or imports of one blob, as JSON. */
  parsed(what: "outline" | "imports", blob: string): string | null {
    const column = what === "outline" ? "symbols" : "sites";
    const value = this.#database.prepare(`SELECT ${column} AS value FROM ${what} WHERE blob = ?`).get(blob)?.["value"];
    return typeof value === "string" ? value : null;
  }

  /** Stores outlines or imports of blobs, as JSON. */
  storeParsed(what: "outline" | "imports", parsed: Iterable<[blob: string, json: string]>): void {
    const insert = this.#database.prepare(`INSERT OR REPLACE INTO ${what} VALUES (?, ?)`);
    this.#transaction(() => {
      for (const [blob, json] of parsed) insert.run(blob, json);
    });
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #transaction<T>(work: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** The file below `home` that has the index of a repository. */
export function indexFile(gitDirectory: string, home: string): string {
  const name = createHash("sha256").update(realpathSync(gitDirectory)).digest("hex").slice(0, 20);
  return join(home, "index", `${name}.sqlite`);
}

export function removeIndex(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}

function prepare(database: DatabaseSync): DatabaseSync {
  try {
    const format = Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
    if (format !== 0 && format !== FORMAT) throw new Damaged();
    database.exec(SCHEMA);
    if (format === 0) database.exec(`PRAGMA user_version = ${FORMAT}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Stored bytes fail their checksum, or have another format. */
class Damaged extends Error {}

/** SQLite result codes: corrupt, not a database. */
const DAMAGED = new Set([11, 26]);
/** SQLite result codes: busy, read-only, I/O error, disk full, cannot open. */
const UNWRITABLE = new Set([5, 8, 10, 13, 14]);

/** Whether the file is broken and must be rebuilt. */
export function isDamaged(error: unknown): boolean {
  return error instanceof Damaged || DAMAGED.has(sqliteCode(error));
}

/** Whether the file cannot be written now. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has(sqliteCode(error));
}

/** The primary SQLite code of an error; 0 for other errors. */
export function sqliteCode(error: unknown): number {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return 0;
  return typeof error.errcode === "number" ? error.errcode & 0xff : 0;
}

function treeOf(row: Record<string, SQLOutputValue> | undefined): StoredTree | null {
  if (row === undefined) return null;
  return {
    commit: String(row["commit_name"]),
    listing: bufferOf(row["listing"]),
    log: bufferOf(row["log"]).toString("utf8"),
  };
}

function segmentOf(row: Record<string, SQLOutputValue>): Segment {
  const names = String(row["names"]);
  return {
    names: names === "" ? [] : names.split("\n"),
    bytes: wordsOf(row["bytes"]),
    skips: bufferOf(row["skips"]),
    lengths: wordsOf(row["lengths"]),
    ends: wordsOf(row["ends"]),
    terms: wordsOf(row["terms"]),
    counts: bufferOf(row["counts"]),
  };
}

/** Covers everything but the names, whose loss is obvious. */
function checksumOf({ bytes, skips, lengths, ends, terms, counts }: Segment): number {
  const parts = [bytesOf(bytes), skips, bytesOf(lengths), bytesOf(ends), bytesOf(terms), counts];
  return parts.reduce((sum, part) => crc32(part, sum), 0);
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

function bufferOf(value: SQLOutputValue | undefined): Buffer {
  if (!(value instanceof Uint8Array)) return Buffer.alloc(0);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function wordsOf(value: SQLOutputValue | undefined): Uint32Array {
  const bytes = bufferOf(value);
  const length = bytes.length >>> 2;
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, length);
  return new Uint32Array(Uint8Array.from(bytes).buffer, 0, length);
}

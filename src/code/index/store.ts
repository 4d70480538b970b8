import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { RelayError } from "../../lib/errors.ts";
import type { Segment } from "./segment.ts";

/** Raised whenever the meaning of stored bytes changes; an older file is made anew. */
const FORMAT = 1;
const TREES_KEPT = 4;

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

/** The files and the recent history of a commit, packed. */
interface StoredTree {
  commit: string;
  listing: Buffer;
  log: string;
}

/**
 * The index of one repository on disk, in one SQLite file that many processes may use. All of it can be made
 * again, so a file that is damaged or of another format is thrown away.
 */
export class IndexStore {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Opens or makes the file; `null` keeps everything in memory. Throws `RelayError` `io` when it cannot be written. */
  static async open(file: string | null): Promise<IndexStore> {
    // Loaded here, so that commands without code do not pay for it.
    const { DatabaseSync } = await import("node:sqlite");
    if (file === null) return new IndexStore(prepare(new DatabaseSync(":memory:")));
    try {
      mkdirSync(dirname(file), { recursive: true });
      // The data directory may stand in a repository.
      writeFileSync(join(dirname(file), ".gitignore"), "*\n");
      try {
        return new IndexStore(prepare(new DatabaseSync(file, { timeout: 10_000 })));
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

  /** Ids of the segments that were added after the given one, in that order. */
  segmentsAfter(id: number): number[] {
    const rows = this.#database.prepare("SELECT id FROM segment WHERE id > ? ORDER BY id").all(id);
    return rows.map((row) => Number(row["id"]));
  }

  /** `null` when another process has joined it with others meanwhile. */
  segment(id: number): Segment | null {
    const row = this.#database.prepare("SELECT * FROM segment WHERE id = ?").get(id);
    if (row === undefined) return null;
    const segment = segmentOf(row);
    if (checksumOf(segment) !== row["checksum"]) throw new Damaged();
    return segment;
  }

  /** Adds segments and answers their ids; with `instead`, everything stored before is replaced by them. */
  addSegments(segments: readonly Segment[], { instead = false } = {}): number[] {
    const insert = this.#database.prepare(
      "INSERT INTO segment (names, bytes, skips, lengths, ends, terms, counts, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    );
    return this.#transaction(() => {
      if (instead) this.#database.exec("DELETE FROM segment");
      return segments.map((segment) => {
        const { names, bytes, skips, lengths, ends, terms, counts } = segment;
        const columns = [bytesOf(bytes), skips, bytesOf(lengths), bytesOf(ends), bytesOf(terms), counts];
        return Number(insert.run(names.join("\n"), ...columns, checksumOf(segment)).lastInsertRowid);
      });
    });
  }

  /** What was kept of a commit. */
  tree(commit: string): StoredTree | null {
    return treeOf(this.#database.prepare("SELECT * FROM tree WHERE commit_name = ?").get(commit));
  }

  /** What was kept last. */
  latestTree(): StoredTree | null {
    return treeOf(this.#database.prepare("SELECT * FROM tree ORDER BY id DESC LIMIT 1").get());
  }

  keepTree(commit: string, listing: Buffer, log: string): void {
    this.#transaction(() => {
      this.#database
        .prepare("INSERT OR REPLACE INTO tree (commit_name, listing, log) VALUES (?, ?, ?)")
        .run(commit, listing, Buffer.from(log));
      this.#database
        .prepare("DELETE FROM tree WHERE id NOT IN (SELECT id FROM tree ORDER BY id DESC LIMIT ?)")
        .run(TREES_KEPT);
    });
  }

  /** Forgets what was kept of blobs that are none of these. */
  forgetOthers(blobs: ReadonlySet<string>): void {
    this.#transaction(() => {
      for (const table of ["outline", "imports"]) {
        const forget = this.#database.prepare(`DELETE FROM ${table} WHERE blob = ?`);
        for (const row of this.#database.prepare(`SELECT blob FROM ${table}`).all()) {
          const key = String(row["blob"]);
          if (!blobs.has(key.slice(0, key.indexOf(" ")))) forget.run(key);
        }
      }
    });
  }

  /** What was kept of one blob, as JSON text. */
  kept(what: "outline" | "imports", blob: string): string | null {
    const column = what === "outline" ? "symbols" : "sites";
    const value = this.#database.prepare(`SELECT ${column} AS value FROM ${what} WHERE blob = ?`).get(blob)?.["value"];
    return typeof value === "string" ? value : null;
  }

  keep(what: "outline" | "imports", blob: string, json: string): void {
    this.#database.prepare(`INSERT OR REPLACE INTO ${what} VALUES (?, ?)`).run(blob, json);
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

/** What is stored is not what was stored, or of another format. */
class Damaged extends Error {}

/** SQLite's words for a file that is not what it should be. */
const DAMAGED = new Set([11, 26]);
/** And for one that cannot be written now: busy, read-only, I/O error, disk full, cannot open. */
const UNWRITABLE = new Set([5, 8, 10, 13, 14]);

/** Whether an error says that the file must be made anew. */
export function isDamaged(error: unknown): boolean {
  return error instanceof Damaged || DAMAGED.has(sqliteCode(error));
}

/** Whether an error says that nothing can be kept; what is known is known all the same. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has(sqliteCode(error));
}

/** The primary code; 0 for other errors. */
function sqliteCode(error: unknown): number {
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

/** Over everything but the names, whose loss shows by itself. */
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

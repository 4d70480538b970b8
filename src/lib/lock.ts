import type { DatabaseSync } from "node:sqlite";
import { sleep } from "./clock.ts";
import { RelayError } from "./errors.ts";

export interface LockOptions {
  /** Timeout in milliseconds. Default 10,000. */
  patienceMs?: number;
  /** Aborts the wait; `work` itself is not interrupted. */
  signal?: AbortSignal | undefined;
}

const PATIENCE_MS = 10_000;
const PAUSE_MS = 10;
const SQLITE_BUSY = 5;

/**
 * Runs `work` while holding the lock file, exclusively across processes and within this one.
 *
 * Node has no file locks of its own, but its SQLite has: an open write transaction is a lock of the operating system on
 * the (empty) database file. The kernel releases it when the process ends, however it ends, so no lock is ever stale; a
 * pid file cannot promise that once pids are reused or belong to another container. The file itself stays; removing it
 * would allow two holders. Throws `RelayError` `conflict`, retryable, on timeout, and the signal's reason if that comes
 * first.
 */
export async function locked<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  // Loaded here, so that commands that lock nothing do not pay for it.
  const sqlite = await import("node:sqlite");
  const database = new sqlite.DatabaseSync(file, { timeout: 0 });
  try {
    // Without this the transaction would leave a journal beside the file.
    database.exec("PRAGMA journal_mode = MEMORY");
    await begin(database, file, options);
    return await work();
  } finally {
    database.close();
  }
}

async function begin(database: DatabaseSync, file: string, options: LockOptions): Promise<void> {
  const { patienceMs = PATIENCE_MS, signal } = options;
  for (let waited = 0; ; waited += PAUSE_MS) {
    signal?.throwIfAborted();
    try {
      database.exec("BEGIN IMMEDIATE");
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    if (waited >= patienceMs) {
      throw new RelayError("conflict", `another process has held ${file} for ${patienceMs / 1000} s; try again`, {
        retryable: true,
      });
    }
    await sleep(PAUSE_MS);
  }
}

function isBusy(error: unknown): boolean {
  return typeof error === "object" && error !== null && "errcode" in error && error.errcode === SQLITE_BUSY;
}

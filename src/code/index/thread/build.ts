// The thread that reads a large repository: it reads blobs, stores them, and sends the index back. Started by
// thread.js.

import { parentPort, workerData } from "node:worker_threads";
import { RelayError, messageOf } from "../../../lib/errors.ts";
import { recentLog } from "../recent-commits.ts";
import { indexBlobs } from "../segment-builder.ts";
import type { Segment } from "../segment.ts";
import { IndexStore, isUnwritable, sqliteCode } from "../store.ts";
import type { BuildCall, BuildNews, BuildOrder } from "./start.ts";

const { gitDirectory, file, commit, names, sizes, listing }: BuildOrder = workerData;
const stop = new AbortController();
const toStore = Promise.withResolvers<void>();
const port = parentPort;
port?.on("message", (call: BuildCall) => {
  if (call === "stop") stop.abort();
  toStore.resolve();
});

function tell(news: BuildNews, given: ArrayBufferLike[] = []): void {
  port?.postMessage(
    news,
    given.filter((buffer) => buffer instanceof ArrayBuffer),
  );
}

let store = file === null ? null : await IndexStore.open(file);

/** A failure to store is not fatal: the index still serves this process. */
function stored<T>(work: (open: IndexStore) => T): T | null {
  if (store === null) return null;
  try {
    return work(store);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    store.close();
    store = null;
    tell({ kind: "not stored", why: messageOf(error) });
    return null;
  }
}

function handOver(segment: Segment): void {
  const id = stored((open) => open.addSegments([segment])[0] ?? null);
  const { bytes, skips, lengths, ends, terms, counts } = segment;
  tell(
    { kind: "segment", id, segment: { ...segment, names: segment.names.join("\n") } },
    [bytes, skips, lengths, ends, terms, counts].map(({ buffer }) => buffer),
  );
}

try {
  const blobs = names.split("\n").map((objectName, at) => ({ objectName, size: sizes[at] ?? 0 }));
  const { signal } = stop;
  const progress = (done: number) => tell({ kind: "progress", done });
  const [log] = await Promise.all([
    recentLog(gitDirectory, commit, null, signal),
    indexBlobs(gitDirectory, blobs, { add: handOver, progress, signal }),
  ]);
  tell({ kind: "read" });
  await toStore.promise;
  signal.throwIfAborted();
  stored((open) => open.storeTree(commit, Buffer.from(listing), log));
  tell({ kind: "done", log });
} catch (error) {
  const code = error instanceof RelayError ? error.code : null;
  if (!stop.signal.aborted) tell({ kind: "failed", code, sqlite: sqliteCode(error), message: messageOf(error) });
} finally {
  store?.close();
  // The port would keep the thread alive.
  port?.close();
}

import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type ErrorCode, RelayError } from "../../../lib/errors.ts";
import type { SizedBlob } from "../segment-builder.ts";
import type { Segment } from "../segment.ts";
import { packLongListing, type TreeListing } from "../tree-listing.ts";

const THREAD = join(import.meta.dirname, "thread.js");

/** What the thread must read. */
export interface ToBuild {
  gitDirectory: string;
  /** The store's file; null stores nothing. */
  file: string | null;
  listing: TreeListing;
  blobs: readonly SizedBlob[];
}

/** The same in the form that is sent to the thread: a few flat values, which are copied fast. */
export interface BuildOrder {
  gitDirectory: string;
  file: string | null;
  commit: string;
  /** Names of the blobs to read, one per line. */
  names: string;
  /** Sizes of the same blobs, in bytes. */
  sizes: Float64Array;
  /** The whole tree, packed; stored once all blobs are stored. */
  listing: Uint8Array;
}

/** Messages from a thread. */
export type BuildNews =
  | { kind: "progress"; done: number }
  /** `id`: in the store; null if the segment could not be stored. */
  | { kind: "segment"; id: number | null; segment: Omit<Segment, "names"> & { names: string } }
  | { kind: "not stored"; why: string }
  /** All blobs are read; the tree is stored once `BuildCall` says so. */
  | { kind: "read" }
  | { kind: "done"; log: string }
  | { kind: "failed"; code: ErrorCode | null; sqlite: number; message: string };

/** Messages to a thread: "stop" at any time, or "store" after "read". A stopped thread stores no tree. */
export type BuildCall = "stop" | "store";

export interface BuildListener {
  add: (segment: Segment, id: number | null) => void;
  progress: (done: number) => void;
  notStored: (why: string) => void;
}

/**
 * Reads blobs in a separate thread, so that this one stays responsive (R-EXP-1), and returns the recent log. An abort
 * ends the thread and its processes; the segments stored so far are complete, and the tree is not stored. It then
 * rejects with the signal's reason, otherwise as `indexBlobs` and the store throw.
 */
export async function buildInThread(
  { gitDirectory, file, listing, blobs }: ToBuild,
  listener: BuildListener,
  signal?: AbortSignal,
): Promise<string> {
  const order: BuildOrder = {
    gitDirectory,
    file,
    commit: listing.commit,
    names: blobs.map(({ objectName }) => objectName).join("\n"),
    sizes: Float64Array.from(blobs, ({ size }) => size),
    listing: await packLongListing(listing.entries, signal),
  };
  const thread = new Worker(THREAD, { workerData: order });
  const call = (what: BuildCall) => thread.postMessage(what, []);
  const stop = () => call("stop");
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      let log: string | null = null;
      let failure: Error | null = null;
      thread.on("message", (news: BuildNews) => {
        if (news.kind === "segment") {
          const { names, ...arrays } = news.segment;
          listener.add({ ...arrays, names: names.split("\n") }, news.id);
        } else if (news.kind === "progress") listener.progress(news.done);
        else if (news.kind === "not stored") listener.notStored(news.why);
        else if (news.kind === "read") call("store");
        else if (news.kind === "done") ({ log } = news);
        else failure = failureOf(news);
      });
      thread.once("error", (cause) => (failure ??= brokenThread(cause.message, cause)));
      // By then its processes and its store are closed.
      thread.once("exit", (code) => {
        if (log !== null) resolve(log);
        else reject(failure ?? brokenThread(`code ${code}`));
      });
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function failureOf({ code, sqlite, message }: Extract<BuildNews, { kind: "failed" }>): Error {
  if (code !== null) return new RelayError(code, message);
  return sqlite === 0 ? brokenThread(message) : Object.assign(new Error(message), { errcode: sqlite });
}

function brokenThread(why: string, cause?: Error): RelayError {
  return new RelayError("internal", `the thread that reads the code ended (${why}); run it again`, { cause });
}

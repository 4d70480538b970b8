import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { RelayError } from "../../lib/errors.ts";
import type { Connecting } from "../../storage/db.ts";
import type { CountedDelivery, IntakeData, IntakeNews, IntakeOrder } from "./messages.ts";

const THREAD = join(import.meta.dirname, "thread.js");

export interface Intake {
  /** `http://HOST:PORT`. */
  address: string;
  /** Deliveries are stored from now on; before that trackers are asked to deliver again. */
  storeIn: (connection: Connecting) => void;
  /** It is not ready any more, but still takes what comes. */
  leave: () => void;
  /** Stops accepting connections, answers what is under way within `graceMs`, and ends the thread. */
  stop: (graceMs: number) => Promise<void>;
  /** Rejects if the thread ends by itself: without it Relay hears nothing. */
  broken: Promise<never>;
}

/**
 * Starts the thread that listens, checks signatures and stores deliveries. Throws `config` as `listen` and
 * `webhookReaders` do. `count` gets each answered call of a webhook.
 */
export async function startIntake(data: IntakeData, count: (delivery: CountedDelivery) => void): Promise<Intake> {
  const thread = new Worker(THREAD, { workerData: data });
  const order = (one: IntakeOrder) => thread.postMessage(one, []);
  const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
  const listening = Promise.withResolvers<string>();
  const broken = Promise.withResolvers<never>();
  let isStopping = false;
  const fail = (error: RelayError) => {
    listening.reject(error);
    if (!isStopping) broken.reject(error);
  };
  // Avoids an unhandled rejection if nobody waits for it.
  broken.promise.catch(() => {});
  thread.on("message", (news: IntakeNews) => {
    if (news.kind === "answered") for (const one of news.deliveries) count(one);
    else if (news.kind === "listening") listening.resolve(news.address);
    else fail(new RelayError(news.code, news.message));
  });
  thread.once("error", (cause) => fail(brokenThread(cause.message, cause)));
  thread.once("exit", (code) => fail(brokenThread(`code ${code}`)));
  return {
    address: await listening.promise,
    storeIn: (connection) => order({ kind: "store", connection }),
    leave: () => order({ kind: "leave" }),
    stop: async (graceMs) => {
      isStopping = true;
      order({ kind: "end", graceMs });
      const force = setTimeout(() => void thread.terminate(), 2 * graceMs);
      await ended;
      clearTimeout(force);
    },
    broken: broken.promise,
  };
}

function brokenThread(why: string, cause?: Error): RelayError {
  return new RelayError("internal", `the thread that takes webhooks in ended (${why}); start Relay again`, { cause });
}

import type { Clock } from "../lib/clock.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";

export interface Patience {
  clock: Clock;
  sleep: (ms: number) => Promise<void>;
  log: Log;
  /** Milliseconds after which transient errors are thrown. */
  forMs: number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/**
 * Retries until success: in a container, a program often starts before its database. Throws permanent errors at once
 * and transient ones after `forMs`.
 */
export async function retryUntil<T>(open: () => Promise<T>, { clock, sleep, log, forMs }: Patience): Promise<T> {
  const start = clock.now().getTime();
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await open();
    } catch (error) {
      const waited = clock.now().getTime() - start;
      if (!(error instanceof RelayError) || !error.retryable || waited + wait > forMs) throw error;
      log.warn({ error: messageOf(error), waited_ms: waited, again_in_ms: wait }, "not there yet");
      await sleep(wait);
    }
  }
}

import { setImmediate } from "node:timers/promises";

/** Milliseconds between two turns of the event loop. */
const SLICE_MS = 10;
/** Items between two looks at the clock. */
const ITEMS = 128;

/**
 * Calls `each` for every item, and gives the event loop a turn every few milliseconds, so that a long list delays nothing
 * else. Rejects with the signal's reason once it is aborted.
 */
export async function inSlices<T>(
  items: readonly T[],
  each: (item: T, position: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  let started = performance.now();
  for (const [position, item] of items.entries()) {
    each(item, position);
    if (position % ITEMS !== ITEMS - 1 || performance.now() - started < SLICE_MS) continue;
    await setImmediate();
    signal?.throwIfAborted();
    started = performance.now();
  }
}

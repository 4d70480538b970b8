import { setTimeout } from "node:timers/promises";

/** The source of the time. Passed in as a value, so that decisions can be replayed and tested. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Resolves after `ms` milliseconds, or rejects with an AbortError when the signal comes first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, signal ? { signal } : {});
}

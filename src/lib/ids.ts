import { Snowflake } from "@sapphire/snowflake";

/** Makes the ids of everything Relay stores. Passed in as a value. */
export interface Ids {
  /** A Snowflake id as a decimal string: unique, and ordered by creation time (R-ACT-6). */
  next(): string;
}

/** 2026-01-01T00:00:00Z. Never change it: the order of stored ids depends on it. */
const EPOCH = 1_767_225_600_000;

/**
 * Ids for one process. The worker and process fields (5 bits each) keep processes on one database apart;
 * by default they come from the process id; primary keys catch the rest.
 */
export function snowflakes(node: number = process.pid): Ids {
  const snowflake = new Snowflake(EPOCH);
  const workerId = BigInt(node & 31);
  const processId = BigInt((node >> 5) & 31);
  return { next: () => snowflake.generate({ workerId, processId }).toString() };
}
